// Asks and grants as text, for a bus.
#pragma once

#include "pollux/leases/leases.hpp"

#include <sstream>
#include <string>

namespace pollux::leases {

inline std::string text(const Ask& ask) {
  std::ostringstream out;
  out.precision(17);
  out << ask.id << ' ' << ask.knows << ' ' << ask.epoch << ' ' << ask.held << ' ' << ask.rate << ' '
      << ask.weight << ' ' << ask.leaving << ' ' << ask.ends_in.count();
  return out.str();
}

inline Ask ask_of(const std::string& text) {
  std::istringstream in(text);
  Ask ask;
  Duration::rep ends_in = 0;
  in >> ask.id >> ask.knows >> ask.epoch >> ask.held >> ask.rate >> ask.weight >> ask.leaving >>
      ends_in;
  ask.ends_in = Duration(ends_in);
  return ask;
}

inline std::string text(const Grant& grant) {
  std::ostringstream out;
  out.precision(17);
  out << grant.epoch << ' ' << grant.ask << ' ' << grant.rate << ' ' << grant.lasts.count() << ' '
      << grant.hello;
  return out.str();
}

inline Grant grant_of(const std::string& text) {
  std::istringstream in(text);
  Grant grant;
  Duration::rep lasts = 0;
  in >> grant.epoch >> grant.ask >> grant.rate >> lasts >> grant.hello;
  grant.lasts = Duration(lasts);
  return grant;
}

}  // namespace pollux::leases
