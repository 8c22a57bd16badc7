// The name table: which hosts are resolved, who waits for one that is not, and what curl's own DNS
// cache has been told. curl never looks a name up itself: its cache is filled by CURLOPT_RESOLVE
// and never expires there; this table decides when a name is asked for again.
// Threading: the io_context's thread.
#pragma once

#include "fetch/resolver.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct curl_slist;

namespace pollux::fetch {

struct Transfer;

class Names {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  class Listener {
   public:
    // `error` is empty when the host is known now. The transfer no longer waits.
    virtual void on_name(Transfer& transfer, const std::string& error) = 0;

   protected:
    ~Listener() = default;
  };

  Names(boost::asio::io_context& io, Resolver::Options options, Listener& listener);

  // True when a transfer to `url` may start at once; otherwise it waits for on_name() or forget().
  bool ready(std::string_view url, Transfer& waiter, TimePoint now);
  void forget(std::string_view url, Transfer& waiter);
  // What curl must be told before it fetches `url`: a list for CURLOPT_RESOLVE, owned by the
  // caller, or null when curl knows the host already.
  curl_slist* instructions(std::string_view url);
  // curl has read these instructions for `url`.
  void instructed(std::string_view url, const curl_slist& list);

  std::size_t size() const { return names_.size(); }

 private:
  struct Name {
    std::string host;
    std::string port;
    std::string entry;  // "host:port:address,address"; empty: numeric host, or not resolved
    TimePoint fresh_until{};
    TimePoint last_used{};
    bool numeric = false;
    bool asking = false;
    bool known_to_curl = false;
    std::vector<Transfer*> waiters;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  Name& add(std::string_view origin, TimePoint now);
  void prune(TimePoint now);
  void on_lookup(const std::string& origin, const Lookup& lookup);

  Listener& listener_;
  // Keyed by the start of the URL, "https://example.org:8080": found without building a string.
  std::unordered_map<std::string, Name, Hash, std::equal_to<>> names_;
  std::vector<std::string> forgotten_;  // entries curl has still to drop, "-host:port"
  TimePoint pruned_at_{};
  Resolver resolver_;  // last: its answers use the rest
};

// The part of a normalised URL before its path.
std::string_view origin_of(std::string_view url);

}  // namespace pollux::fetch
