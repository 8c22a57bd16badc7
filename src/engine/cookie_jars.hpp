// Cookies of pages with `cookies: keep`, a jar for each page: what one page was given is sent for
// no other. They go to a file of their own that only its owner can read (private_file), and nowhere
// else. Threading: the engine's thread.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pollux::engine {

class CookieJars {
 public:
  using Jar = std::shared_ptr<const fetch::CookieLines>;
  using Jars = std::map<std::string, Jar, std::less<>>;  // by the page's URL
  static constexpr std::size_t most = 10'000;  // pages; what is beyond lives within its poll

  // What an earlier run left. A page gets its own back by restore(); the rest is forgotten.
  void set_stored(Jars stored) { stored_ = std::move(stored); }
  void restore(std::string_view url) {
    if (const auto found = stored_.find(url); found != stored_.end()) jars_.insert(*found);
  }
  void forget_stored() {
    changed_ = changed_ || stored_.size() != jars_.size();
    stored_.clear();
  }

  fetch::CookieLines of(std::string_view url) const {
    const auto found = jars_.find(url);
    return found == jars_.end() ? fetch::CookieLines() : *found->second;
  }
  void put(std::string_view url, const fetch::CookieLines& cookies) {
    if (cookies == of(url)) return;
    if (cookies.empty()) return forget(url);
    const auto found = jars_.find(url);
    if (found == jars_.end() && jars_.size() >= most) return;
    Jar& jar = found == jars_.end() ? jars_[std::string(url)] : found->second;
    jar = std::make_shared<const fetch::CookieLines>(cookies);
    changed_ = true;
  }
  void forget(std::string_view url) {
    const auto found = jars_.find(url);
    if (found == jars_.end()) return;
    jars_.erase(found);
    changed_ = true;
  }

  bool changed() const { return changed_; }
  // To be saved. The jars themselves are shared, not copied.
  Jars take() {
    changed_ = false;
    return jars_;
  }
  void not_saved() { changed_ = true; }

 private:
  Jars jars_, stored_;
  bool changed_ = false;
};

}  // namespace pollux::engine
