#include "notify/courier.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::notify {
namespace {

// Somebody may set the clock: nobody sleeps longer than this without looking at it.
constexpr auto longest_sleep = std::chrono::seconds(30);
constexpr auto after_trouble = std::chrono::seconds(5);
constexpr std::size_t most_urgent = 16;

void log_outcome(const Rule& rule, const Message& message, const store::DeliveryChange& change) {
  using What = store::DeliveryChange::What;
  switch (change.what) {
    case What::sent:
      spdlog::debug("told {} ({}): {}", rule.name, message.key, title_of(message));
      break;
    case What::failed:
      spdlog::info("{} could not be told ({}): {}; another attempt at {}", rule.name, message.key,
                   change.error, format_time(change.next_attempt_at.value_or(WallTime{})));
      break;
    case What::dead:
      spdlog::warn("{} could not be told ({}): {}; given up: `pollux notify --failed` lists it",
                   rule.name, message.key, change.error);
      break;
    case What::grouped:
      break;
  }
}

}  // namespace

Courier::Courier(Rule rule, Outbox& outbox, const NotifierOptions& options, const Clock& clock)
    : rule_(std::move(rule)),
      outbox_(outbox),
      options_(options),
      clock_(clock),
      channel_(make_channel(rule_.to, options_.channels)),
      thread_([this] { work(); }) {}

Courier::~Courier() {
  cancel();
  thread_.join();
}

void Courier::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  wake_.notify_all();
}

void Courier::tell_at_once(Message message) {
  {
    const std::lock_guard lock(mutex_);
    if (urgent_.size() < most_urgent) urgent_.push_back(std::move(message));
    woken_ = true;
  }
  wake_.notify_all();
}

void Courier::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

void Courier::cancel() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = cancelled_ = true;
  }
  channel_->cancel();
  wake_.notify_all();
}

bool Courier::ended_by(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return wake_.wait_until(lock, deadline, [this] { return ended_; });
}

bool Courier::stopping() {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void Courier::work() {
  while (!stopping()) {
    send_urgent();
    if (!reader_) open();
    const std::optional<WallTime> until =
        reader_ ? deliver() : std::optional(clock_.wall() + after_trouble);
    if (until) wait(*until);
  }
  send_urgent();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
}

void Courier::open() {
  auto opened = store::Reader::open(options_.database);
  if (!opened) {
    spdlog::warn("{}: what waits to be told cannot be read: {}", rule_.name,
                 opened.error().message);
    return;
  }
  const auto meta = (*opened)->meta();
  if (!meta) return;
  const auto id = meta->find("database_id");
  database_id_ = id != meta->end() ? id->second : "0";
  reader_.emplace(options_.database, std::move(opened).value());
}

std::optional<WallTime> Courier::deliver() {
  const WallTime now = clock_.wall();
  {
    const std::lock_guard lock(mutex_);
    woken_ = false;  // what comes from now on is seen in the next round
  }
  const Result<store::OutboxHead> head = reader_->get().outbox(question(rule_, now));
  if (!head) {
    spdlog::warn("{}: what waits to be told cannot be read: {}", rule_.name, head.error().message);
    reader_.reset();
    return now + after_trouble;
  }
  const Step step = next_step(rule_, *head, now);
  switch (step.what) {
    case Step::What::wait:
      return step.wake.value_or(now + longest_sleep);
    case Step::What::group:
      save({.what = store::DeliveryChange::What::grouped,
            .rule = rule_.name,
            .message = step.message,
            .at = now,
            .last = step.last});
      return std::nullopt;
    case Step::What::send:
      return send(step.message, head->current);
  }
  return now;
}

std::optional<WallTime> Courier::send(std::int64_t id,
                                      const std::optional<store::OutboxHead::Message>& current) {
  const Result<store::MessageView> view = reader_->get().message(id, most_items);
  if (!view) {
    spdlog::warn("{}: what waits to be told cannot be read: {}", rule_.name, view.error().message);
    reader_.reset();
    return clock_.wall() + after_trouble;
  }
  if (view->notices.empty()) {
    save({.what = store::DeliveryChange::What::dead,
          .rule = rule_.name,
          .message = id,
          .at = clock_.wall(),
          .error = "its notification is gone"});
    return std::nullopt;
  }
  const Message message = message_of(*view, rule_.name, database_id_, clock_.wall());
  Sending sending{.newest = view->notices.front().row.at};
  if (current && current->id == id) {
    sending.attempts = current->attempts;
    sending.by_hand = current->by_hand;
  }
  const Attempt attempt = channel_->send(message);
  {
    // Given up for our own sake: that is no failure of the receiver's.
    const std::lock_guard lock(mutex_);
    if (cancelled_ && !attempt.delivered) return std::nullopt;
  }
  store::DeliveryChange change = after(rule_, id, sending, attempt, clock_.wall(), rng_);
  log_outcome(rule_, message, change);
  save(std::move(change));
  return std::nullopt;
}

// The next message does not leave before it is on disk what became of this one. While the disk does
// not work nothing is sent but what tells of that.
bool Courier::save(store::DeliveryChange change) {
  const auto saving = std::make_shared<Saving>();
  outbox_.save(std::move(change), [saving] {
    {
      const std::lock_guard lock(saving->mutex);
      saving->saved = true;
    }
    saving->done.notify_all();
  });
  while (true) {
    {
      std::unique_lock lock(saving->mutex);
      constexpr auto moment = std::chrono::milliseconds(100);
      if (saving->done.wait_for(lock, moment, [&] { return saving->saved; })) return true;
    }
    {
      const std::lock_guard lock(mutex_);
      if (cancelled_) return false;
    }
    send_urgent();
  }
}

void Courier::send_urgent() {
  while (true) {
    Message message;
    {
      const std::lock_guard lock(mutex_);
      if (urgent_.empty() || cancelled_) return;
      message = std::move(urgent_.front());
      urgent_.pop_front();
    }
    const Attempt attempt = channel_->send(message);
    if (!attempt.delivered)
      spdlog::warn("{} could not be told at once: {}", rule_.name, attempt.error);
  }
}

void Courier::wait(WallTime until) {
  const auto length = std::clamp<std::chrono::milliseconds>(
      until - clock_.wall(), std::chrono::milliseconds(1), longest_sleep);
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, length, [this] { return woken_ || stopping_; });
}

}  // namespace pollux::notify
