#include "engine/event_hub.hpp"

#include <algorithm>
#include <utility>

namespace pollux::engine {

class HubStream final : public EventStream {
 public:
  HubStream(std::shared_ptr<EventHub> hub, std::shared_ptr<EventHub::Listener> listener)
      : hub_(std::move(hub)), listener_(std::move(listener)) {}
  ~HubStream() override { hub_->leave(listener_); }
  std::vector<Event> take(std::size_t most) override { return hub_->take(*listener_, most); }

 private:
  std::shared_ptr<EventHub> hub_;
  std::shared_ptr<EventHub::Listener> listener_;
};

void EventHub::tell(Event event) {
  std::vector<std::shared_ptr<Listener>> to_wake;
  {
    const std::lock_guard lock(mutex_);
    event.number = next_number_++;
    events_.push_back(std::move(event));
    if (events_.size() > most_kept) events_.pop_front();
    for (const auto& listener : listeners_) {
      if (std::exchange(listener->asleep, false)) to_wake.push_back(listener);
    }
  }
  for (const auto& listener : to_wake) {
    const std::lock_guard lock(listener->mutex);
    if (listener->wake) listener->wake();
  }
}

std::unique_ptr<EventStream> EventHub::listen(std::function<void()> wake) {
  auto listener = std::make_shared<Listener>();
  listener->wake = std::move(wake);
  const std::lock_guard lock(mutex_);
  listener->next = next_number_;
  listener->asleep = true;
  listeners_.push_back(listener);
  streams_.store(listeners_.size(), std::memory_order_relaxed);
  return std::make_unique<HubStream>(shared_from_this(), std::move(listener));
}

void EventHub::leave(const std::shared_ptr<Listener>& listener) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(listeners_, listener);
    streams_.store(listeners_.size(), std::memory_order_relaxed);
    if (listeners_.empty()) events_.clear();
  }
  const std::lock_guard lock(listener->mutex);
  listener->wake = nullptr;
}

std::vector<Event> EventHub::take(Listener& listener, std::size_t most) {
  std::vector<Event> taken;
  const std::lock_guard lock(mutex_);
  const std::uint64_t oldest = next_number_ - events_.size();
  if (listener.next < oldest && most > 0) {
    Event gap{.what = Event::What::gap, .number = oldest - 1};
    if (!events_.empty()) gap.at = events_.front().at;
    gap.id = static_cast<std::int64_t>(oldest - listener.next);
    gap.text = std::to_string(gap.id) + " events were missed";
    taken.push_back(std::move(gap));
    listener.next = oldest;
  }
  while (taken.size() < most && listener.next < next_number_) {
    taken.push_back(events_[static_cast<std::size_t>(listener.next - oldest)]);
    ++listener.next;
  }
  listener.asleep = taken.empty();
  return taken;
}

}  // namespace pollux::engine
