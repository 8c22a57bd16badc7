#include "bus/memory_hub.hpp"

#include "pollux/bus/subject.hpp"

#include <algorithm>

namespace pollux::bus {
namespace {

constexpr Duration latest_repeat = std::chrono::seconds(1);

}  // namespace

void MemoryHub::State::add_event(const std::shared_ptr<Member>& to, Instant at, LineEvent event) {
  to->events.emplace(at, std::move(event));
  wake(to);
}

void MemoryHub::State::wake(const std::shared_ptr<Member>& member) {
  if (member->posted || member->line.held || member->events.empty()) return;
  member->posted = true;
  // With the mutex held: without it the member may end meanwhile, and its loop after it.
  member->loop.post([self = shared_from_this(), member] { self->drain(member); });
}

bool MemoryHub::State::deliver(const Member& from, const Message& message) {
  bool heard = false;
  for (const auto& member : members) {
    if (member->line.cut_off) continue;
    for (const auto& subject : member->subjects) {
      if (!matches(subject->pattern, message.subject)) continue;
      heard = true;
      send_to(member, from, message, subject);
    }
  }
  return heard;
}

void MemoryHub::State::send_to(const std::shared_ptr<Member>& to, const Member& from,
                               const Message& message, const std::shared_ptr<HeardSubject>& heard) {
  if (rng.chance(to->line.lost)) return;
  const std::size_t size = message.subject.size() + message.payload.size();
  const int copies = rng.chance(from.line.twice) || rng.chance(to->line.twice) ? 2 : 1;
  Instant at = clock.now() + delay_of(from.line) + delay_of(to->line);
  Instant& last = to->last_from[&from];
  last = at = std::max(at, last);
  for (int copy = 0; copy < copies; ++copy) {
    if (heard->waiting + size > heard->most_bytes) {
      ++heard->dropped;
      return;
    }
    heard->waiting += size;
    const auto hand_over = [heard, message] {
      if (heard->open) heard->handler(message);
    };
    add_event(to, at, {to->connection, hand_over, heard, size});
    at += Duration(
        static_cast<Duration::rep>(rng.uniform() * static_cast<double>(latest_repeat.count())));
  }
}

std::vector<std::function<void()>> MemoryHub::State::take_due(Member& member) {
  std::vector<std::function<void()>> due;
  const Instant now = clock.now();
  while (!member.events.empty() && member.events.begin()->first <= now) {
    LineEvent event = std::move(member.events.begin()->second);
    member.events.erase(member.events.begin());
    if (event.heard) event.heard->waiting -= event.bytes;
    if (event.connection == 0 || event.connection == member.connection) {
      due.push_back(std::move(event.run));
    }
  }
  return due;
}

void MemoryHub::State::drain(const std::shared_ptr<Member>& member) {
  if (!member->alive) return;
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard lock(mutex);
    member->posted = false;
    if (member->line.held) return;
    due = take_due(*member);
    if (!member->events.empty()) {
      member->timer->arm(member->events.begin()->first,
                         [self = shared_from_this(), member] { self->drain(member); });
    }
  }
  for (const auto& run : due) {
    if (!member->alive) return;
    run();
  }
}

void MemoryHub::State::set_line(const std::shared_ptr<Member>& member, const Line& line) {
  const bool was_cut_off = std::exchange(member->line, line).cut_off;
  if (line.cut_off != was_cut_off) {
    ++member->connection;  // what was on its way is lost
    add_event(member, clock.now(), {0, [this, member] { tell_connected(*member); }});
  }
  wake(member);
}

void MemoryHub::State::tell_connected(Member& member) {
  bool connected = false;
  {
    const std::lock_guard lock(mutex);
    connected = !member.line.cut_off;
  }
  if (std::exchange(member.told_connected, connected) == connected) return;
  if (member.listener) member.listener(connected);
}

Entry* MemoryHub::State::find(const std::string& key) {
  const auto found = bucket.find(key);
  if (found == bucket.end()) return nullptr;
  if (found->second.ends <= clock.now()) {
    bucket.erase(found);
    return nullptr;
  }
  return &found->second.entry;
}

std::uint64_t MemoryHub::State::put(const std::string& key, std::string value) {
  bucket[key] = {{std::move(value), ++revision}, clock.now() + options.entries_live};
  return revision;
}

}  // namespace pollux::bus
