// How many fetches may be out, so that the queue of change detection neither starves nor overflows.
//
// The controller is told what happens, measures what a fetch and a detection take, and holds the
// switching curve that best_switched() gives for these rates; it solves anew when they drift. A
// fetch is "out" from its start until its page waits for detection or it ends without one.
//
// may_start() and the events cost a few arithmetic operations. Solving takes about a millisecond,
// at most twenty times a second and only while rates drift and detection is the bottleneck.
// Threading: one owner. Pure: time is what the caller says.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/concurrency/fetch_queue_model.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pollux::concurrency {

struct ControllerOptions {
  std::size_t fixed = 0;  // not 0: always so many, whatever is measured
  // So many at first, doubled up to `most` whenever they are not enough (grow()). 0: `most` at
  // once. Fewer than need be are cheaper: they fit the processor's caches.
  std::size_t first = 0;
  // At most so many out while answers come quickly: more would only wait for our own processor.
  std::size_t most = 256;
  // At most so many when answers are slow and more out do not make them slower. Not below `most`.
  std::size_t most_if_slow = 512;
  // γ: what an empty queue costs against a page that finds it full, per page that could be served.
  double starvation_weight = 2.4;
  // K. Pages that may wait: what the curve keeps between empty and full. The real queue holds more,
  // so that what is out when detection slows down still finds room.
  std::size_t queue = 256;
  std::uint64_t queue_bytes = 8u << 20;  // the same in bytes: fewer pages when they are large
  int servers = 1;                       // threads that detect
  // A budget bounds what comes in. Then whenever nothing waits one more may go out, however many
  // would keep detection busy: those that are out may all be waiting for servers that stall.
  bool paced = false;
};

enum class Behind : std::uint8_t { no, yes };

class Controller {
 public:
  explicit Controller(const ControllerOptions& options);

  bool may_start() const { return out_ < limit() && wants_more(); }
  // Time goes by, also when nothing happens. A fetch that has been out for long waits for its
  // server: it brings detection no work for now, so it is not counted among those that would.
  void pass(Instant now);
  // Everything that may be out is, and there is more to fetch. `behind`: a budget is not being used
  // up; otherwise more only help while servers, not we, are what fetches wait for. Whether one more
  // may start now.
  bool grow(Behind behind);
  bool could_start(Behind behind) const { return may_start() || may_grow(behind); }
  void started(Instant now);
  void arrived(Instant now, Duration away, std::uint64_t bytes);  // with a page, which waits now
  void returned(Instant now, Duration away);                      // with nothing to detect
  void withdrawn(Instant now);                                    // before it did anything
  void detected(Instant now);                                     // a page has left the queue
  // `pages` have kept a server busy for so long in all. Never called where pages come with their
  // hash: then nothing is known of detection, and it limits nothing.
  void served(std::size_t pages, double busy_seconds);
  void overflowed() { ++overflows_; }  // a page found the real queue full

  // From now on; what is out already stays out.
  void set_limits(const ControllerOptions& options, Instant now);

  std::size_t out() const { return out_; }
  std::size_t waiting() const { return waiting_; }
  std::size_t allowed() const { return allowed_; }
  std::size_t limit() const;   // what may be out when nothing waits
  double fetch_rate() const;   // pages per second that one fetch brings; 0 before the first
  double detect_rate() const;  // pages per second that all servers can take; 0 before the first

  struct Counts {
    double starved_seconds = 0;  // nothing waited although as many were out as may be
    std::uint64_t overflows = 0;
    std::uint64_t solutions = 0;  // how often the curve was computed anew
  };
  Counts take_counts(Instant now);  // since the last call

 private:
  // An average that follows: of the first few samples exact, then the last ones weigh most.
  struct Average {
    double value = 0, samples = 0;
    void add(double sample, double weight, double memory);
  };
  // As far as detection is concerned.
  bool wants_more() const {
    return out_ - hanging_ < allowed_ || (options_.paced && waiting_ == 0);
  }
  bool may_grow(Behind behind) const;
  void begin_trial(std::size_t number);
  void judge_trial(Instant now);
  void moved();
  void left(Duration away);
  void came_back(Duration away, double pages);
  void reconsider(Instant now);
  void judge_answers(Instant now);
  void solve();
  void follow_curve(double needed);
  double fetches_needed() const;
  std::size_t room() const;

  ControllerOptions options_;
  std::vector<std::uint32_t> allowed_at_;  // by pages waiting
  std::size_t out_ = 0, waiting_ = 0, allowed_ = 0;
  // Of those out: how many started in each part of the last moments, and how many did before.
  static constexpr std::size_t parts = 8;
  std::array<std::size_t, parts> started_{};
  std::int64_t part_ = 0;  // the present one
  std::size_t hanging_ = 0;
  Average away_, with_page_, service_, body_;  // seconds; part of the fetches; seconds; bytes
  std::size_t grown_ = 0;                      // what `first` has become
  // Without a budget: whether another number out, grown_, is the better one.
  struct Trial {
    std::size_t before = 0;   // the number that it is compared with; 0: no trial
    double answer = 0;        // seconds, with that number
    std::size_t to_skip = 0;  // answers that do not count
    Instant next{};           // not before
    Duration pause{};
    bool running() const { return before > 0; }
  };
  Trial trial_;
  bool slow_answers_ = false;  // more than options_.most may be out
  Average answer_;             // seconds, as away_, over more of them
  double answer_before_ = 0;   // before more went out
  Instant tried_{}, next_try_{};
  Duration pause_{};
  double solved_for_ = 0;  // fetches that keep the servers just busy; 0: not solved
  std::size_t solved_limit_ = 0;
  Instant next_solution_{}, passed_{};
  std::uint64_t solutions_ = 0, overflows_ = 0;
  double starved_ = 0;
};

}  // namespace pollux::concurrency
