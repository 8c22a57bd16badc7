#include "web/vitals.hpp"

#include "pollux/base/process_memory.hpp"
#include "pollux/base/text.hpp"
#include "pollux/store/content.hpp"

#include <ctime>
#include <filesystem>
#include <system_error>

namespace pollux::web {
namespace {

http::Response vital_text(unsigned status, std::string text) {
  http::Response response;
  response.status = status;
  response.headers = {{"Cache-Control", "no-store"}};
  response.body = std::move(text);
  return response;
}

std::optional<std::uint64_t> file_bytes(const std::string& path) {
  std::error_code problem;
  const std::uintmax_t bytes = std::filesystem::file_size(path, problem);
  if (problem == std::errc::no_such_file_or_directory) return 0;  // nothing was put into it yet
  return problem ? std::nullopt : std::optional<std::uint64_t>(bytes);
}

}  // namespace

StoredFigures Vitals::stored() {
  const std::string& path = database_.path();
  StoredFigures figures;
  figures.database_bytes = file_bytes(path);
  figures.wal_bytes = file_bytes(path + "-wal");
  figures.content_bytes = file_bytes(store::content_path(path));
  if (const Result<std::int64_t> paused = database_.get().paused_pages(); paused.ok())
    figures.pages_paused = *paused;
  if (const Result<store::DeliveryCounts> counts = database_.get().delivery_counts(); counts.ok())
    figures.notifications = *counts;
  return figures;
}

http::Response Vitals::metrics(const WebFigures& web) {
  const Instant now = clock_.now();
  if (!kept_ || now >= kept_->until) {
    const std::shared_ptr<const engine::Snapshot> snapshot = board_.latest();
    if (!snapshot) return vital_text(503, "the daemon is starting\n");
    const ProcessFigures process = {
        .ready = ready().status == 200,
        .silent_seconds = to_seconds(now - snapshot->at),
        .cpu_seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC,
        .resident_bytes = process_memory().resident,
    };
    std::string text = metrics_text(*snapshot, stored(), web, process);
    const Instant then = clock_.now();
    kept_ = {then + std::max<Duration>(std::chrono::seconds(1), 10 * (then - now)),
             std::move(text)};
  }
  http::Response response = vital_text(200, kept_->text);
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return response;
}

http::Response Vitals::health() const {
  const std::shared_ptr<const engine::Snapshot> snapshot = board_.latest();
  if (snapshot && clock_.now() - snapshot->at > stuck)
    return vital_text(503, "the daemon's loop gives no sign of life\n");
  return vital_text(200, "ok\n");
}

http::Response Vitals::ready() const {
  const std::shared_ptr<const engine::Snapshot> snapshot = board_.latest();
  if (!snapshot) return vital_text(503, "the daemon is starting\n");
  if (snapshot->stopping) return vital_text(503, "the daemon is stopping\n");
  if (!snapshot->problem.empty())
    return vital_text(503,
                      "the database cannot be written: " + printable(snapshot->problem) + "\n");
  const http::Response alive = health();
  return alive.status == 200 ? vital_text(200, "ready\n") : alive;
}

}  // namespace pollux::web
