// A receiver of webhooks on loopback that remembers what it was sent and answers as it is told to.
// Threading: as Origin: every function from any thread; `decide` runs on the origin's thread.
#pragma once

#include "support/origin.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace pollux::test {

enum class Reply {
  ok,        // 204
  error,     // 500
  busy,      // 429, Retry-After: 1
  hang,      // nothing, until the sender loses patience
  stall,     // 200, and a body that never comes
  half,      // part of an answer, then the end of the connection
  gone,      // 410
  elsewhere  // 302, to /elsewhere
};

struct Received {
  std::string path, method, body;
  std::map<std::string, std::string> headers;  // names in lower case
  Reply reply = Reply::ok;
  std::string key() const {
    const auto found = headers.find("idempotency-key");
    return found != headers.end() ? found->second : "";
  }
};

class Receiver {
 public:
  using Decide = std::function<Reply(const Received&)>;
  explicit Receiver(Decide decide = [](const Received&) { return Reply::ok; })
      : Receiver(std::move(decide), Origin::Options{}) {}
  Receiver(Decide decide, Origin::Options options);

  std::string url(std::string_view path) const { return origin_.url(path); }
  Origin& origin() { return origin_; }
  std::vector<Received> all() const;
  // Those that were answered with 2xx.
  std::vector<Received> taken(const std::string& path) const;
  std::size_t count() const;

 private:
  Decide decide_;
  mutable std::mutex mutex_;
  std::vector<Received> received_;
  Origin origin_;  // last: its thread uses the rest
};

}  // namespace pollux::test
