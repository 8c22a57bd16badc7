// Synthetic pages: the page of rank k changes in a time step (a second, one poll) with probability
// alpha/k^beta.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/lab/world.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pollux::lab {

enum class Order { ranked, shuffled };
enum class Weights { none, uniform, two_level, correlated };

struct ZipfOptions {
  std::size_t pages = 512;
  double alpha = 0.9;
  double beta = 1.5;
  Order order = Order::shuffled;
  std::uint64_t perturbations = 0;  // swaps of a random page with its successor, before the start
  std::uint64_t switch_every = 0;   // polls after which one page swaps ranks with its successor
  std::uint64_t shuffle_at = 0;     // the poll at which all pages swap habits
  std::uint64_t reverse_every = 0;  // polls after which the first page becomes the last, and so on
  Updates updates = Updates::overwritten;
  Weights weights = Weights::none;
  std::uint64_t seed = 1;
};

class ZipfWorld final : public World {
 public:
  explicit ZipfWorld(const ZipfOptions& options);
  std::size_t pages() const override { return rank_of_.size(); }
  double importance(std::uint32_t page) const override { return importance_[page]; }
  double rate(std::uint32_t page) const override { return rate_of_rank_[rank_of_[page]]; }
  bool advance(double now) override;
  bool poll(std::uint32_t page, double now) override;

  // Steps from the first change that the last poll() found to that poll; only after it found one.
  double delay() const { return delay_; }

  // The largest expected importance of changes found per poll, were all rates known.
  double optimum() const;

 private:
  void swap_ranks(std::uint32_t upper, double now);
  void settle(std::uint32_t page, double now);  // counts the hazard up to now at the present rate
  void shuffle();
  void reverse();  // habits and importance

  ZipfOptions options_;
  Rng rng_;
  std::vector<double> rate_of_rank_;
  std::vector<double> cumulative_;  // of change probabilities, by rank
  std::vector<std::uint32_t> rank_of_, page_of_;
  std::vector<double> importance_;
  std::vector<double> hazard_, settled_at_;  // since the page was last polled
  std::uint64_t steps_ = 0;
  Rng moments_;  // of changes; apart, so that nothing else depends on them
  double delay_ = 0;
};

}  // namespace pollux::lab
