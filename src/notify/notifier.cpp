#include "pollux/notify/notifier.hpp"

#include "notify/courier.hpp"
#include "pollux/base/units.hpp"
#include "pollux/notify/rules.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::notify {
namespace {

constexpr auto failing_for_long = std::chrono::hours(24);

std::vector<std::string> names_of(const Rules& rules) {
  std::vector<std::string> names;
  for (const Rule& rule : rules) names.push_back(rule.name);
  return names;
}

Message urgent_message(const Rule& rule, const std::string& summary, WallTime now) {
  Message message;
  message.key = fmt::format("now-{}-{}", rule.name, now.time_since_epoch().count());
  message.rule = rule.name;
  message.sent_at = now;
  message.count = 1;
  Item item;
  item.event = Event::system;
  item.at = now;
  item.summary = visible(summary);
  message.items.push_back(std::move(item));
  return message;
}

}  // namespace

// Couriers belong to the thread that looks after them: ending one may take a moment.
struct Notifier::State {
  Outbox& outbox;
  const NotifierOptions options;
  const Clock& clock;

  std::mutex mutex;  // of what follows; held for moments
  std::condition_variable changed;
  Rules rules;
  bool rules_are_new = true, stopping = false;
  std::chrono::steady_clock::time_point give_up_at{};  // meaningful when stopping
  std::vector<std::shared_ptr<Courier>> couriers;

  std::thread thread;

  State(Rules wanted, Outbox& to, NotifierOptions how, const Clock& used)
      : outbox(to), options(std::move(how)), clock(used), rules(std::move(wanted)) {}

  void work();
  void use(const Rules& wanted);
  void look_for_failing(const Rules& wanted);
  std::vector<std::shared_ptr<Courier>> all() {
    const std::lock_guard lock(mutex);
    return couriers;
  }
};

void Notifier::State::use(const Rules& wanted) {
  std::vector<std::shared_ptr<Courier>> kept, gone;
  std::vector<const Rule*> fresh;
  std::vector<std::shared_ptr<Courier>> before = all();
  for (const Rule& rule : wanted) {
    const auto same =
        std::ranges::find_if(before, [&](const auto& courier) { return courier->rule() == rule; });
    if (same != before.end()) {
      kept.push_back(*same);
    } else {
      fresh.push_back(&rule);
    }
  }
  for (const auto& courier : before) {
    if (std::ranges::find(kept, courier) == kept.end()) gone.push_back(courier);
  }
  {
    const std::lock_guard lock(mutex);
    couriers = kept;
  }
  // Two couriers of one name would send one message twice: the old one ends first.
  for (const auto& courier : gone) courier->stop();
  const auto deadline = std::chrono::steady_clock::now() + options.grace;
  for (const auto& courier : gone) {
    if (!courier->ended_by(deadline)) courier->cancel();
  }
  gone.clear();
  before.clear();  // nobody holds them any more: here their threads end
  outbox.give_up_others(names_of(wanted));
  for (const Rule* rule : fresh) {
    auto courier = std::make_shared<Courier>(*rule, outbox, options, clock);
    const std::lock_guard lock(mutex);
    couriers.push_back(std::move(courier));
  }
}

// Told once a day at most: its key is the day.
void Notifier::State::look_for_failing(const Rules& wanted) {
  if (!any_wants(wanted, Event::system)) return;
  const auto reader = store::Reader::open(options.database);
  if (!reader) return;
  const WallTime now = clock.wall();
  const Result<std::int64_t> pages = (*reader)->failing_since(now - failing_for_long);
  if (!pages || *pages == 0) return;
  outbox.tell(system_notice(
      wanted,
      fmt::format("{} could not be polled for more than a day; `pollux pages --order errors` lists "
                  "them",
                  count_of(*pages, "page")),
      "failing " + format_time(now).substr(0, 10), now));
}

void Notifier::State::work() {
  auto next_look = clock.now() + options.first_look;
  std::unique_lock lock(mutex);
  while (!stopping) {
    if (std::exchange(rules_are_new, false)) {
      const Rules wanted = rules;
      lock.unlock();
      use(wanted);
      lock.lock();
      continue;
    }
    if (clock.now() >= next_look) {
      const Rules wanted = rules;
      lock.unlock();
      look_for_failing(wanted);
      next_look = clock.now() + options.look_every;
      lock.lock();
      continue;
    }
    const auto length = std::clamp<Duration>(next_look - clock.now(), std::chrono::milliseconds(1),
                                             std::chrono::minutes(1));
    changed.wait_for(lock, length, [this] { return stopping || rules_are_new; });
  }
}

Notifier::Notifier(Rules rules, Outbox& outbox, NotifierOptions options, const Clock& clock)
    : state_(std::make_unique<State>(std::move(rules), outbox, std::move(options), clock)) {
  state_->thread = std::thread([this] { state_->work(); });
}

Notifier::~Notifier() {
  stop();
  finish();
}

void Notifier::wake() {
  for (const auto& courier : state_->all()) courier->wake();
}

void Notifier::set_rules(Rules rules) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->rules == rules) return;
    state_->rules = std::move(rules);
    state_->rules_are_new = true;
  }
  state_->changed.notify_all();
}

void Notifier::tell_at_once(std::string summary) {
  const WallTime now = state_->clock.wall();
  for (const auto& courier : state_->all()) {
    if (courier->rule().when.events.has(Event::system))
      courier->tell_at_once(urgent_message(courier->rule(), summary, now));
  }
}

void Notifier::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    if (!std::exchange(state_->stopping, true))
      state_->give_up_at = std::chrono::steady_clock::now() + state_->options.grace;
  }
  state_->changed.notify_all();
  for (const auto& courier : state_->all()) courier->stop();
}

void Notifier::finish() {
  if (!state_->thread.joinable()) return;
  state_->thread.join();
  std::vector<std::shared_ptr<Courier>> ending;
  std::chrono::steady_clock::time_point deadline;
  {
    const std::lock_guard lock(state_->mutex);
    ending.swap(state_->couriers);
    deadline = state_->give_up_at;
  }
  for (const auto& courier : ending) courier->stop();
  for (const auto& courier : ending) {
    if (!courier->ended_by(deadline)) courier->cancel();
  }
}

}  // namespace pollux::notify
