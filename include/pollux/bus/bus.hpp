// Messages between the machines of one installation: subjects, a key-value bucket, and whether
// anybody is there. NATS stands behind one implementation (connect()) and nothing here is NATS's,
// so that tests and the simulation can put memory in its place (MemoryHub).
//
// Delivery is at most once: what cannot leave now never leaves, what nobody hears is gone. Who
// wants more repeats it and tells copies apart by an id of its own. Messages of one sender on one
// subject arrive in order. Threading: everything, handlers included, on the thread of the loop.
#pragma once

#include "pollux/base/event_loop.hpp"
#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::bus {

struct Message {
  std::string subject;
  std::string payload;
  std::string reply;          // where an answer may be sent; or empty
  bool nobody_there = false;  // the answer to a message with `reply` that no one listens for
};

// Ends when it is destroyed; its handler is not called after that.
class Subscription {
 public:
  virtual ~Subscription() = default;
  // Messages that came faster than they were taken, and were dropped.
  virtual std::uint64_t dropped() const = 0;
};

// An entry of the bucket. Revisions are for update() alone: they are no fencing token, because a
// replica that has come back may number them differently.
struct Entry {
  std::string value;
  std::uint64_t revision = 0;
};

enum class Wrote : std::uint8_t { yes, conflict, unreachable };

class Bus {
 public:
  virtual ~Bus() = default;
  // False when there is no connection, its buffer is full, or the payload is above
  // largest_payload(): then nothing leaves, not later either.
  virtual bool publish(std::string_view subject, std::string payload,
                       std::string_view reply = {}) = 0;
  // "a.*.b" and "a.>" as in NATS. What waits for the handler is bounded by `most_bytes`.
  virtual std::unique_ptr<Subscription> subscribe(std::string_view subject,
                                                  std::function<void(Message)> handler,
                                                  std::size_t most_bytes = 32u << 20) = 0;
  virtual std::size_t largest_payload() const = 0;  // in bytes, as the servers allow
  // A subject of our own, "_INBOX.…", new at every call.
  virtual std::string new_inbox() = 0;
  virtual bool connected() const = 0;
  // Why there is no connection, or why the bucket cannot be reached, for people; or empty.
  virtual std::string trouble() const = 0;
  // Called at every change of connected(). One listener.
  virtual void on_connection(std::function<void(bool connected)> listener) = 0;

  // The bucket of this installation, whose entries end by themselves (Options::entries_live).
  // Answers come later, each exactly once.
  virtual void get(std::string_view key,
                   std::function<void(Result<std::optional<Entry>>)> done) = 0;
  virtual void create(std::string_view key, std::string value,
                      std::function<void(Wrote, std::uint64_t revision)> done) = 0;
  virtual void update(std::string_view key, std::string value, std::uint64_t revision,
                      std::function<void(Wrote, std::uint64_t revision)> done) = 0;
  virtual void remove(std::string_view key, std::function<void(bool)> done) = 0;
};

struct Options {
  std::vector<std::string> servers = {};             // "nats://host:4222", "tls://…"
  std::string name = {};                             // shown by the servers
  std::string ca_file = {};                          // whom to trust; empty: the system's
  std::string certificate_file = {}, key_file = {};  // ours; or empty
  std::string user = {}, password = {};              // or empty
  std::string bucket = "px";
  int replicas = 1;  // of the bucket: as many as there are servers, three at most
  Duration entries_live = std::chrono::seconds(15);
  bool operator==(const Options&) const = default;
};

// Does not wait for a connection: on_connection() tells, and lost ones come back by themselves.
// Fails for what no time mends: an unreadable file, an address that is none.
Result<std::unique_ptr<Bus>> connect(EventLoop& loop, Options options);

}  // namespace pollux::bus
