// What takes long or asks a server, done beside the daemon by children of its own program: pages
// are tried under other rules, and what was recorded is replayed. They are niced, one of a kind at
// a time, and end with this. A child reads the configuration's file, and no program that a request
// names is run: `pollux try --content` takes none.
// Threading: any. Nothing waits; `done` is called on a thread of the workshop's.
#pragma once

#include "pollux/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace pollux::web {

struct WorkshopOptions {
  std::string configuration = {};       // the whole path of its file, or ...
  std::string configuration_text = {};  // ... what would stand there
  std::string database = {};            // its whole path
  std::string program = "/proc/self/exe";
  std::size_t most_waiting = 8;  // pages to be tried
  Duration longest_try = std::chrono::seconds(30);
  Duration longest_replay = std::chrono::minutes(10);
};

class Workshop {
 public:
  explicit Workshop(const WorkshopOptions& options);
  ~Workshop();  // ends the children; what waits is not answered

  struct Refusal {
    unsigned status;  // of HTTP
    std::string error, cure;
  };
  template <typename Value>
  using Outcome = std::variant<Value, Refusal>;

  static constexpr std::size_t longest_kept = 256u << 10;  // bytes of what is told of a page
  // As `pollux try --json` prints it. The URL is normalised, the content JSON.
  void try_page(std::string url, std::string content,
                std::function<void(Outcome<boost::json::object>)> done);

  struct Wish {
    double budget;  // polls per second
    std::string policy, objective;
  };
  struct Replay {
    enum class State { running, done, failed };
    State state = State::running;
    double progress = 0;  // 0 to 1
    std::string error = {};
    boost::json::value result = nullptr;
  };
  static constexpr std::size_t most_replays = 16;  // that are remembered
  // The id of the one that has begun.
  Outcome<std::int64_t> begin_replay(const Wish& wish);
  std::optional<Replay> replay(std::int64_t id) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollux::web
