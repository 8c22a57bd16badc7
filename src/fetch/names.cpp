#include "fetch/names.hpp"

#include <algorithm>
#include <utility>

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>

namespace pollux::fetch {
namespace {

constexpr auto fresh_for = std::chrono::seconds(60);
constexpr auto usable_for = std::chrono::hours(1);
constexpr auto failed_for = std::chrono::seconds(30);
// A lookup that did not even begin says nothing about the name.
constexpr auto crowded_out_for = std::chrono::seconds(5);
constexpr auto give_up_after = std::chrono::seconds(10);
// Good names answer sooner, nearly always.
constexpr auto hangs_after = std::chrono::milliseconds(500);
constexpr auto forget_after = std::chrono::minutes(10);
constexpr auto forget_suspect_after = std::chrono::hours(1);  // so that it stays one
constexpr auto prune_every = std::chrono::minutes(1);

bool is_numeric(const std::string& host) {
  if (host.empty() || host.front() == '[') return true;
  in_addr v4{};
  return inet_pton(AF_INET, host.c_str(), &v4) == 1;
}

}  // namespace

std::string_view origin_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return url;
  return url.substr(0, url.find_first_of("/?#", scheme + 3));
}

Names::Names(boost::asio::io_context& io, Resolver::Options options, Listener& listener)
    : listener_(listener),
      now_(options.now),
      resolver_(io, std::move(options), [this](const std::string& origin, const Lookup& lookup) {
        on_lookup(origin, lookup);
      }) {}

Names::State Names::check(std::string_view origin, Waiter& waiter, TimePoint now) {
  Name& name = find_or_add(origin, now);
  if (name.numeric) return State::known;
  const bool failed = now < name.failed_until;
  if (now >= name.fresh_until && !failed) ask(name, origin, now);
  if (now < name.usable_until) return State::known;
  if (failed) return State::failed;
  name.waiters.push_back(&waiter);
  return State::asking;
}

void Names::ask(Name& name, std::string_view origin, TimePoint now) {
  if (name.asking && !name.given_up) return;
  name.asked_at = now;
  name.given_up = false;
  deadlines_.push_back({now, std::string(origin)});
  if (std::exchange(name.asking, true)) return;  // the one that was given up still runs
  resolver_.resolve(std::string(origin), name.host,
                    name.suspect ? Resolver::Record::suspect : Resolver::Record::clean);
}

void Names::tick(TimePoint now) {
  resolver_.demote(now - hangs_after);
  while (!deadlines_.empty()) {
    const Deadline& first = deadlines_.front();
    const auto found = names_.find(first.origin);
    const bool waited_for = found != names_.end() && found->second.asking &&
                            !found->second.given_up && found->second.asked_at == first.asked_at;
    if (waited_for && now < first.asked_at + give_up_after) return;
    if (waited_for) give_up(found->second, first.origin, now);
    deadlines_.pop_front();
  }
}

void Names::give_up(Name& name, const std::string& origin, TimePoint now) {
  if (resolver_.drop(origin)) {
    name.asking = false;
    name.error = "too many other lookups hang";
    name.failed_until = now + crowded_out_for;
  } else {
    name.given_up = true;
    name.suspect = true;
    name.error = "no answer within 10 s";
    name.failed_until = now + failed_for;
  }
  tell_waiters(name, name.error);
}

Names::Name& Names::find_or_add(std::string_view origin, TimePoint now) {
  const auto found = names_.find(origin);
  Name& name = found != names_.end() ? found->second : add(origin, now);
  name.last_used = now;
  return name;
}

std::string Names::error(std::string_view origin) const {
  const auto found = names_.find(origin);
  return found != names_.end() ? found->second.error : "";
}

Names::Name& Names::add(std::string_view origin, TimePoint now) {
  prune(now);
  Name name;
  const bool https = origin.substr(0, 6) == "https:";
  const std::size_t scheme = origin.find("://");
  std::string_view authority =
      scheme == std::string_view::npos ? origin : origin.substr(scheme + 3);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    authority.remove_prefix(at + 1);
  }
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  name.host = authority.substr(0, has_port ? colon : std::string_view::npos);
  name.port = has_port ? authority.substr(colon + 1) : (https ? "443" : "80");
  if (name.host.size() > 1 && name.host.back() == '.') name.host.pop_back();
  name.numeric = is_numeric(name.host);
  std::erase(forgotten_, "-" + name.host + ":" + name.port);
  return names_.emplace(std::string(origin), std::move(name)).first->second;
}

// Redirects can lead to ever new names; what nobody uses any more must go.
void Names::prune(TimePoint now) {
  if (now - pruned_at_ < prune_every) return;
  pruned_at_ = now;
  std::erase_if(names_, [&](const auto& item) {
    const Name& name = item.second;
    const TimePoint::duration unused = now - name.last_used;
    if (name.asking || unused < (name.suspect ? forget_suspect_after : forget_after)) return false;
    if (name.known_to_curl) forgotten_.push_back("-" + name.host + ":" + name.port);
    return true;
  });
}

void Names::on_lookup(const std::string& origin, const Lookup& lookup) {
  const auto found = names_.find(origin);
  if (found == names_.end()) return;
  Name& name = found->second;
  const TimePoint now = now_();
  const bool failed = !lookup.error.empty();
  name.asking = false;
  name.suspect = failed || name.given_up;
  name.given_up = false;
  name.error = lookup.error;
  name.failed_until = failed ? now + failed_for : TimePoint{};
  if (!failed) take_addresses(name, lookup, now);
  tell_waiters(name, lookup.error);
}

void Names::take_addresses(Name& name, const Lookup& lookup, TimePoint now) {
  std::string entry = name.host + ":" + name.port + ":";
  for (const std::string& address : lookup.addresses) {
    if (entry.back() != ':') entry += ',';
    entry += address.find(':') == std::string::npos ? address : "[" + address + "]";
  }
  if (entry != name.entry) name.known_to_curl = false;
  name.entry = std::move(entry);
  name.fresh_until = now + fresh_for;
  name.usable_until = now + usable_for;
}

void Names::tell_waiters(Name& name, const std::string& error) {
  for (Waiter* waiter : std::exchange(name.waiters, {})) listener_.on_name(*waiter, error);
}

void Names::forget(std::string_view origin, Waiter& waiter) {
  const auto found = names_.find(origin);
  if (found == names_.end()) return;
  Name& name = found->second;
  std::erase(name.waiters, &waiter);
  const bool refreshing = !name.entry.empty();
  if (!name.asking || refreshing || !name.waiters.empty()) return;
  if (resolver_.drop(found->first)) name.asking = false;
}

curl_slist* Names::instructions(std::string_view origin) {
  const auto found = names_.find(origin);
  if (found == names_.end() || found->second.entry.empty() || found->second.known_to_curl) {
    return nullptr;
  }
  curl_slist* list = nullptr;
  for (const std::string& entry : std::exchange(forgotten_, {})) {
    list = curl_slist_append(list, entry.c_str());
  }
  return curl_slist_append(list, found->second.entry.c_str());
}

void Names::instructed(std::string_view origin, const curl_slist& list) {
  const auto found = names_.find(origin);
  if (found == names_.end()) return;
  const curl_slist* last = &list;
  while (last->next != nullptr) last = last->next;
  if (found->second.entry == last->data) found->second.known_to_curl = true;
}

}  // namespace pollux::fetch
