// robots.txt of every host, as RFC 9309 wants it used: asked for when a page of the host is due and
// what is known is older than a day, never otherwise; obeyed; kept when it cannot be read for a
// while. A host whose robots.txt has never been readable is left alone, for thirty days at most.
//
// The facts live in the HostTable; this class is the only one that changes them. It sends nothing:
// the poll loop asks and brings the answer. One robots.txt serves a host:port, whatever the scheme.
// Rules take a bounded amount of memory: beyond it those not used lately are forgotten and asked
// for again. Threading: the engine's thread.
#pragma once

#include "engine/host_table.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/config/config.hpp"
#include "pollux/schedule/scheduler.hpp"
#include "pollux/store/rows.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pollux::engine {

struct RobotsOptions {
  Duration keep = std::chrono::hours(24);           // the RFC's longest; jittered downwards
  Duration first_retry = std::chrono::seconds(10);  // after a failure; doubles
  Duration longest_retry = std::chrono::hours(1);
  Duration give_up_after = std::chrono::hours(24 * 30);  // then everything is allowed
  std::size_t most_rule_bytes = 64u << 20;
};

class RobotsBook {
 public:
  RobotsBook(const config::Config& config, HostTable& hosts, schedule::Scheduler& scheduler,
             const RobotsOptions& options = {});

  // `ask`: robots.txt must be fetched first.
  enum class Answer : std::uint8_t { allowed, denied, ask };
  // `known`: what was said of this URL before, and is again while the rules are the same; kept up
  // to date. Rules may be as many as a server likes, so judging is work.
  Answer check(HostSlot host, std::string_view url, Instant now, RobotsVerdict* known = nullptr);
  bool must_ask(HostSlot host, Instant now);
  // Enough has been judged since begin_turn(): others want their turn, too.
  bool tired() const { return work_ > most_work_a_turn; }
  void begin_turn() { work_ = 0; }
  // After `denied`: why, for people, and when to ask again.
  struct Denial {
    std::string reason;
    Instant until{};
    bool unreachable = false;  // the network failed: the page would have failed as well
  };
  Denial denial(HostSlot host, Instant now, Rng& rng) const;

  // A request for it begins: pages of the host wait until learn() or give_up().
  void begin(HostSlot host);
  bool asking(HostSlot host) const;
  void give_up(HostSlot host, Instant now);  // nobody was asked

  // How the request ended, over all its redirects.
  struct Outcome {
    int status = 0;          // of the last answer; 0: there was none
    std::string error = {};  // what went wrong below HTTP; then the status does not count
    std::string text = {};   // the body of a 2xx
    std::optional<Duration> retry_after = {};
    bool not_asked = false;       // we refused to connect there
    bool for_a_redirect = false;  // of another host's page: a failure is soon asked about again
  };
  void learn(HostSlot host, const Outcome& outcome, Instant now, Rng& rng);

  // What to store of it.
  store::RobotsRow row(HostSlot host, const Moment& moment) const;
  // The configuration has changed.
  void reloaded();

 private:
  void end(HostSlot host, Instant now);
  void forget_other_product(HostRobots& robots) const;
  void learn_failure(HostRobots& robots, const Outcome& outcome, Instant now, Rng& rng);
  void make_room();

  const config::Config& config_;
  HostTable& hosts_;
  schedule::Scheduler& scheduler_;
  RobotsOptions options_;
  std::string product_;
  std::uint8_t product_number_ = 0;  // another one whenever a reload changed the name
  static constexpr std::size_t most_work_a_turn = 1'000'000;  // some milliseconds
  std::size_t work_ = 0;
  std::uint32_t copies_ = 0;    // numbered so far
  std::size_t rule_bytes_ = 0;  // an estimate: hosts may be forgotten without a word
};

// Puts a stored row back into the table, if its host is there and the row is for `user_agent`.
void restore_robots(const store::RobotsRow& row, const std::string& user_agent, HostTable& hosts,
                    const Moment& moment);

}  // namespace pollux::engine
