// Pages whose chance of a change depends on their age: `pollux lab ages`. Which policy keeps most
// copies up to date at the same budget?
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/lab/world.hpp"
#include "pollux/learn/policy.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pollux::lab {

// How long a page lives unchanged, all with the same mean:
//   periodic    the mean, give or take 5 % (normal)
//   bursty      seven times in ten a twentieth of the mean on the average, else 3.2 times it
//   memoryless  exponential
//   two-stage   document 002, eq. (3): first a motivation comes, then the maintainer responds, each
//               exponential
enum class Habit { periodic, bursty, memoryless, two_stage };

struct AgesOptions {
  std::size_t pages = 1000;
  // Taken in turns. Mean lifetimes are spread over a quarter to eight sweeps, log-uniformly.
  std::vector<Habit> habits{Habit::periodic, Habit::bursty, Habit::memoryless};
  double seconds_per_poll = 60;
  double last_modified = 0;  // the part of the pages that tell when they changed
  double response = 0.5;     // two-stage: the part of the mean that is the maintainer's response
  std::uint64_t seed = 1;
};

class AgesWorld final : public World {
 public:
  explicit AgesWorld(const AgesOptions& options);
  std::size_t pages() const override { return pages_.size(); }
  double rate(std::uint32_t page) const override { return 1 / pages_[page].mean; }
  bool poll(std::uint32_t page, double now) override;
  std::optional<double> modified_ago(std::uint32_t page, double now) const override;

  // The first change that the page's last poll has not seen: in the future, or how long the copy
  // has been out of date.
  double first_unseen(std::uint32_t page) const { return pages_[page].next; }

 private:
  struct Page {
    Habit habit;
    bool tells;
    double mean;
    double last, next;  // changes: the newest one seen, the first one not seen
  };
  double lifetime(const Page& page);

  Rng rng_;
  double response_;
  std::vector<Page> pages_;
};

struct AgesRun {
  AgesOptions world;
  std::string policy = "htraa";
  learn::Objective objective = learn::Objective::changes;
  bool age_model = true;
  learn::PaperOptions papers = {};
  double sweeps = 200;
  double warm_up = 0.5;  // the part of the sweeps that is not counted
};

struct AgesResult {
  std::uint64_t polls = 0;                      // counted ones
  double outdated = 0;                          // mean part of the pages that were out of date
  double age_s = 0;                             // mean time for which a page had been out of date
  double found = 0;                             // changes found per poll
  double median_delay_s = 0, mean_delay_s = 0;  // of those
};
AgesResult run_ages(const AgesRun& run);

}  // namespace pollux::lab
