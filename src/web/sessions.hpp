// Who has logged in: a random word in a cookie, forgotten after a while without a request. Bounded;
// nothing is written anywhere. Threading: the server's thread.
#pragma once

#include "pollux/base/time.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace pollux::web {

class Sessions {
 public:
  static constexpr std::size_t most = 1000;                         // then the stalest goes
  static constexpr Duration idle = std::chrono::hours(12);          // without a request
  static constexpr Duration longest = std::chrono::hours(24) * 30;  // in all

  Sessions();
  std::string begin(Instant now);  // the cookie's value
  bool knows(std::string_view cookie, Instant now);
  // Likewise, but looking is no request: it does not keep a session alive.
  bool is_open(std::string_view cookie, Instant now) const;
  void end(std::string_view cookie);
  std::size_t size() const { return known_.size(); }

  // What a browser has to send along with every change it asks for: another page of that browser
  // can have the cookie sent, and cannot know this.
  std::string csrf(std::string_view cookie) const;
  bool is_csrf(std::string_view cookie, std::string_view said) const;

 private:
  struct Times {
    Instant begun, seen;
  };
  static bool is_over(const Times& times, Instant now) {
    return now - times.seen > idle || now - times.begun > longest;
  }
  void make_room(Instant now);

  // By a keyed hash of the cookie: how long a search takes tells nothing of what is there.
  std::map<std::string, Times, std::less<>> known_;
  const std::string key_, csrf_key_;
};

}  // namespace pollux::web
