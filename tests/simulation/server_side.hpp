// What servers can tell: how close requests came, whether they came when they were asked not to,
// and what was sent to whom. Threading: one thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "simulation/simulated_web.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pollux::simulation {

class ServerSide final : public Observer {
 public:
  // `holders`: who may each be one request ahead in any second.
  ServerSide(const Clock& clock, double budget, Duration delay, std::size_t holders = 1)
      : clock_(clock), budget_(budget), delay_(delay), holders_(holders) {}

  // Whether the answer for this page counts: it may have left the list.
  std::function<bool(const std::string& url)> is_listed;
  // Whether nothing may be asked of this page: it was paused. Redirects have another path.
  std::function<bool(const std::string& url)> is_silent;

  void on_request(const std::string& host, const std::string& path, Instant at) override;
  void on_answer(const std::string& host, Instant at) override;
  void on_block(const std::string& host, Instant until) override;
  void on_content(const std::string& page_url, const std::string& body) override;

  // A page's poll was recorded with this hash, and with a change or none.
  void on_record(const std::string& url, const std::string& hash, bool changed, bool failed);
  void forget(const std::string& url) { delivered_.erase(url); }

  void violated(std::string what);

  std::vector<std::string> violations;
  std::uint64_t violation_count = 0, requests = 0;
  std::uint64_t page_requests = 0;  // all but those for robots.txt
  std::size_t fullest_second = 0;
  // Whoever was asked to leave a host alone may be lost before he tells.
  bool askers_may_be_lost = false;
  std::uint64_t forgotten_blocks = 0;

 private:
  struct Seen {  // of a host
    Instant last_end = Instant::min();
    Instant blocked_until = Instant::min();
    int open = 0;
  };
  const Clock& clock_;
  double budget_;
  Duration delay_;
  std::size_t holders_;
  std::deque<Instant> last_second_;
  std::unordered_map<std::string, Seen> hosts_;
  std::unordered_map<std::string, std::string> delivered_;  // hash of the last body, by page
  std::unordered_map<std::string, std::string> recorded_;   // hash, by page
};

}  // namespace pollux::simulation
