// An event of a running daemon in words. Pure.
#pragma once

#include "cli/daemon_events.hpp"

#include <string>

namespace pollux::cli {

// Everything is printable.
struct EventText {
  enum class Mood { neutral, good, bad, warning, notable };
  std::string clock;  // "08:30:00"
  std::string kind;   // "poll", "change", "health", "gap"
  std::string page;   // its name, or its URL; empty: it is about none
  std::string what;
  Mood mood = Mood::neutral;
};
EventText event_text(const DaemonEvent& event);

}  // namespace pollux::cli
