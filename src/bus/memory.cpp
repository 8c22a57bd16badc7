#include "pollux/bus/memory.hpp"

#include "bus/memory_hub.hpp"
#include "pollux/bus/subject.hpp"

#include <algorithm>
#include <cassert>

namespace pollux::bus {
namespace {

class MemorySubscription final : public Subscription {
 public:
  MemorySubscription(std::shared_ptr<MemoryHub::State> hub, std::weak_ptr<Member> member,
                     std::shared_ptr<HeardSubject> heard)
      : hub_(std::move(hub)), member_(std::move(member)), heard_(std::move(heard)) {}
  ~MemorySubscription() override {
    heard_->open = false;
    const std::lock_guard lock(hub_->mutex);
    if (const auto member = member_.lock()) std::erase(member->subjects, heard_);
  }
  std::uint64_t dropped() const override { return heard_->dropped; }

 private:
  std::shared_ptr<MemoryHub::State> hub_;
  std::weak_ptr<Member> member_;
  std::shared_ptr<HeardSubject> heard_;
};

class MemoryBus final : public Bus {
 public:
  MemoryBus(std::shared_ptr<MemoryHub::State> hub, std::shared_ptr<Member> member)
      : hub_(std::move(hub)), member_(std::move(member)) {}
  ~MemoryBus() override;

  bool publish(std::string_view subject, std::string payload, std::string_view reply) override;
  std::unique_ptr<Subscription> subscribe(std::string_view subject,
                                          std::function<void(Message)> handler,
                                          std::size_t most_bytes) override;
  std::size_t largest_payload() const override { return hub_->options.largest_payload; }
  std::string new_inbox() override;
  bool connected() const override { return member_->told_connected; }
  std::string trouble() const override { return connected() ? "" : "the line is cut"; }
  void on_connection(std::function<void(bool)> listener) override {
    member_->listener = std::move(listener);
  }

  void get(std::string_view key, std::function<void(Result<std::optional<Entry>>)> done) override;
  void create(std::string_view key, std::string value,
              std::function<void(Wrote, std::uint64_t)> done) override;
  void update(std::string_view key, std::string value, std::uint64_t revision,
              std::function<void(Wrote, std::uint64_t)> done) override;
  void remove(std::string_view key, std::function<void(bool)> done) override;

 private:
  using Answer = std::function<void()>;
  // Runs `apply` at the hub, with its mutex held, and the answer it gives here; or `unreachable`.
  void call(std::function<Answer()> apply, Answer unreachable);
  void apply_call(const std::function<Answer()>& apply, const Answer& unreachable);

