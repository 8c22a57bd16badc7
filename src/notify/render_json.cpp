#include "pollux/notify/render.hpp"
#include "pollux/report/json.hpp"

#include <algorithm>

#include <boost/json/array.hpp>

namespace pollux::notify {
namespace {

constexpr std::size_t items_with_diff = 50;

std::string_view kind_of(Message::Kind kind) {
  switch (kind) {
    case Message::Kind::single:
      return "single";
    case Message::Kind::digest:
      return "digest";
    case Message::Kind::test:
      break;
  }
  return "test";
}

boost::json::object event_json(const Item& item, bool with_diff) {
  boost::json::array tags;
  for (const std::string& tag : item.tags) tags.emplace_back(tag);
  boost::json::object links;
  if (!item.url.empty()) links["page"] = item.url;
  if (!item.link.empty()) links["moved_to"] = item.link;
  return {{"id", item.id},
          {"event", name_of(item.event)},
          {"at", report::json_time(item.at)},
          {"since", report::json_time(item.since)},
          {"name", report::json_text_or_null(item.name)},
          {"url", report::json_text_or_null(item.url)},
          {"tags", std::move(tags)},
          {"change_id", item.change_id != 0 ? boost::json::value(item.change_id) : nullptr},
          {"summary", report::json_text_or_null(item.summary)},
          {"diff", with_diff && !item.diff.empty() ? report::json_utf8(item.diff) : nullptr},
          {"why", report::json_text_or_null(item.why)},
          {"links", std::move(links)}};
}

}  // namespace

boost::json::object json_of(const Message& message) {
  boost::json::array events;
  for (const Item& item : message.items)
    events.push_back(event_json(item, events.size() < items_with_diff));
  return {{"version", 1},
          {"key", message.key},
          {"rule", message.rule},
          {"kind", kind_of(message.kind)},
          {"title", title_of(message)},
          {"sent_at", report::json_time(message.sent_at)},
          {"count", message.count},
          {"events", std::move(events)}};
}

}  // namespace pollux::notify
