#include "pollux/lab/trace.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <unordered_map>

#include <zlib.h>

namespace pollux::lab {

namespace {

struct CloseGz {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

template <typename T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Result<Trace> load_trace(const std::string& path) {
  const std::unique_ptr<gzFile_s, CloseGz> file(gzopen(path.c_str(), "rb"));  // plain files too
  if (!file) {
    return Error{"cannot open the trace " + printable(path) + "; give a CSV file, plain or gzip",
                 ExitCode::missing_input};
  }
  gzbuffer(file.get(), 1U << 17);

  Trace trace;
  std::unordered_map<std::int64_t, std::size_t> slot_of;
  char buffer[256];
  for (int number = 1; gzgets(file.get(), buffer, sizeof buffer) != nullptr; ++number) {
    std::string_view line(buffer);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line == "page,changed_at")) continue;
    const std::size_t comma = line.find(',');
    std::int64_t page = 0;
    double at = 0;
    if (comma == std::string_view::npos || !parse_number(line.substr(0, comma), page) ||
        !parse_number(line.substr(comma + 1), at)) {
      return Error{printable(path) + ":" + std::to_string(number) +
                       ": expected 'page,changed_at' with numbers (Unix seconds), got '" +
                       printable(line, 60) + "'",
                   ExitCode::bad_data};
    }
    const auto [found, is_new] = slot_of.try_emplace(page, trace.changes.size());
    if (is_new) trace.changes.emplace_back();
    trace.changes[found->second].push_back(at);
    trace.end =
        trace.changes.size() == 1 && trace.changes[0].size() == 1 ? at : std::max(trace.end, at);
  }
  int code = Z_OK;
  const char* message = gzerror(file.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END) {
    return Error{"reading " + printable(path) + " failed: " + printable(message), ExitCode::io};
  }
  if (trace.changes.empty()) {
    return Error{printable(path) + " holds no rows 'page,changed_at'", ExitCode::bad_data};
  }
  for (auto& times : trace.changes) std::sort(times.begin(), times.end());
  return trace;
}

TraceWorld::TraceWorld(const Trace& trace, double days) : seconds_(days * 86400) {
  const double start = trace.end - seconds_;
  for (const auto& times : trace.changes) {
    if (times.front() > start) continue;  // born later
    auto& inside = changes_.emplace_back();
    for (const double at : times) {
      if (at > start) inside.push_back(at - start);
    }
    total_ += inside.size();
  }
  seen_.assign(changes_.size(), 0);
}

double TraceWorld::rate(std::uint32_t page) const {
  return (static_cast<double>(changes_[page].size()) + 0.1) / seconds_;
}

bool TraceWorld::poll(std::uint32_t page, double now) {
  const auto& times = changes_[page];
  std::size_t& seen = seen_[page];
  if (seen == times.size() || times[seen] > now) return false;
  first_unseen_ = times[seen];
  while (seen < times.size() && times[seen] <= now) ++seen;
  return true;
}

}  // namespace pollux::lab
