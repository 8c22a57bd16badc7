#include "fetch/names.hpp"

#include <algorithm>
#include <utility>

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>

namespace pollux::fetch {
namespace {

constexpr auto time_to_live = std::chrono::seconds(60);
constexpr auto forget_after = std::chrono::minutes(10);
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
      resolver_(io, std::move(options), [this](const std::string& origin, const Lookup& lookup) {
        on_lookup(origin, lookup);
      }) {}

bool Names::ready(std::string_view url, Transfer& waiter, TimePoint now) {
  const std::string_view origin = origin_of(url);
  const auto found = names_.find(origin);
  Name& name = found != names_.end() ? found->second : add(origin, now);
  name.last_used = now;
  if (name.numeric || now < name.fresh_until) return true;
  name.waiters.push_back(&waiter);
  if (!name.asking) {
    name.asking = true;
    resolver_.resolve(std::string(origin), name.host);
  }
  return false;
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
    if (name.asking || now - name.last_used < forget_after) return false;
    if (name.known_to_curl) forgotten_.push_back("-" + name.host + ":" + name.port);
    return true;
  });
}

void Names::on_lookup(const std::string& origin, const Lookup& lookup) {
  const auto found = names_.find(origin);
  if (found == names_.end()) return;
  Name& name = found->second;
  name.asking = false;
  if (!lookup.addresses.empty()) {
    std::string entry = name.host + ":" + name.port + ":";
    for (const std::string& address : lookup.addresses) {
      if (entry.back() != ':') entry += ',';
      entry += address.find(':') == std::string::npos ? address : "[" + address + "]";
    }
    if (entry != name.entry) name.known_to_curl = false;
    name.entry = std::move(entry);
    name.fresh_until = std::chrono::steady_clock::now() + time_to_live;
  }
  for (Transfer* waiter : std::exchange(name.waiters, {})) {
    listener_.on_name(*waiter, lookup.error);
  }
}

void Names::forget(std::string_view url, Transfer& waiter) {
  const auto found = names_.find(origin_of(url));
  if (found != names_.end()) std::erase(found->second.waiters, &waiter);
}

curl_slist* Names::instructions(std::string_view url) {
  const auto found = names_.find(origin_of(url));
  if (found == names_.end() || found->second.entry.empty() || found->second.known_to_curl) {
    return nullptr;
  }
  curl_slist* list = nullptr;
  for (const std::string& entry : std::exchange(forgotten_, {})) {
    list = curl_slist_append(list, entry.c_str());
  }
  return curl_slist_append(list, found->second.entry.c_str());
}

void Names::instructed(std::string_view url, const curl_slist& list) {
  const auto found = names_.find(origin_of(url));
  if (found == names_.end()) return;
  const curl_slist* last = &list;
  while (last->next != nullptr) last = last->next;
  if (found->second.entry == last->data) found->second.known_to_curl = true;
}

}  // namespace pollux::fetch
