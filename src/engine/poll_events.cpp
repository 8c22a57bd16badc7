#include "engine/poll_events.hpp"

#include "engine/page_log.hpp"
#include "pollux/base/url.hpp"

#include <string>

namespace pollux::engine {
namespace {

// Why a page was polled just then.
const char* word_for_reason(schedule::Reason reason) {
  switch (reason) {
    case schedule::Reason::share:
      return "its turn";
    case schedule::Reason::explore:
      return "not polled for long";
    case schedule::Reason::max_interval:
      return "max_interval";
    case schedule::Reason::asked_for:
      return "asked for";
    case schedule::Reason::look:
      break;
  }
  return "another page has changed";
}

}  // namespace

void PollEvents::polled(const PageRecord& page, const Flight& flight, const Outcome& outcome,
                        const Moment& at) const {
  Event event{.what = Event::What::poll, .at = at.wall, .url = page.url.str()};
  event.failed = !outcome.conclusive();
  event.text = event.failed ? outcome.error : word_for(outcome.verdict);
  event.detail = word_for_reason(flight.reason);
  event.status = flight.answer.status;
  event.milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(flight.answer.elapsed).count();
  hub_->tell(std::move(event));
  if (page.health == outcome.health_before) return;
  Event health{.what = Event::What::health, .at = at.wall, .url = page.url.str()};
  health.text = health_reason(page, outcome.error);
  health.detail = name_of(page.health);
  hub_->tell(std::move(health));
}

void PollEvents::denied(const PageRecord& page, schedule::Reason reason,
                        const RobotsBook::Denial& denial, const Moment& at) const {
  Event event{.what = Event::What::poll, .at = at.wall, .url = page.url.str()};
  event.text = denial.reason;
  event.detail = word_for_reason(reason);
  hub_->tell(std::move(event));
}

void PollEvents::changed(const std::vector<store::ChangeRow>& changes) const {
  if (!heard()) return;
  for (const store::ChangeRow& change : changes) {
    Event event{.what = Event::What::change, .at = change.found_at, .url = change.url};
    event.text = change.summary;
    event.id = change.id;
    event.status = change.status;
    hub_->tell(std::move(event));
  }
}

}  // namespace pollux::engine
