#include "web/sessions.hpp"

#include "web/secrets.hpp"

#include <algorithm>

namespace pollux::web {

Sessions::Sessions() : key_(random_word()), csrf_key_(random_word()) {}

std::string Sessions::begin(Instant now) {
  make_room(now);
  std::string cookie = random_word();
  known_.emplace(keyed_word(key_, cookie), Times{now, now});
  return cookie;
}

bool Sessions::knows(std::string_view cookie, Instant now) {
  if (cookie.empty()) return false;
  const auto found = known_.find(keyed_word(key_, cookie));
  if (found == known_.end()) return false;
  if (is_over(found->second, now)) {
    known_.erase(found);
    return false;
  }
  found->second.seen = now;
  return true;
}

bool Sessions::is_open(std::string_view cookie, Instant now) const {
  const auto found = known_.find(keyed_word(key_, cookie));
  return found != known_.end() && !is_over(found->second, now);
}

void Sessions::end(std::string_view cookie) {
  known_.erase(keyed_word(key_, cookie));
}

std::string Sessions::csrf(std::string_view cookie) const {
  return keyed_word(csrf_key_, cookie);
}

bool Sessions::is_csrf(std::string_view cookie, std::string_view said) const {
  return !cookie.empty() && same_secret(csrf(cookie), said);
}

void Sessions::make_room(Instant now) {
  std::erase_if(known_, [&](const auto& entry) { return is_over(entry.second, now); });
  if (known_.size() < most) return;
  known_.erase(
      std::ranges::min_element(known_, {}, [](const auto& entry) { return entry.second.seen; }));
}

}  // namespace pollux::web
