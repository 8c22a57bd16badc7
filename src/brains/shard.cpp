#include "pollux/brains/shard.hpp"

#include "pollux/base/url.hpp"

#include <algorithm>

#include <libpsl.h>

namespace pollux::brains {
namespace {

std::string_view without_port(std::string_view host_port) {
  if (host_port.starts_with('[')) return host_port.substr(0, host_port.find(']') + 1);
  return host_port.substr(0, host_port.rfind(':'));
}

// No top-level domain begins with a digit, so what ends in one such label is no name.
bool is_address(std::string_view host) {
  if (host.starts_with('[')) return true;
  const std::string_view last = host.substr(host.rfind('.') + 1);
  return !last.empty() && last.front() >= '0' && last.front() <= '9';
}

// nullopt: an address, or no part of any domain.
std::optional<std::string> registrable(std::string_view host) {
  if (is_address(host)) return std::nullopt;
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string name(host);  // libpsl wants an end
  const char* const domain = psl_registrable_domain(psl_builtin(), name.c_str());
  return domain != nullptr ? std::optional<std::string>(domain) : std::nullopt;
}

// FNV-1a, then a mix by which every bit counts. It says where pages are for good: another hash
// would send them elsewhere.
std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  hash ^= hash >> 30;
  hash *= 0xbf58476d1ce4e5b9U;
  hash ^= hash >> 27;
  hash *= 0x94d049bb133111ebU;
  return hash ^ hash >> 31;
}

}  // namespace

std::string domain_of_host(std::string_view host_port) {
  const std::string_view host = without_port(host_port);
  return registrable(host).value_or(std::string(host));
}

std::string domain_of_text(std::string_view url_or_host) {
  return domain_of_host(authority_of(url_or_host));
}

// Jump consistent hash (Lamping and Veach, 2014): from N to N + 1 only what goes to the new one
// moves.
std::uint32_t shard_of_domain(std::string_view domain, std::uint32_t shards) {
  std::uint64_t key = stable_hash(domain);
  std::int64_t at = -1, next = 0;
  while (next < static_cast<std::int64_t>(shards)) {
    at = next;
    key = key * 2862933555777941757U + 1;
    next = static_cast<std::int64_t>(static_cast<double>(at + 1) *
                                     (2147483648.0 / static_cast<double>((key >> 33) + 1)));
  }
  return static_cast<std::uint32_t>(at);
}

std::uint32_t shard_of(std::string_view url, std::uint32_t shards) {
  return shard_of_host(authority_of(url), shards);
}

std::optional<std::uint32_t> shard_of_prefix(std::string_view prefix, std::uint32_t shards) {
  if (prefix.empty()) return std::nullopt;
  if (!prefix.starts_with('.')) return shard_of(prefix, shards);
  const std::optional<std::string> domain = registrable(prefix.substr(1));
  if (!domain) return std::nullopt;
  return shard_of_domain(*domain, shards);
}

}  // namespace pollux::brains
