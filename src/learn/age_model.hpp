// When does a page change next? Lifetimes and ages (document 002, §2.1–2.3) learnt from polls.
//
// Learning. A poll shows only whether the page changed since the one before, so neither its age nor
// the age at which it changed is known exactly: what happened is shared out over the age steps by
// the present curve (one step of expectation maximisation), and the moment of the last change is
// kept as a window that later polls narrow. `Last-Modified` replaces the window on pages where it
// has proven right. A step with few observations is drawn to the pooled curve: the hazards of all
// pages against their own mean rates, by age in mean lifetimes.
// Trust. On every page the curve competes with the memoryless estimate; the forecast is the mean of
// the two, weighted by how well each predicted the polls so far. So a memoryless page is treated
// as one, whatever noise its curve shows.
// Rates (changes per second) are the owner's: the model says how they depend on age. Time in
// seconds on the owner's line. Work per call is O(1). Threading: one owner.
#pragma once

#include "learn/age_curve.hpp"
#include "pollux/learn/policy.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::learn {

// What is to be expected of one page, as of its last conclusive poll. `waited`: seconds since then.
class AgeForecast {
 public:
  // Of a memoryless page.
  explicit AgeForecast(double rate);
  // The probability that our copy is out of date (eq. 13).
  double outdated(double waited) const;
  // The expected time for which it has been out of date (eq. 15).
  double time_outdated(double waited) const;
  // The wait after which the copy is out of date with this probability, at most `longest`.
  double wait_for(double probability, double longest) const;
  // The wait after which the expected time out of date is this, at most `longest`.
  double wait_for_time(double seconds, double longest) const;
  // The probability that the page changes within `later` of a poll made after `waited` (eq. 30).
  double outdated_after_poll(double waited, double later) const;

 private:
  friend class AgeModel;
  static constexpr std::size_t points = 6;
  AgeForecast(const Hazard& hazard, double rate) : hazard_(hazard), rate_(rate) {}
  double by_age(double waited) const;
  double by_rate(double waited) const;

  Hazard hazard_;
  double rate_;
  double trust_ = 0;                     // in the curve, 0 … 1
  std::array<double, points> age_{};     // at the last poll: equally likely births …
  std::array<double, points> weight_{};  // … times the survival since
};

class AgeModel {
 public:
  void add(PageSlot page, std::string_view memory);
  void remove(PageSlot page);
  // What one conclusive poll showed; `rate` is the owner's estimate before it.
  void feed(PageSlot page, const Observation& seen, double rate);
  AgeForecast forecast(PageSlot page, double rate) const;
  // 0 … 1: how much the forecast relies on ages.
  double trust(PageSlot page) const;
  bool trusts_last_modified(PageSlot page) const;

  // What is kept between runs; add() takes it back. Empty for a page never fed.
  std::string memory(PageSlot page) const;
  // The pooled curve, as numbers of which set_pool() takes any back.
  std::vector<double> pool() const;
  void set_pool(std::size_t at, double value);
  std::size_t memory_bytes() const;

 private:
  struct Page {
    AgeCounts counts;
    // The age at the last poll lies between the two; no change seen yet: oldest is infinite.
    float youngest = 0;
    float oldest = std::numeric_limits<float>::infinity();
    float advantage = 0;  // log likelihood of the curve over that of the memoryless estimate
    // How often Last-Modified fell between two polls that showed a change, and how often it did not
    // or moved without one.
    std::uint8_t right = 0, wrong = 0;

    std::string text() const;
    bool read(std::string_view list);  // false: not what text() gives

   private:
    template <typename Self, typename Visit>
    static void each(Self& self, Visit visit);
  };
  // All pages together, by age in mean lifetimes.
  struct Pool {
    static constexpr int bins = 20;
    std::array<double, bins> changes{}, expected{};
    static std::size_t bin(double lifetimes);
    double shape(double lifetimes) const;
  };

  Hazard hazard(const AgeCounts& counts, double rate) const;
  void learn(Page& page, const AgeForecast& before, const Observation& seen, double rate);
  static void judge_last_modified(Page& page, const Observation& seen);
  static void narrow(Page& page, const AgeForecast& before, const Observation& seen);

  std::vector<Page> pages_;
  Pool pool_;
};

}  // namespace pollux::learn
