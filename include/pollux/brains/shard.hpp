// Which of several brains a host belongs to, when a list is divided: `pollux shard`.
//
// Hosts of one registrable domain stay together, because a site's limits, its robots.txt and what
// was learnt of its pages as siblings are its own. Which brain a domain goes to depends on its name
// and on how many there are, on nothing else: everybody who asks gets the same answer. One brain
// more takes its part of all others and moves nothing between them. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::brains {

inline constexpr std::uint32_t most_shards = 1000;

// "example.co.uk" of "www.example.co.uk:443", after the public suffix list. An address, a name of
// one label and a public suffix itself stand for themselves.
std::string domain_of_host(std::string_view host_port);

// Likewise of a normalised URL, or of a host.
std::string domain_of_text(std::string_view url_or_host);

// From 0; `shards` > 0.
std::uint32_t shard_of_domain(std::string_view domain, std::uint32_t shards);
inline std::uint32_t shard_of_host(std::string_view host_port, std::uint32_t shards) {
  return shard_of_domain(domain_of_host(host_port), shards);
}
// Of a normalised URL.
std::uint32_t shard_of(std::string_view url, std::uint32_t shards);

// Of what pages have in common, as the learner names it: ".example.org", "example.org" or
// "https://example.org/a/". nullopt: they may be of several domains.
std::optional<std::uint32_t> shard_of_prefix(std::string_view prefix, std::uint32_t shards);

}  // namespace pollux::brains
