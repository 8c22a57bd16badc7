// A name server for tests, on port 53 of a loopback address and a thread of its own, by UDP and
// TCP. It knows what it was told and says NXDOMAIN to the rest. For a NetworkNamespace, where the
// port is free. Threading: every function may be called from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace pollux::test {

struct DnsAnswer {
  enum class Kind { addresses, cname, servfail, silence };
  Kind kind = Kind::addresses;
  std::vector<std::string> addresses = {};  // IPv4; none: the name exists, without an address
  std::string alias = {};                   // for cname
};

class DnsServer {
 public:
  explicit DnsServer(const std::string& address = "127.0.0.53");
  ~DnsServer();
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;

  void set(const std::string& name, DnsAnswer answer);
  std::size_t questions(const std::string& name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::test
