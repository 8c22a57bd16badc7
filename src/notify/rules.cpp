#include "pollux/notify/rules.hpp"

#include "pollux/base/glob.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace pollux::notify {
namespace {

std::string tag_list(const std::vector<std::string>& tags) {
  if (tags.empty()) return {};
  boost::json::array list;
  for (const std::string& tag : tags) list.emplace_back(tag);
  return boost::json::serialize(list);
}

bool wants(const Rule& rule, const Happening& happening) {
  const When& when = rule.when;
  if (!when.events.has(happening.event)) return false;
  if (happening.event == Event::system) return true;  // it is about no page
  return happening.importance >= when.min_importance &&
         (when.match.empty() || glob_matches(when.match, happening.url));
}

// One that does not want to hear of errors cannot have heard of this one's beginning.
bool ended_too_soon(const Rule& rule, const Happening& happening) {
  return happening.event == Event::recovered && !rule.when.events.has(Event::failing) &&
         happening.since && happening.at - *happening.since < rule.failing_after;
}

}  // namespace

bool any_wants(const Rules& rules, Event event) {
  return std::ranges::any_of(rules, [&](const Rule& rule) { return rule.when.events.has(event); });
}

std::vector<store::NoticeWish> wishes(const Rules& rules, const Happening& happening) {
  std::vector<store::NoticeWish> all;
  for (const Rule& rule : rules) {
    if (!wants(rule, happening) || ended_too_soon(rule, happening)) continue;
    store::NoticeWish wish{.rule = rule.name};
    if (happening.event != Event::system) wish.tags = tag_list(rule.when.tags);
    if (happening.event == Event::failing && rule.failing_after > Duration::zero())
      wish.not_before =
          happening.at + std::chrono::duration_cast<std::chrono::milliseconds>(rule.failing_after);
    all.push_back(std::move(wish));
  }
  return all;
}

store::NoticeRow system_notice(const Rules& rules, std::string summary, std::string key,
                               WallTime at) {
  store::NoticeRow notice;
  notice.event = name_of(Event::system);
  notice.at = at;
  notice.summary = std::move(summary);
  notice.key = std::move(key);
  notice.wishes = wishes(rules, {.event = Event::system, .at = at});
  return notice;
}

}  // namespace pollux::notify
