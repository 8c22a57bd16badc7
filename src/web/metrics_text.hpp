// The figures of a daemon in Prometheus's text format. No label per URL. Pure; any thread.
#pragma once

#include "pollux/engine/snapshot.hpp"
#include "pollux/store/views.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::web {

// What the files and the tables hold; nothing: it could not be read.
struct StoredFigures {
  std::optional<std::uint64_t> database_bytes = {}, wal_bytes = {}, content_bytes = {};
  std::optional<std::int64_t> pages_paused = {};
  std::optional<store::DeliveryCounts> notifications = {};
};
struct WebFigures {
  std::size_t connections = 0, most_connections = 0;
};

struct ProcessFigures {
  bool ready = true;          // as /readyz says
  double silent_seconds = 0;  // since the snapshot was made
  double cpu_seconds = 0;
  std::uint64_t resident_bytes = 0;
};

std::string metrics_text(const engine::Snapshot& snapshot, const StoredFigures& stored,
                         const WebFigures& web, const ProcessFigures& process);

// A label's value: backslash, quote and line feed escaped.
std::string escaped_label(std::string_view text);

}  // namespace pollux::web
