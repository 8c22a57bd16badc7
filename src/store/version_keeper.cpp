#include "pollux/store/version_keeper.hpp"

#include "pollux/base/text.hpp"

#include <exception>

#include <spdlog/spdlog.h>

namespace pollux::store {
namespace {

constexpr auto tidy_every = std::chrono::seconds(10);
constexpr int steps_at_once = 4;

// Compression and memory may fail by an exception: that costs history, never the daemon.
template <typename Work>
auto guarded(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& problem) {
    return Error{problem.what(), ExitCode::io};
  }
}

}  // namespace

Content* VersionKeeper::content() {
  if (content_) return content_.get();
  std::string note;
  Result<std::unique_ptr<Content>> opened = Content::open(database_, options_, note);
  if (!note.empty()) spdlog::warn("{}", note);
  if (!opened.ok()) {
    if (!std::exchange(failing_, true))
      spdlog::error("no versions of pages are kept: {}", opened.error().message);
    return nullptr;
  }
  content_ = std::move(*opened);
  return content_.get();
}

void VersionKeeper::keep(const std::vector<VersionPut>& versions) {
  if (versions.empty() || options_.per_page == 0) return;
  Content* file = content();
  if (file == nullptr) return;
  const Status kept = guarded([&] { return file->put(versions); });
  if (!kept.ok()) {
    if (!std::exchange(failing_, true))
      spdlog::error("{} versions of pages were not kept: {}", versions.size(),
                    kept.error().message);
    content_.reset();  // opened anew for the next ones
  } else if (std::exchange(failing_, false)) {
    spdlog::info("versions of pages are kept again");
  }
}

void VersionKeeper::tidy(WallTime now) {
  if (!content_ || (now - tidied_at_ < tidy_every && now >= tidied_at_)) return;
  tidied_at_ = now;
  for (int step = 0; step < steps_at_once; ++step) {
    const Result<bool> more = guarded([&] { return content_->tidy(options_, now); });
    if (!more.ok() || !*more) return;
  }
}

}  // namespace pollux::store