  std::shared_ptr<MemoryHub::State> hub_;
  std::shared_ptr<Member> member_;
};

MemoryBus::~MemoryBus() {
  std::multimap<Instant, LineEvent> never_run;  // ended after the mutex is free again
  const std::lock_guard lock(hub_->mutex);
  member_->alive = false;
  member_->timer.reset();
  never_run.swap(member_->events);
  std::erase(hub_->members, member_);
  for (const auto& other : hub_->members) other->last_from.erase(member_.get());
}

bool MemoryBus::publish(std::string_view subject, std::string payload, std::string_view reply) {
  if (!member_->told_connected || payload.size() > largest_payload() || !is_subject(subject)) {
    return false;
  }
  const std::lock_guard lock(hub_->mutex);
  if (member_->line.cut_off) return false;
  ++hub_->messages;
  hub_->bytes += subject.size() + payload.size();
  if (hub_->rng.chance(member_->line.lost)) return true;
  const Message message{std::string(subject), std::move(payload), std::string(reply)};
  if (hub_->deliver(*member_, message) || reply.empty()) return true;
  // The server tells nobody but the sender.
  const Message nobody{message.reply, "", "", true};
  for (const auto& heard : member_->subjects) {
    if (matches(heard->pattern, reply)) hub_->send_to(member_, *member_, nobody, heard);
  }
  return true;
}

std::unique_ptr<Subscription> MemoryBus::subscribe(std::string_view subject,
                                                   std::function<void(Message)> handler,
                                                   std::size_t most_bytes) {
  assert(is_pattern(subject));
  auto heard = std::make_shared<HeardSubject>();
  heard->pattern = subject;
  heard->handler = std::move(handler);
  heard->most_bytes = most_bytes;
  const std::lock_guard lock(hub_->mutex);
  member_->subjects.push_back(heard);
  return std::make_unique<MemorySubscription>(hub_, member_, std::move(heard));
}

std::string MemoryBus::new_inbox() {
  const std::lock_guard lock(hub_->mutex);
  return "_INBOX." + std::to_string(++hub_->inboxes);
}

void MemoryBus::call(std::function<Answer()> apply, Answer unreachable) {
  const std::lock_guard lock(hub_->mutex);
  const Instant now = hub_->clock.now();
  const Line& line = member_->line;
  if (line.cut_off || !member_->told_connected) {
    hub_->add_event(member_, now, {0, std::move(unreachable)});
  } else if (hub_->rng.chance(line.lost)) {
    hub_->add_event(member_, now + hub_->options.patience, {0, std::move(unreachable)});
  } else {
    // The event runs only while the member is alive, so as long as this object.
    hub_->add_event(member_, now + hub_->delay_of(line),
                    {0, [this, apply = std::move(apply), unreachable = std::move(unreachable)] {
                       apply_call(apply, unreachable);
                     }});
  }
}

void MemoryBus::apply_call(const std::function<Answer()>& apply, const Answer& unreachable) {
  const std::lock_guard lock(hub_->mutex);
  const Instant now = hub_->clock.now();
  const Line& line = member_->line;
  if (line.cut_off) {
    hub_->add_event(member_, now, {0, unreachable});
    return;
  }
  Answer answer = apply();
  if (hub_->rng.chance(line.lost)) {
    hub_->add_event(member_, now + hub_->options.patience, {0, unreachable});
  } else {
    hub_->add_event(member_, now + hub_->delay_of(line), {0, std::move(answer)});
  }
}

void MemoryBus::get(std::string_view key, std::function<void(Result<std::optional<Entry>>)> done) {
  assert(is_key(key));
  call(
      [this, key = std::string(key), done]() -> Answer {
        const Entry* entry = hub_->find(key);
        return [done, found = entry ? std::optional(*entry) : std::nullopt] { done(found); };
      },
      [done] { done(Error{"the bucket cannot be reached"}); });
}

void MemoryBus::create(std::string_view key, std::string value,
                       std::function<void(Wrote, std::uint64_t)> done) {
  update(key, std::move(value), 0, std::move(done));
}

void MemoryBus::update(std::string_view key, std::string value, std::uint64_t revision,
                       std::function<void(Wrote, std::uint64_t)> done) {
  assert(is_key(key));
  call(
      [this, key = std::string(key), value = std::move(value), revision, done]() -> Answer {
        const Entry* entry = hub_->find(key);
        if ((entry ? entry->revision : 0) != revision) return [done] { done(Wrote::conflict, 0); };
        return [done, now = hub_->put(key, value)] { done(Wrote::yes, now); };
      },
      [done] { done(Wrote::unreachable, 0); });
}

void MemoryBus::remove(std::string_view key, std::function<void(bool)> done) {
  assert(is_key(key));
  call(
      [this, key = std::string(key), done]() -> Answer {
        hub_->bucket.erase(key);
        return [done] { done(true); };
      },
      [done] { done(false); });
}

}  // namespace

MemoryHub::MemoryHub(const Clock& clock, MemoryOptions options)
    : state_(std::make_shared<State>(clock, std::move(options))) {}

std::unique_ptr<Bus> MemoryHub::join(EventLoop& loop, std::string name) {
  auto member = std::make_shared<Member>(loop, std::move(name));
  const std::lock_guard lock(state_->mutex);
  if (const auto line = state_->lines.find(member->name); line != state_->lines.end()) {
    member->line = line->second;
  }
  state_->members.push_back(member);
  state_->add_event(member, state_->clock.now(),
                    {0, [state = state_, raw = member.get()] { state->tell_connected(*raw); }});
  return std::make_unique<MemoryBus>(state_, std::move(member));
}

void MemoryHub::set_line(std::string_view name, const Line& line) {
  const std::lock_guard lock(state_->mutex);
  state_->lines.insert_or_assign(std::string(name), line);
  for (const auto& member : state_->members) {
    if (member->name == name) state_->set_line(member, line);
  }
}

std::uint64_t MemoryHub::messages() const {
  const std::lock_guard lock(state_->mutex);
  return state_->messages;
}

std::uint64_t MemoryHub::bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->bytes;
}

}  // namespace pollux::bus
