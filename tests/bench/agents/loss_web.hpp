// What agents poll while something is lost: hosts of which some take long, pages that change at
// known moments, and a log of what each request was shown, when, and through whose proxy it came.
// Checks limits, and whether every change that was shown was recorded, once.
//
// Threading: every public function from any thread.
#pragma once

#include "pollux/store/views.hpp"
#include "support/origin.hpp"
#include "support/proxy.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace pollux::bench {

using test::SteadyTime;

struct LossWebOptions {
  std::size_t quick_hosts = 60, slow_hosts = 12, pages_a_host = 4;
  std::chrono::milliseconds slow{700};
  std::vector<std::string> agents;
};

class LossWeb {
 public:
  struct Request {
    std::size_t host = 0, page = 0;
    std::size_t version = 0;
    std::string agent;
    SteadyTime came;
    std::optional<SteadyTime> answered = {};
  };
  explicit LossWeb(LossWebOptions options);

  std::string pages_yaml() const;
  // The proxy by which an agent reaches the web: it says who asks.
  std::string proxy_of(const std::string& agent) const { return proxies_.at(agent)->url(); }
  // Each page once, spread over so long from then on.
  void change_all(SteadyTime from, std::chrono::milliseconds spread);

  std::size_t hosts() const { return options_.quick_hosts + options_.slow_hosts; }
  std::size_t pages() const { return hosts() * options_.pages_a_host; }
  std::vector<Request> log() const;
  std::chrono::milliseconds lateness(SteadyTime from, SteadyTime to) const {
    return origin_.lateness(from, to);
  }

  struct Counted {
    std::size_t shown = 0;  // changes of pages
    std::size_t lost = 0, twice = 0, invented = 0;
    std::size_t unseen = 0;  // pages that have not been shown since their last change
  };
  // Of all changes until now. What is lost may only not have come yet; it is certain once nothing
  // is unseen and whoever recorded them has had time to write.
  Counted compare(const std::vector<store::ChangeView>& recorded) const;

 private:
  struct Wave {
    SteadyTime from;
    std::chrono::milliseconds spread;
  };
  test::Step answer(test::Exchange& exchange);
  std::size_t version(std::size_t page, SteadyTime now) const;  // with the mutex held
  static std::string body(std::size_t page, std::size_t version);
  std::string host_name(std::size_t host) const;
  std::string url(std::size_t page) const;

  const LossWebOptions options_;
  mutable std::mutex mutex_;
  std::vector<Wave> waves_;
  std::vector<Request> log_;
  test::Origin origin_{test::Origin::Options{.measure_lateness = true}};
  std::map<std::string, std::unique_ptr<test::Proxy>> proxies_;
};

// Of requests between two moments.
struct Limits {
  std::size_t fullest_second = 0;
  std::size_t gaps_broken = 0;  // requests of a host sooner than `delay` after the one before
  std::size_t overlaps = 0;     // while the one before was not answered, and not given up
};
Limits limits_of(const LossWeb& web, SteadyTime from, SteadyTime to,
                 std::chrono::milliseconds delay, std::chrono::milliseconds timeout);

// How long it took until hosts were asked again, by anybody but `lost` (empty: by anybody).
struct Recovery {
  std::vector<double> idle, busy;  // seconds; of hosts with nothing, or a request under way
  std::size_t never = 0;           // were not asked again
};
Recovery recovery_of(const LossWeb& web, const std::string& lost, SteadyTime injected,
                     SteadyTime end);

}  // namespace pollux::bench
