// The name table: which hosts are resolved, who waits for one that is not, and what curl's own DNS
// cache has been told. curl never looks a name up itself: its cache is filled by CURLOPT_RESOLVE
// and never expires there; this table decides when a name is asked for again.
//
// An address is fresh for 60 s. After that it is used on, up to an hour, while a lookup in the
// background brings a new one: nobody waits for a refresh. A failure is remembered for 30 s. After
// 10 s without an answer a lookup counts as failed for those who wait, though its thread may hang
// on; a late answer is still taken, and a name is never looked up twice at a time.
// Threading: the io_context's thread.
#pragma once

#include "pollux/fetch/resolver.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct curl_slist;

namespace pollux::fetch {

class Names {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Who waits for a name derives from it.
  struct Waiter {};

  enum class State {
    known,   // a transfer may start at once
    failed,  // not worth waiting for: see error()
    asking   // a lookup is under way
  };

  // Called when a lookup ends or is given up, from tick() or the event loop.
  class Listener {
   public:
    // `error` is empty when the host is known now. The waiter no longer waits.
    virtual void on_name(Waiter& waiter, const std::string& error) = 0;

   protected:
    ~Listener() = default;
  };

  Names(boost::asio::io_context& io, Resolver::Options options, Listener& listener);

  // `origin` is origin_of() the URL. When the answer is `asking`, the waiter waits for on_name()
  // or until it is told to forget() it.
  State check(std::string_view origin, Waiter& waiter, TimePoint now);
  // Why the last lookup failed.
  std::string error(std::string_view origin) const;
  // Gives up what has taken too long. Wanted several times a second while busy().
  void tick(TimePoint now);
  bool busy() const { return !deadlines_.empty(); }
  void forget(std::string_view origin, Waiter& waiter);
  // What curl must be told before it fetches from there: a list for CURLOPT_RESOLVE, owned by the
  // caller, or null when curl knows the host already.
  curl_slist* instructions(std::string_view origin);
  // curl has read these instructions.
  void instructed(std::string_view origin, const curl_slist& list);

  std::size_t size() const { return names_.size(); }

 private:
  struct Name {
    std::string host;
    std::string port;
    std::string entry;  // "host:port:address,address"; empty: numeric host, or not resolved
    std::string error;  // of the last lookup that failed
    TimePoint fresh_until{};
    TimePoint usable_until{};
    TimePoint failed_until{};
    TimePoint last_used{};
    TimePoint asked_at{};
    bool numeric = false;
    bool asking = false;
    bool given_up = false;  // still asking, but nobody is made to wait for it
    bool suspect = false;   // failed or hung the last time
    bool known_to_curl = false;
    std::vector<Waiter*> waiters;
  };
  struct Deadline {
    TimePoint asked_at;
    std::string origin;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  Name& find_or_add(std::string_view origin, TimePoint now);
  Name& add(std::string_view origin, TimePoint now);
  void ask(Name& name, std::string_view origin, TimePoint now);
  void give_up(Name& name, const std::string& origin, TimePoint now);
  void prune(TimePoint now);
  void on_lookup(const std::string& origin, const Lookup& lookup);
  void take_addresses(Name& name, const Lookup& lookup, TimePoint now);
  void tell_waiters(Name& name, const std::string& error);

  Listener& listener_;
  const std::function<TimePoint()> now_;
  // Keyed by the start of the URL, "https://example.org:8080": found without building a string.
  std::unordered_map<std::string, Name, Hash, std::equal_to<>> names_;
  std::vector<std::string> forgotten_;  // entries curl has still to drop, "-host:port"
  std::deque<Deadline> deadlines_;      // oldest first; may name lookups that have ended
  TimePoint pruned_at_{};
  Resolver resolver_;  // last: its answers use the rest
};

// The part of a normalised URL before its path.
std::string_view origin_of(std::string_view url);

}  // namespace pollux::fetch
