// What differs at every look at a page without being news: tokens, counters, clocks,
// advertisements. The demo site and the noisy web of the tests lay it over their pages. Pure but
// for the random numbers it is given.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::demo {

enum class NoiseKind : std::uint8_t {
  none,
  csrf_meta,
  script_nonce,
  session_in_links,
  uuid,
  datetime,
  clock,
  seconds_ago,
  minutes_ago,
  view_counter,
  users_online,
  request_id,
  build_comment,
  rotating_ad,
  shuffled_list,
  ab_test,
  load_balancer,
  json_key_order,
  json_timestamp,
  json_request_id,
  feed_build_date,
  hidden_form_token,
  random_attributes,
  tracking_links,
  render_time,
  priced_ad,   // one of many, each with a price or a discount
  uptime,      // shares of the time, in per cent
  slow_views,  // more slowly than looks follow each other
  slow_talk
};
std::string_view name_of(NoiseKind kind);
std::vector<NoiseKind> all_noise_kinds();  // without none

// The request that is answered.
struct NoiseMoment {
  std::uint64_t nth = 1;   // of its kind: what counters show
  std::uint64_t page = 0;  // pages differ in their age
  std::chrono::system_clock::time_point now;
  std::chrono::milliseconds minute{60'000};  // how fast "3 minutes ago" grows
};

// Pieces of HTML for their places. What is noise in JSON and feeds alone has none.
struct NoiseParts {
  std::string head, top, bottom;
  std::string link_query;  // behind the targets of links
  std::string attribute;   // of elements
  bool shuffle = false;    // the list comes in another order
};
using Random = std::mt19937_64;
NoiseParts draw_noise(NoiseKind kind, const NoiseMoment& moment, Random& random);

std::string random_hex(Random& random, std::size_t digits);
std::string random_base64(Random& random, std::size_t length);
// By strftime, in UTC.
std::string written(std::chrono::system_clock::time_point at, const char* format);

}  // namespace pollux::demo
