#include "learn/papers/estimator.hpp"

#include <cmath>

namespace pollux::learn {

double Estimator::rate(const Page& page) const {
  return estimated_rate(page.seen, {.hits = 0.5, .time = sweep_, .strength = 1});
}

void Estimator::add(PageSlot page, double, const std::optional<PageMemory>& memory) {
  if (index(page) >= pages_.size()) pages_.resize(index(page) + std::size_t{1});
  Page fresh{.seen = {}, .polls = 0};
  if (memory) {
    fresh.seen = {static_cast<float>(memory->slow_hits), static_cast<float>(memory->slow_hit_time),
                  static_cast<float>(memory->slow_miss_time)};
    fresh.polls = static_cast<float>(memory->position);
  }
  pages_[index(page)] = fresh;
  polls_ += static_cast<double>(fresh.polls);
  ++count_;
  stale_ = true;
}

void Estimator::remove(PageSlot page) {
  polls_ -= static_cast<double>(pages_[index(page)].polls);
  pages_[index(page)] = Page{};
  --count_;
  stale_ = true;
}

void Estimator::feed(PageSlot page, const Observation& seen) {
  if (!estimating()) return;
  Page& fed = pages_[index(page)];
  fed.seen.observe(seen.changed, seen.elapsed, 1.0F);
  fed.polls += 1;
  polls_ += 1;
  stale_ = true;
}

void Estimator::apply() const {
  stale_ = false;
  const double step = sweep_ / static_cast<double>(count_);
  for (std::uint32_t slot = 0; slot < pages_.size(); ++slot) {
    const Page& page = pages_[slot];
    values_.set(slot, page.polls < 0 ? 0 : -std::expm1(-rate(page) * step));
  }
}

double Estimator::share(PageSlot page) const {
  if (estimating()) return 1 / static_cast<double>(count_);
  if (stale_) apply();
  return values_.share(index(page));
}

std::optional<double> Estimator::change_rate(PageSlot page) const {
  if (pages_[index(page)].polls <= 0) return std::nullopt;
  return rate(pages_[index(page)]);
}

void Estimator::set_sweep(double seconds) {
  sweep_ = seconds;
  stale_ = true;
}

PageMemory Estimator::memory(PageSlot page) const {
  const Page& kept = pages_[index(page)];
  return {.slow_hits = static_cast<double>(kept.seen.hits),
          .slow_hit_time = static_cast<double>(kept.seen.hit_time),
          .slow_miss_time = static_cast<double>(kept.seen.miss_time),
          .position = static_cast<double>(kept.polls)};
}

std::size_t Estimator::memory_bytes() const {
  return sizeof(*this) + pages_.capacity() * sizeof(Page) + values_.memory_bytes();
}

}  // namespace pollux::learn
