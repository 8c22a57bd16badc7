// A network of the test's own: the calling thread, and every thread and process it starts from then
// on, see a loopback interface and nothing else, until the object is destroyed. Needs root.
#pragma once

#include <memory>

namespace pollux::test {

class NetworkNamespace {
 public:
  // Null where the system does not permit it; the test should then be skipped.
  static std::unique_ptr<NetworkNamespace> enter();
  ~NetworkNamespace();
  NetworkNamespace(const NetworkNamespace&) = delete;
  NetworkNamespace& operator=(const NetworkNamespace&) = delete;

  // Every address of the world, IPv4 and IPv6, is this machine: what is sent arrives here.
  bool own_every_address();

 private:
  explicit NetworkNamespace(int outer) : outer_(outer) {}
  int outer_;
};

}  // namespace pollux::test
