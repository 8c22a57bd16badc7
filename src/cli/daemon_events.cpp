#include "cli/daemon_events.hpp"

#include <boost/json/parse.hpp>

namespace pollux::cli {
namespace {

constexpr std::size_t longest_event = 4u << 20;

DaemonEvent event_of(std::string_view text) {
  DaemonEvent event;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    constexpr std::string_view name = "event: ", data = "data: ";
    if (line.starts_with(name)) event.what = line.substr(name.size());
    if (!line.starts_with(data)) continue;
    boost::system::error_code problem;
    boost::json::value value = boost::json::parse(line.substr(data.size()), problem);
    if (!problem && value.is_object()) event.data = std::move(value.get_object());
  }
  return event;
}

}  // namespace

std::vector<DaemonEvent> EventParser::take(std::string_view bytes) {
  rest_ += bytes;
  std::vector<DaemonEvent> events;
  std::size_t from = 0;
  for (std::size_t end = 0; (end = rest_.find("\n\n", from)) != std::string::npos; from = end + 2) {
    DaemonEvent event = event_of(std::string_view(rest_).substr(from, end - from));
    if (!event.what.empty()) events.push_back(std::move(event));
  }
  rest_.erase(0, from);
  if (rest_.size() > longest_event) rest_.clear();
  return events;
}

std::vector<DaemonEvent> DaemonEvents::take(Duration at_most) {
  std::string bytes;
  switch (client_.read(bytes, at_most)) {
    case http::Client::Read::bytes:
      return parser_.take(bytes);
    case http::Client::Read::nothing_yet:
      break;
    case http::Client::Read::end:
      ended_ = true;
      break;
  }
  return {};
}

}  // namespace pollux::cli
