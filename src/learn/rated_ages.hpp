// What a policy that looks at the right moment must know of every page: how often it changes (the
// estimates of htraa) and how that depends on its age. Threading: one owner.
#pragma once

#include "learn/age_model.hpp"
#include "learn/htraa.hpp"

#include <algorithm>
#include <optional>

namespace pollux::learn {

class RatedAges {
 public:
  // Without the age model every page is taken as memoryless, and its memory is not needed.
  explicit RatedAges(const Options& options)
      : by_age_(options.age_model), rates_(options.seed) {}

  void add(PageSlot page, const std::optional<PageMemory>& memory) {
    rates_.add(page, 1, memory);  // importance is the owner's
    if (by_age_) ages_.add(page, memory ? std::string_view(memory->age) : std::string_view());
  }
  void remove(PageSlot page) {
    rates_.remove(page);
    if (by_age_) ages_.remove(page);
  }
  void feed(PageSlot page, const Observation& seen) {
    if (by_age_) ages_.feed(page, seen, rate(page));
    rates_.feed(page, seen);
  }
  void set_sweep(double seconds) {
    sweep_ = seconds;
    rates_.set_sweep(seconds);
  }

  // Changes per second; of a page never polled half a change a sweep.
  double rate(PageSlot page) const {
    return std::max(known_rate(page).value_or(first_rate / sweep_), 1e-12);
  }
  std::optional<double> known_rate(PageSlot page) const { return rates_.change_rate(page); }
  AgeForecast forecast(PageSlot page) const {
    return by_age_ ? ages_.forecast(page, rate(page)) : AgeForecast(rate(page));
  }
  std::optional<double> outdated(PageSlot page, double waited) const {
    if (!known_rate(page)) return std::nullopt;
    return forecast(page).outdated(waited);
  }
  double curiosity() const { return rates_.curiosity(); }

  PageMemory memory(PageSlot page) const {
    PageMemory memory = rates_.memory(page);
    if (by_age_) memory.age = ages_.memory(page);
    return memory;
  }
  std::size_t memory_bytes() const { return rates_.memory_bytes() + ages_.memory_bytes(); }

  static constexpr double first_rate = 0.5;  // per sweep

 private:
  bool by_age_;
  Htraa rates_;
  AgeModel ages_;
  double sweep_ = 1;
};

}  // namespace pollux::learn
