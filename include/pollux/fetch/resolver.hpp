// Names to addresses with the system's resolver, on a bounded number of threads. curl would start
// a thread for every lookup; a thousand pages on dead names would be a thousand threads.
//
// A lookup cannot be stopped, so dead names must not take the threads that good ones need:
// - names without a bad record go first, `at_once` of them at a time; one that hangs no longer
//   counts (see demote), so the next is not held up by it;
// - names that failed or hung before run in at most half of the threads.
//
// Contract: every resolve() is answered once, on the io_context's thread, unless it is dropped or
// the resolver is destroyed first. Destruction never waits for a lookup that hangs.
// Threading: the io_context's thread.
#pragma once

#include <chrono>
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
  using TimePoint = std::chrono::steady_clock::time_point;
  using LookupFunction = std::function<Lookup(const std::string& host)>;
  using Done = std::function<void(std::string key, Lookup lookup)>;

  // What is known of a name: suspects failed or hung before.
  enum class Record { clean, suspect };

  struct Options {
    unsigned at_once = 16;       // lookups of clean names that run and do not hang
    unsigned max_threads = 128;  // the hanging ones included; they are idle and cost little
    LookupFunction lookup = system_lookup;
    std::function<TimePoint()> now = std::chrono::steady_clock::now;  // called on any thread
  };

  Resolver(boost::asio::io_context& io, Options options, Done done);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // `key` comes back with the answer; unique among those not answered yet.
  void resolve(std::string key, std::string host, Record record);
  // True when the lookup had not begun: it never will, and there is no answer.
  bool drop(const std::string& key);
  // A lookup that began at this time or earlier, and still runs, counts as a suspect's from now on.
  void demote(TimePoint begun_by);

 private:
  struct Shared;  // what the threads see; it outlives the resolver while one of them hangs
  std::shared_ptr<Shared> shared_;
};

}  // namespace pollux::fetch
