// How the budget is divided. One policy = one class behind this interface; the daemon and
// the lab drive the same objects.
//
// A policy hears what polls found (feed) and answers how much of the budget each page deserves
// (share). It knows nothing of hosts, limits, clocks or the budget: the scheduler turns shares into
// deadlines. Work per call is O(log n). Time is passed in, in seconds on any monotonic line.
// Threading: one owner.
#pragma once

#include "pollux/base/ids.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::learn {

// What the budget is spent on.
enum class Objective {
  changes,    // as many changes found as possible
  freshness,  // as few copies out of date as possible
  age         // as little time out of date as possible
};

// As the configuration spells them, in their order.
inline constexpr std::string_view objective_names[] = {"changes", "freshness", "age"};
constexpr std::string_view name_of(Objective objective) {
  return objective_names[static_cast<std::size_t>(objective)];
}

// Observing is not equally dear everywhere: benefit per second of download (document 002, eq. 38).
struct CostOptions {
  bool by_time = false;
  // 0: importance counts per second; 1: large and distant pages are treated like all others.
  double bias_removal = 0;
  bool operator==(const CostOptions&) const = default;
};
// What a page's importance becomes when its download takes `seconds` (0: not known yet): divided by
// (seconds/0.2)^(1 − bias_removal), within a factor of a thousand. Only ratios matter to a policy.
double importance_by_cost(double importance, double seconds, const CostOptions& options);

// Where a policy of the documents is asked who is next.
enum class Edf {
  usual,     // inside the tree for htraa-rp, -ri and -ip; own_poll for the others
  exact,     // all deadlines are issued anew after every poll: O(n), for the lab
  own_poll,  // a deadline is renewed at a page's own poll
};

// What fpa's f is a part of. Document 001 says both: f divides the capacity between the classes
// (§5.2.1, §7.3.1), and M + f(R − M) = C for R pages, M of them polled in every slot, and capacity
// C. By the equation f = C/R leaves no room for a polled class, and the document's C/R is 0.1, the
// smallest f it tries.
enum class WaitingPartOf { capacity, waiting_class };

// Parameters of the documents' policies, for experiments; 0: as the documents have them, or as the
// head of the policy says where they are silent.
struct PaperOptions {
  int states = 0;           // N of htraa-rp, -ri, -ip (at the leaves), lakg, cgla and fpa
  bool doubling = false;    // htraa-rp, -ri, -ip: N doubles from each level to the one above
  double power = 0;         // lakg: the power λ of its grid (k/N)^λ
  double waiting_part = 0;  // fpa: f, what goes round the waiting class ...
  WaitingPartOf waiting_part_of = WaitingPartOf::capacity;  // ... of what
  double estimation = 0;  // estimator: polls per page in its first phase
  double discount = 1;    // two-step: κ of eq. (25), what tomorrow's cost counts against today's
  Edf edf = Edf::usual;
};

// The default policy's parts, each of which can be left out: for experiments (`lab ablation`).
struct Parts {
  bool two_speeds = true;  // a fast estimate beside the slow one
  bool trust = true;       // in whichever predicted better; otherwise half in each
  bool likeness = true;    // a list whose pages are alike is known by its mean rate
  bool quiet = true;       // pages that never changed weigh less where they hardly ever do
  bool automata = true;    // corrections of what the estimates say, node by node
  bool looks = true;       // at siblings of a page that changed unforeseen
  bool unrest = true;      // notices that the whole list changed its habits
  bool operator==(const Parts&) const = default;
};

struct Options {
  std::string policy = "htraa";
  std::uint64_t seed = 0;  // 0: from the system
  // Other objectives than `changes` are for htraa; the other policies have their own.
  Objective objective = Objective::changes;
  // Whether policies that know when to poll (objectives other than `changes`, greedy-…, two-step)
  // learn how the chance of a change depends on age; otherwise every page is taken as memoryless.
  bool age_model = true;
  CostOptions cost = {};
  PaperOptions papers = {};
  Parts parts = {};
};

// A page worth a poll out of its turn, because another one changed and nobody had foreseen it.
struct Look {
  PageSlot page{};
  PageSlot because{};  // whose change it was
  double worth = 0;    // the chance of a change, as far as it is known
  double value = 0;    // times importance: what the poll is worth; the largest goes first
  double since = 0;    // the moment after which the other page must have changed
  double until = 0;    // and the one by which the first of the burst was found
  double last = 0;     // the page's last poll when this was proposed
  bool trial = false;  // made to learn whether it pays
};

// What one conclusive poll showed.
struct Observation {
  bool changed = false;
  double elapsed = 0;  // seconds since the page's previous conclusive poll, > 0
  double now = 0;      // seconds
  // Seconds from the answer's Last-Modified to the poll, when it had one. May be wrong in any way.
  std::optional<double> modified_ago = {};
  std::optional<Look> look = {};  // the poll was one of take_looks()
  // The page is noisy, suspect or goes back and forth: its change says nothing of its siblings.
  bool alone = false;
};

// Where pages stand in the web: pages of a directory, a host, a domain are siblings.
class Places {
 public:
  virtual ~Places() = default;
  virtual std::string_view url(PageSlot page) const = 0;  // normalised; of every page there is
};

