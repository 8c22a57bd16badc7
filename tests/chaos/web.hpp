// The web under chaos: every host of groups.hpp, good or bad as it is told, on two origins (plain
// and TLS). It tells the observer what arrives and what it serves. Threading: any thread.
#pragma once

#include "chaos/groups.hpp"
#include "chaos/observer.hpp"
#include "chaos/plan.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace pollux::chaos {

class Web {
 public:
  Web(Observer& observer, std::uint64_t seed);

  // One of the kinds that a web can show.
  void misbehave(const Injection& injection);
  // A healthy or patient page has something new to say.
  void publish(Group group, unsigned number);

  std::string url(Group group, unsigned number) const;
  std::string ca_pem() const { return secure_.ca_pem(); }
  // Of either origin's own thread.
  std::chrono::milliseconds lateness(SteadyTime from, SteadyTime to) const;

 private:
  struct Mood {
    Kind kind{};
    SteadyTime until{};
    std::int64_t detail = 0;
  };
  struct Body {
    std::string text, hash;
  };

  test::Step answer(test::Exchange& x);
  test::Step answer_robots(test::Exchange& x, const std::string& host);
  test::Step show(test::Exchange& x, const std::string& host, Mood mood);
  std::string target_of_redirect(const std::string& host, std::int64_t detail) const;
  Mood mood_of(const std::string& host) const;
  // The whole of it, as it is meant.
  test::Step respond_well(test::Exchange& x, const std::string& host);
  static Body body(const std::string& text);
  static std::string host_of(const test::Exchange& x);

  Observer& observer_;
  std::uint64_t seed_;
  Body bomb_;           // unfolded: only its hash is kept
  std::string packed_;  // the bomb as it travels
  mutable std::mutex mutex_;
  std::map<std::string, Mood> moods_;                // by address
  std::map<std::string, std::uint64_t> versions_;    // by address
  std::map<std::string, std::int64_t> robots_;       // by address: the variant
  std::atomic<SteadyTime::rep> handshakes_from_{0};  // held until then
  test::Origin plain_;
  test::Origin secure_;
};

}  // namespace pollux::chaos
