// Shares → who is polled now. Earliest deadline first, in virtual time, under limits.
//
// Every page has a tag on a virtual time line; the eligible page with the smallest tag is served
// and its next tag is 1/share later. Because the line is advanced by what is served, pages are
// served in the ratio of their shares whatever the budget, and nothing must be recomputed when
// shares drift. The few pages with the largest shares go first when they are later, for their
// period, than the page with the smallest tag. Each host has a time line of its own, joined to the
// global one by an offset: a host held back by politeness falls behind, keeps the right ratios
// among its own pages, and forgets what it missed instead of coming back with a burst.
//
// Limits: a page is never polled sooner than min_interval after its last start, nor while it is in
// flight or backing off; a page is polled at the latest max_interval after its last start, before
// everybody else, if the host lets it (when the budget cannot pay for all max_intervals they are
// stretched by one common factor). A share `explore` of the polls goes to the page polled longest
// ago. Work per call O(log n), amortised. Threading: one owner.
//
// Looks that the policy proposes (Policy::take_looks) are polls out of turn: they obey every limit
// above, wait with their host while it must, and are made best first. Of the polls at most `follow`
// are looks as long as anybody else could be polled.
//
// A poll that cost several requests (redirects, and what they lead to) counts for as many polls:
// the page's next tag is so many periods later, and what comes before its tag (max_interval,
// exploring) leaves a minute for each of them. So a page has its share of the requests and not of
// the polls, wherever it is redirected to.
#pragma once

#include "pollux/base/ids.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/base/time.hpp"
#include "pollux/learn/policy.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace pollux::schedule {

struct Limits {
  Duration min_interval = std::chrono::seconds(5);
  Duration max_interval = std::chrono::hours(24);
  bool operator==(const Limits&) const = default;
};

struct Politeness {
  // From the end of a request to the next one, and from one that is sent to the next.
  Duration delay = std::chrono::seconds(1);
  int connections = 1;  // requests in flight at a time
};

enum class Sent { no, yes };

struct Options {
  double budget = 1;      // polls per second; infinity for none
  double explore = 0.03;  // part of the polls that goes to the page polled longest ago
  double follow = 0.5;    // part of the polls that may be looks; 0: none are made
  std::uint64_t seed = 0;
};

// Why a page was chosen: for `explain`, statistics and tests.
enum class Reason { share, explore, max_interval, asked_for, look };
struct Choice {
  PageSlot page;
  Reason reason;
  Instant last_start{};                  // as it was before, for decline()
  std::optional<learn::Look> look = {};  // Reason::look: to be told to the policy with the outcome
  bool look_paid = false;                // out of the part of the polls that may be looks
};

// Who wants a connection of a host: a poll of its pages and what belongs to it, or a redirect.
enum class Taker : std::uint8_t { own, guest };

class Scheduler {
 public:
  // The policy outlives the scheduler and is fed by the caller.
  Scheduler(const Options& options, learn::Policy& policy);
  ~Scheduler();

  // Hosts first, then their pages. The policy must know a page before it is added here (all of
  // them, at start, so that shares are final), and pages come longest-ago-polled first. With
  // `last_start` a page goes on where it was; one that is long overdue gets a random phase, so
  // nothing bursts.
  void add_host(HostSlot host, const Politeness& politeness);
  void set_politeness(HostSlot host, const Politeness& politeness, Instant now);
  void add(PageSlot page, HostSlot host, const Limits& limits, Instant now,
           std::optional<Instant> last_start = std::nullopt,
           std::optional<Instant> not_before = std::nullopt);
  // Pages whose limits differ come longest-ago-polled first, too.
  void set_limits(PageSlot page, const Limits& limits);
  Instant last_start(PageSlot page) const;
  std::optional<Instant> back_off_end(PageSlot page) const;  // while it is backing off
  // Also while in flight: then finish() is not called any more, release_host() still is.
  void remove(PageSlot page);
  void set_budget(double per_second);
  void set_explore(double part);
  void set_follow(double part);

  // The page to poll now; the page is taken until finish(), a connection of its host until
  // release_host(). nullopt: nobody is eligible before wake_at().
  std::optional<Choice> next(Instant now);
  // This page, because somebody asked for it: whatever its turn, min_interval or back-off, but when
  // its host lets it. nullopt: not now, or it is in flight already.
  std::optional<Choice> take(PageSlot page, Instant now);
  // A look waits for nothing but its host, which is free at this moment, after `now` and not after
  // `before`: who can start just as well then should. Otherwise a host that is ready a moment after
  // each start of an even budget would lose every third of its turns.
  std::optional<Instant> look_soon(Instant now, Instant before) const;
  // Instant::min() when somebody is eligible now, Instant::max() when only a call can help.
  Instant wake_at() const;

  // The poll ended with a verdict or an error. Call after Policy::feed, so that the new share
  // counts. `not_before`: a back-off, or Retry-After, of this page. `requests`: what it cost.
  void finish(PageSlot page, Instant now, std::optional<Instant> not_before = std::nullopt,
              int requests = 1);

  // Right after next(), instead of a poll: as if the page had not been chosen, neither for itself
  // nor for its host; but it is not chosen again before `not_before`. Without that a look waits on.
  void decline(const Choice& choice, Instant now, std::optional<Instant> not_before = std::nullopt);

  // Every request ends with release_host. A request that is no page's own (a redirect's next hop,
  // robots.txt) begins with try_take_host, which says no when politeness does. Names, connections
  // and the budget may take any time before it is sent, so the delay counts from note_sent: until
  // then nobody else takes a host that has one. True: a connection is left for others, later.
  // Whom a redirect led there waits as long again, while pages of the host's own are due: however
  // many redirects lead to a host, it has a turn for its own pages between any two of them.
  bool try_take_host(HostSlot host, Instant now, Taker taker = Taker::own);
  bool note_sent(HostSlot host, Instant now);
  void release_host(HostSlot host, Instant now, Sent sent = Sent::yes);
  void note_ended(HostSlot host, Instant at);  // the last request did, in an earlier life
  // At least so long from the end of a request to the next one, until it is told otherwise.
  void set_pause(HostSlot host, Duration pause);
  void block_host(HostSlot host, Instant until);  // Retry-After for the whole host
  void delay_host(HostSlot host, Instant until);  // this once
  // Those whom redirects bring, while pages of its own are due.
  void delay_guests(HostSlot host, Instant until);
  // While it is held no page of the host is chosen; try_take_host does not mind.
  void hold_host(HostSlot host);
  void unhold_host(HostSlot host, Instant now);
  // Whether requests that are under way together must be kept apart, too.
  bool spaced(HostSlot host) const;
  // Instant::max() while all connections are taken, or one is not asked yet.
  Instant host_ready_at(HostSlot host, Taker taker = Taker::own) const;

  // An estimate, for people.
  Instant next_due(PageSlot page, Instant now) const;
  // Virtual time per second, smoothed: a page that no limit binds is polled every
  // 1/(share · virtual_rate) seconds. Above the budget where limits keep others from using theirs.
  // 0: nobody knows, or the policy plans moments instead of shares.
  double virtual_rate() const;
  double max_interval_stretch() const;  // 1 when every max_interval can be met
  std::size_t page_count() const;
  std::size_t memory_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::schedule
