#include "engine/notices.hpp"

#include "pollux/base/text.hpp"
#include "pollux/notify/rules.hpp"

#include <memory>
#include <utility>

namespace pollux::engine {
namespace {

using Topic = notify::Event;

store::NoticeRow notice_of(Topic event, const PageRecord& page, const Moment& at) {
  store::NoticeRow notice;
  notice.page = page.id;
  notice.event = notify::name_of(event);
  notice.at = at.wall;
  notice.url = page.url.str();
  return notice;
}

void add(std::vector<store::NoticeRow>& to, const notify::Rules& rules, Topic event,
         const Polled& polled, std::string summary, const Moment& at) {
  std::vector<store::NoticeWish> wishes = notify::wishes(rules, {.event = event,
                                                                 .url = polled.page.url.view(),
                                                                 .importance = polled.importance,
                                                                 .at = at.wall,
                                                                 .since = polled.seen});
  if (wishes.empty()) return;
  store::NoticeRow notice = notice_of(event, polled.page, at);
  notice.since = polled.seen;
  notice.summary = std::move(summary);
  notice.why = why_polled(polled);
  if (event == Topic::moved) notice.link = polled.page.moved_to.str();
  notice.wishes = std::move(wishes);
  to.push_back(std::move(notice));
}

// Since when and until when is the change's own business.
void put_on_change(const notify::Rules& rules, const Polled& polled, Outcome& outcome,
                   const Moment& at) {
  std::vector<store::NoticeWish> wishes = notify::wishes(rules, {.event = Topic::change,
                                                                 .url = polled.page.url.view(),
                                                                 .importance = polled.importance,
                                                                 .at = at.wall});
  if (wishes.empty()) return;
  store::NoticeRow notice = notice_of(Topic::change, polled.page, at);
  notice.diff = std::move(outcome.diff);
  notice.why = why_polled(polled);
  notice.wishes = std::move(wishes);
  outcome.change->notice = std::make_shared<const store::NoticeRow>(std::move(notice));
}

std::optional<Topic> event_of(Health health) {
  switch (health) {
    case Health::suspect:
      return Topic::suspect;
    case Health::selector:
      return Topic::selector;
    case Health::noisy:
      return Topic::noisy;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string why_polled(const Polled& polled) {
  switch (polled.flight.reason) {
    case schedule::Reason::share:
      return "it was its turn, by its share of the budget";
    case schedule::Reason::explore:
      return "it was the page polled longest ago";
    case schedule::Reason::max_interval:
      return "its max_interval was over";
    case schedule::Reason::asked_for:
      return "somebody asked for it";
    case schedule::Reason::look:
      break;
  }
  return polled.sibling.empty() ? "another page had changed"
                                : "another page had changed: " + printable_url(polled.sibling);
}

std::vector<store::NoticeRow> take_notices(const notify::Rules& rules, const Polled& polled,
                                           Outcome& outcome, const Moment& at) {
  std::vector<store::NoticeRow> notices;
  const PageRecord& page = polled.page;
  if (outcome.change) put_on_change(rules, polled, outcome, at);
  if (!outcome.conclusive() && outcome.failed_before == 0)
    add(notices, rules, Topic::failing, polled, outcome.error, at);
  if (page.error_streak == 0 && outcome.failed_before > 0)
    add(notices, rules, Topic::recovered, polled, {}, at);
  if (outcome.moved)
    add(notices, rules, Topic::moved, polled, "moved to " + page.moved_to.str(), at);
  if (page.health != outcome.health_before) {
    if (const std::optional<Topic> event = event_of(page.health))
      add(notices, rules, *event, polled, health_reason(page, outcome.error), at);
  }
  return notices;
}

std::vector<store::NoticeRow> denial_notices(const notify::Rules& rules, const PageRecord& page,
                                             double importance, const std::string& reason,
                                             const Moment& at) {
  std::vector<store::NoticeRow> notices;
  static const Flight none;
  add(notices, rules, Topic::failing, {page, none, importance}, reason, at);
  return notices;
}

}  // namespace pollux::engine
