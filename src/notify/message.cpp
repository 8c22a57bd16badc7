#include "pollux/notify/message.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::notify {
namespace {

Event event_of(std::string_view name) {
  const auto found = std::ranges::find(event_names, name);
  if (found == event_names.end()) return Event::system;
  return static_cast<Event>(found - event_names.begin());
}

std::vector<std::string> tags_of(const std::string& list) {
  std::vector<std::string> tags;
  const boost::json::value read = report::json_tags(list);
  if (const auto* all = read.if_array()) {
    for (const boost::json::value& tag : *all) {
      if (tag.is_string()) tags.push_back(visible(std::string_view(tag.as_string())));
    }
  }
  return tags;
}

Item item_of(const store::NoticeView& view) {
  Item item;
  item.id = view.id;
  item.change_id = view.change_id;
  item.event = event_of(view.row.event);
  item.at = view.row.at;
  item.since = view.row.since;
  item.name = visible(view.name);
  item.url = printable_url(view.row.url);
  item.tags = tags_of(view.tags);
  item.summary = visible(view.row.summary);
  item.diff = view.row.diff;
  item.why = visible(view.row.why);
  item.link = printable_url(view.row.link);
  return item;
}

std::string what_happened(Event event) {
  switch (event) {
    case Event::change:
      return "changed";
    case Event::failing:
      return "cannot be polled";
    case Event::recovered:
      return "can be polled again";
    case Event::suspect:
      return "shows something that is not believed";
    case Event::selector:
      return "has nothing that its selector matches";
    case Event::moved:
      return "has moved";
    case Event::noisy:
      return "differs at every look";
    case Event::system:
      break;
  }
  return "";
}

}  // namespace

std::string visible(std::string_view text, std::size_t most) {
  return printable(text, most);
}

// The time tells ids apart that a restored backup gives out again.
Message message_of(const store::MessageView& view, const std::string& rule,
                   const std::string& database_id, WallTime now) {
  Message message;
  message.kind = view.count > 1 ? Message::Kind::digest : Message::Kind::single;
  message.key = fmt::format("{}-{}-{}", database_id.substr(0, 8), view.id,
                            view.first_at.time_since_epoch().count());
  message.rule = rule;
  message.sent_at = now;
  message.count = view.count;
  for (const store::NoticeView& notice : view.notices) message.items.push_back(item_of(notice));
  return message;
}

Message sample(const std::string& rule, WallTime now) {
  Message message;
  message.kind = Message::Kind::test;
  message.key = fmt::format("test-{}", now.time_since_epoch().count());
  message.rule = rule;
  message.sent_at = now;
  message.count = 1;
  Item item;
  item.event = Event::change;
  item.at = now;
  item.since = now - std::chrono::minutes(10);
  item.name = "A page that does not exist";
  item.url = "https://example.org/prices";
  item.tags = {"sample"};
  item.summary = "price 99.90 → 94.90";
  item.diff = " Bolts & nuts\n-price 99.90 per <box>\n+price 94.90 per <box>";
  item.why = "this is a test: `pollux notify --test " + rule + "`";
  message.items.push_back(std::move(item));
  return message;
}

std::string name_of(const Item& item) {
  if (!item.name.empty()) return item.name;
  return item.url.empty() ? "Pollux" : item.url;
}

std::string headline_of(const Item& item) {
  if (item.event == Event::system) return "Pollux";
  return name_of(item) + " " + what_happened(item.event);
}

std::string title_of(const Message& message) {
  const std::string test = message.kind == Message::Kind::test ? "Test: " : "";
  if (message.count <= 1 && message.items.size() == 1) {
    const Item& item = message.items.front();
    return test + headline_of(item) + (item.summary.empty() ? "" : ": " + item.summary);
  }
  std::array<std::int64_t, event_names.size()> counts{};
  for (const Item& item : message.items) ++counts[static_cast<std::size_t>(item.event)];
  // Of those that are not listed nobody knows what they were.
  const auto others = message.count - static_cast<std::int64_t>(message.items.size());
  std::string title = count_of(message.count, "event");
  std::string parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0)
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", counts[i], event_names[i]);
  }
  if (others > 0) parts += fmt::format(", {} not listed", others);
  return test + title + ": " + parts;
}

std::string when_of(const Item& item) {
  if (!item.since) return "at " + report::time_text(item.at);
  return "between " + report::time_text(*item.since) + " and " + report::time_text(item.at);
}

std::vector<std::string> lines_of(const Item& item) {
  std::vector<std::string> lines{headline_of(item) + " " + when_of(item)};
  if (!item.summary.empty()) lines.push_back(item.summary);
  if (!item.url.empty()) lines.push_back(item.url);
  if (!item.link.empty()) lines.push_back("now at " + item.link);
  if (!item.why.empty()) lines.push_back("Polled then: " + item.why);
  return lines;
}

}  // namespace pollux::notify
