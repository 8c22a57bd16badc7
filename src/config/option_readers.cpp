#include "config/option_readers.hpp"

#include "config/page_bounds.hpp"
#include "config/value_readers.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view obedience[] = {"obey", "ignore"};
constexpr std::string_view jars[] = {"none", "session", "keep"};

}  // namespace

Status read_importance(LoadContext& r, const Key& key, const Node& value) {
  return read_number(r, key, value, r.page->importance, least_importance, most_importance);
}
Status read_min_interval(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.page->limits.min_interval, 0s, longest_interval);
}
Status read_max_interval(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.page->limits.max_interval, shortest_max_interval,
                       longest_interval);
}
Status read_timeout(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.page->timeout, 100ms, 1h);
}
Status read_max_body(LoadContext& r, const Key& key, const Node& value) {
  return read_bytes(r, key, value, r.page->max_body, 1, 4ull << 30);
}
Status read_user_agent(LoadContext& r, const Key& key, const Node& value) {
  return read_line(r, key, value, r.page->user_agent);
}
Status read_respect_cache(LoadContext& r, const Key& key, const Node& value) {
  return read_truth(r, key, value, r.page->respect_cache);
}
Status read_cookies(LoadContext& r, const Key& key, const Node& value) {
  std::string word;
  Status status = read_choice(r, key, value, word, jars);
  if (status) r.page->cookies = static_cast<Cookies>(std::ranges::find(jars, word) - jars);
  return status;
}
Status read_page_url(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() != Kind::scalar) {
    return r.error(value,
                   fmt::format("'{}' is {}; write one URL", name_of(key), kind_name(value.kind())));
  }
  r.page_url = value;
  return success();
}

Status read_delay(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.host->delay, 0s, 24h);
}
Status read_connections(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t number = 0;
  Status status = read_whole(r, key, value, number, 1, 10000);
  if (status) r.host->connections = static_cast<int>(number);
  return status;
}

Status read_robots(LoadContext& r, const Key& key, const Node& value) {
  std::string word;
  Status status = read_choice(r, key, value, word, obedience);
  if (status) r.host->obey_robots = word == "obey";
  return status;
}
Status read_max_crawl_delay(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.host->max_crawl_delay, 0s, 24h);
}
Status read_adaptive_delay(LoadContext& r, const Key& key, const Node& value) {
  return read_number(r, key, value, r.host->adaptive_delay, 0, 100);
}
Status read_max_adaptive_delay(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.host->max_adaptive_delay, 0s, 24h);
}

Status read_probe(LoadContext& r, const Key& key, const Node& value) {
  return read_truth(r, key, value, r.host->probe);
}

}  // namespace pollux::config