// What is kept of a page between runs: plain columns of the page table. A policy uses those it
// needs and leaves the rest at zero. Times in seconds.
struct PageMemory {
  double slow_hits = 0, slow_hit_time = 0, slow_miss_time = 0;  // slowly forgotten sums
  double fast_hits = 0, fast_hit_time = 0, fast_miss_time = 0;  // quickly forgotten sums
  double streak = 0;                                            // consecutive hits
  double position = 0;  // an automaton's own state, an interval or a trust: the policy's one number
  std::string age = {};  // an age model, packed; empty when the policy has none
};

// What a node of a policy's tree has learnt. Nodes of the default policy are named by what they
// stand for: the first of their pages, what its pages have in common, and how many there are. Those
// of published forms (`first_url` empty) by level, from the leaves (1 = parents of leaves; 0: not
// of a tree), and position from the left.
struct NodeMemory {
  std::uint32_t level = 0;
  std::uint32_t position = 0;
  double value = 0;  // an automaton's state; of a named node the correction of its left side's odds
  std::string first_url = {};
  std::string prefix = {};
  std::uint32_t pages = 0;
  double share = 0;             // of the budget
  double affinity = 0;          // the chance that a change on one side is one on the other, too
  double tried = 0, found = 0;  // looks across the node, the older the less
  bool gone = false;            // nothing has this name any more
};

// The probabilities for which a policy says when a copy will be out of date; the middle one is the
// moment at which the next change is expected.
inline constexpr std::array<double, 7> outdated_levels{0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98};

// How the scheduler turns the policy's answer into an order.
enum class Timeline {
  shared,   // pages are served in proportion to share(); only ratios matter
  absolute  // a page is due interval() seconds after its last poll, earliest first (peers' rules)
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::string_view name() const = 0;
  virtual Timeline timeline() const { return Timeline::shared; }

  // Told before the first add(); it outlives the policy. Without it pages stand in the order of
  // their slots. Only a policy that learns of sites minds.
  virtual void set_places(const Places*) {}

  // Slots are dense but may have holes. Adding a slot twice is an error. `memory` is what memory()
  // gave in an earlier run. A new page starts with a share of about 1/n.
  virtual void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) = 0;
  virtual void remove(PageSlot page) = 0;
  virtual void set_importance(PageSlot page, double importance) = 0;

  virtual void feed(PageSlot page, const Observation& seen) = 0;
  // This page will soon be fed: bring what is known of it into the cache.
  virtual void prefetch(PageSlot) const {}

  // The page's part of the budget now, > 0; over all pages they add up to 1 (up to rounding).
  virtual double share(PageSlot page) const = 0;
  // Timeline::absolute only: seconds from the last poll to the next.
  virtual double interval(PageSlot) const { return 0; }
  // Estimated changes per second; nullopt when the policy has no opinion (yet).
  virtual std::optional<double> change_rate(PageSlot) const { return std::nullopt; }
  // Seconds after the last conclusive poll at which the copy is out of date with the probabilities
  // of outdated_levels; empty: no more is known than change_rate(), as of a memoryless page.
  virtual std::vector<double> outdated_after(PageSlot) const { return {}; }
  // Whether Observation::modified_ago is of use.
  virtual bool wants_last_modified() const { return false; }
  // Timeline::absolute only: pages whose interval() changed although they were not polled. The
  // scheduler moves each in O(log n).
  virtual std::vector<PageSlot> take_moved() { return {}; }
  // The part of the polls that should go to the pages polled longest ago just now, above what the
  // user asked for: a policy whose predictions fail everywhere wants to poll everything again.
  virtual double curiosity() const { return 0; }
  // Looks proposed since the last call. The scheduler makes them as limits and budget allow, or
  // drops them; right before it makes one it asks whether it is still wanted.
  virtual std::vector<Look> take_looks() { return {}; }
  virtual bool still_wanted(const Look&) const { return false; }
  // The sweep time (seconds to poll every page once under the budget): the scale on which priors
  // and peers' limits are set. Called at start and when budget or list change.
  virtual void set_sweep(double seconds) = 0;

  virtual PageMemory memory(PageSlot page) const = 0;
  // Nodes whose value changed since the last call, at most `limit` of them.
  virtual std::vector<NodeMemory> take_changed_nodes(std::size_t /*limit*/) { return {}; }
  virtual void restore_nodes(std::span<const NodeMemory>) {}
  // The nodes above a page, the largest first, for people.
  virtual std::vector<NodeMemory> nodes_of(PageSlot) const { return {}; }
  // Bytes held, for `lab cost` and the benchmark.
  virtual std::size_t memory_bytes() const = 0;
};

// The table of policies: names in the order they are shown. Oracles (they must be told the true
// rates) are refused by the daemon.
struct PolicyInfo {
  std::string_view name;
  std::string_view summary;
  bool oracle;
};
std::span<const PolicyInfo> policies();
// nullptr when the name is unknown.
std::unique_ptr<Policy> make_policy(const Options& options);

}  // namespace pollux::learn
