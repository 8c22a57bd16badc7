// A small forward proxy for tests, on a loopback port and a thread of its own: HTTP (requests with
// an absolute URL, and CONNECT) and SOCKS5 on the same port. Every name leads to one origin on
// loopback, so that a test can have as many sites as it likes; each site can be given a delay,
// which makes this proxy near to some sites and far from others.
//
// Threading: every public function may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pollux::test {

class Proxy {
 public:
  // One request that went through, in the order of their ends.
  struct Forwarded {
    std::string site;  // host without port
    std::chrono::steady_clock::time_point at;
    std::chrono::milliseconds delay;  // injected
    std::chrono::microseconds taken;  // from the head of the request to the whole answer
  };

  explicit Proxy(std::uint16_t origin_port);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // Before each answer of this site, and before a tunnel to it opens.
  void set_delay(const std::string& site, std::chrono::milliseconds delay);
  // A header line that every plain request carries on from here, so that its origin can tell
  // proxies apart.
  void set_mark(const std::string& header);
  // From now on every connection is closed instead of being served.
  void set_broken(bool broken);
  // From now on every request and CONNECT gets this status, and SOCKS a refusal; 0: none does.
  void set_refusal(int status);

  std::string url(const std::string& scheme = "http") const;  // http://127.0.0.1:PORT
  std::uint16_t port() const;
  std::size_t connections() const;  // accepted so far
  std::size_t requests(const std::string& site) const;
  std::vector<Forwarded> forwarded() const;
  std::string received() const;  // everything that clients sent, as it came

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::test
