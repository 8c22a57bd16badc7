// Names to addresses with the system's resolver, on a bounded number of threads. curl would start
// a thread for every lookup; a thousand pages on dead names would be a thousand threads.
//
// Contract: every resolve() is answered once, on the io_context's thread, unless the resolver is
// destroyed first. Destruction never waits for a lookup that hangs.
// Threading: the io_context's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace pollux::fetch {

struct Lookup {
  std::vector<std::string> addresses;  // numeric, in the order to try; never empty on success
  std::string error;                   // for people; empty on success
};

// Blocks; called from several threads at once.
Lookup system_lookup(const std::string& host);

class Resolver {
 public:
  using LookupFunction = std::function<Lookup(const std::string& host)>;
  using Done = std::function<void(std::string key, Lookup lookup)>;

  struct Options {
    unsigned max_threads = 16;
    LookupFunction lookup = system_lookup;
  };

  Resolver(boost::asio::io_context& io, Options options, Done done);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // `key` comes back with the answer.
  void resolve(std::string key, std::string host);

 private:
  struct Shared;  // what the threads see; it outlives the resolver while one of them hangs
  std::shared_ptr<Shared> shared_;
};

}  // namespace pollux::fetch
