// Figures over all pages and hosts, gathered a little at a time: a million pages would stop the
// polling for a while. Threading: the engine's thread.
#pragma once

#include "engine/lists.hpp"
#include "pollux/engine/snapshot.hpp"
#include "pollux/learn/next_poll.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace pollux::engine {

class PageWalk {
 public:
  // A share is a walk up the tree, whose nodes a large list has all over the memory: so many take
  // one or two milliseconds.
  static constexpr std::size_t pages_at_once = 1'000, hosts_at_once = 1'000;

  // `polled`: what all polls have found since the start; null: it is not known.
  explicit PageWalk(Lists& lists, std::function<learn::Polled()> polled = {})
      : lists_(lists), polled_(std::move(polled)) {}
  void step(Instant now);
  bool is_over() const { return sums_.next == 0 && next_host_ == 0; }  // the next step begins anew

  // Of the last walk that is over; what the next poll is worth: of a sweep, at the present budget.
  const std::optional<LearnerFigures>& learner() const { return learner_; }
  std::optional<std::size_t> blocked() const { return blocked_; }

 private:
  // Shares by their size, 4 to an octave: enough to draw the curve that the Gini coefficient is of.
  static constexpr std::size_t sizes = 256;
  struct Sums {
    std::size_t next = 0;  // slot
    std::uint64_t with_rate = 0;
    double shares = 0;
    double rates = 0, found = 0;  // per second
    learn::NextPoll next_poll;
    std::array<std::uint64_t, sizes> count{};
    std::array<double, sizes> share{};
  };
  void look_at(PageSlot slot, double all_polls);  // per second
  void finish_pages(Instant now);
  void value_next_poll();
  double sweep() const;   // seconds
  double budget() const;  // polls per second
  double gini() const;

  Lists& lists_;
  const std::function<learn::Polled()> polled_;
  learn::Polled polled_before_;  // at the end of the last walk
  Sums sums_;
  std::size_t next_host_ = 0, blocked_so_far_ = 0;
  learn::PollValue value_;
  Instant walked_ = Instant::min();
  std::optional<LearnerFigures> learner_;
  std::optional<std::size_t> blocked_;
};

}  // namespace pollux::engine
