// Who is told what, when and how: `notify:` in the configuration. Values only; what they mean is
// in rules.hpp, plan.hpp and channel.hpp.
#pragma once

#include "pollux/base/time.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pollux::notify {

enum class Event : std::uint8_t {
  change,
  failing,    // polls began to fail
  recovered,  // they work again
  suspect,    // its answer was not believed
  selector,   // `select` matches nothing any more
  moved,      // for good, says its server
  noisy,      // it differs at every look, and nobody knows where
  system      // about the daemon itself
};
inline constexpr std::array<std::string_view, 8> event_names = {
    "change", "failing", "recovered", "suspect", "selector", "moved", "noisy", "system"};
inline std::string_view name_of(Event event) {
  return event_names[static_cast<std::size_t>(event)];
}

// A set of events.
class Events {
 public:
  static Events all() {
    Events events;
    events.bits_ = 0xff;
    return events;
  }
  void add(Event event) { bits_ |= bit(event); }
  bool has(Event event) const { return (bits_ & bit(event)) != 0; }
  bool operator==(const Events&) const = default;

 private:
  static unsigned bit(Event event) { return 1U << static_cast<unsigned>(event); }
  unsigned bits_ = 0;
};

// Conditions that must all hold.
struct When {
  std::vector<std::string> tags = {};  // the page has one of them; empty: any page
  std::string match = {};              // a pattern of its whole URL; empty: any
  Events events = Events::all();
  double min_importance = 0;
  bool operator==(const When&) const = default;
};

// How a webhook's body is written; `own` is a template of the user's.
enum class Body : std::uint8_t { json, slack, discord, matrix, ntfy, gotify, telegram, teams, own };
inline constexpr std::array<std::string_view, 8> body_names = {
    "json", "slack", "discord", "matrix", "ntfy", "gotify", "telegram", "teams"};

struct Webhook {
  std::string url;                        // a secret, often: it is in no message and in no log
  std::vector<std::string> headers = {};  // "Name: value"; may hold secrets
  Body body = Body::json;
  std::string own = {};                 // Body::own: the template
  std::vector<std::string> allow = {};  // networks that the address gate lets this target be in
  bool operator==(const Webhook&) const = default;
};

struct Mail {
  std::vector<std::string> to = {};
  std::string from = {};
  std::string server = {};  // "smtps://host:465", "smtp://host:587"
  std::string login = {};   // "user:password"; a secret
  std::vector<std::string> allow = {};
  bool operator==(const Mail&) const = default;
};

struct ToProgram {
  std::vector<std::string> argv = {};  // its path and what it is given; the message is its input
  bool operator==(const ToProgram&) const = default;
};
struct ToFile {
  std::string path;  // a line of JSON is added for each message
  bool operator==(const ToFile&) const = default;
};
struct ToAtom {
  std::string path;  // a feed of the newest events
  bool operator==(const ToAtom&) const = default;
};
using Target = std::variant<Webhook, Mail, ToProgram, ToFile, ToAtom>;

// By the clock on the wall of that zone, from one minute of the day up to another; over midnight
// where `from` is the later one.
struct Quiet {
  int from = 0, to = 0;
  std::string zone = "UTC";
  bool operator==(const Quiet&) const = default;
};

// At most so many messages within any such time.
struct Limit {
  int messages = 0;
  Duration within = std::chrono::hours(1);
  bool operator==(const Limit&) const = default;
};

struct Rule {
  std::string name;
  When when = {};
  Target to = {};
  Duration digest{};                // what comes within this time goes together; 0: at once
  std::optional<Quiet> quiet = {};  // held back then
  std::optional<Limit> limit = {};  // what is over it goes together
  Duration failing_after = std::chrono::minutes(10);  // an error is told once it lasted so long
  bool operator==(const Rule&) const = default;
};
using Rules = std::vector<Rule>;

inline constexpr std::size_t most_rules = 32;

}  // namespace pollux::notify
