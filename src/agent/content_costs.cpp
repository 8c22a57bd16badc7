#include "agent/content_costs.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace pollux::agent {
namespace {

// Polls: how many are remembered, and how many a guess is worth.
constexpr int page_memory = 10, host_memory = 50;
constexpr float page_guess = 2, host_guess = 1, bytes_guess = 0.5;

double cost(double bytes, double messages, const ContentPrices& prices, const Way& way) {
  const double seconds = way.round_trip() / 2 * messages + way.seconds_per_byte() * bytes;
  return bytes + prices.worth * seconds;
}

// "host:port", or whatever stands where it should.
std::string_view host_of(std::string_view url) {
  const std::size_t begin = std::min(url.find("//"), url.size());
  return url.substr(0, url.find('/', begin + 2));
}

}  // namespace

double cost_at_once(const ContentEstimate& content, const ContentPrices& prices, const Way& way) {
  return cost(content.bytes, 0, prices, way);
}

double cost_hash_first(const ContentEstimate& content, const ContentPrices& prices,
                       const Way& way) {
  return cost(prices.hash, 0, prices, way) +
         content.wanted * cost(prices.pair + content.bytes, 2, prices, way);
}

bool ContentCosts::hash_first(const ContentClass& poll, const Way& way) {
  const Entry* known = std::as_const(*this).page(poll.url);
  if (known != nullptr && known->lost) {
    page(poll.url).lost = false;
    return false;
  }
  if (mode_ != ContentMode::automatic) return mode_ == ContentMode::hash_first;
  if (known == nullptr || known->bytes.seen == 0) return false;
  const ContentEstimate content = estimate(poll);
  return cost_hash_first(content, prices_, way) < cost_at_once(content, prices_, way);
}

void ContentCosts::judged(const ContentClass& poll, Wanted wanted, std::size_t bytes) {
  const bool first = page(poll.url).bytes.seen == 0;
  const std::pair<Entry*, int> both[] = {{&page(poll.url), page_memory},
                                         {&host(poll.url), host_memory}};
  for (const auto& [entry, memory] : both) {
    entry->bytes.add(static_cast<float>(bytes), memory);
    if (!first) entry->wanted[poll.named ? 1 : 0].add(wanted == Wanted::yes ? 1 : 0, memory);
  }
}

void ContentCosts::lost(std::string_view url) {
  page(url).lost = true;
}

void ContentCosts::note_pair(std::size_t bytes) {
  prices_.pair += (static_cast<double>(bytes) - prices_.pair) / page_memory;
}

ContentEstimate ContentCosts::estimate(const ContentClass& poll) const {
  const Entry *own = page(poll.url), *near = host(poll.url);
  ContentEstimate guess;
  if (own == nullptr) return guess;
  const std::size_t which = poll.named ? 1 : 0;
  const float of_host = near->wanted[which].with(static_cast<float>(guess.wanted), host_guess);
  guess.wanted = own->wanted[which].with(of_host, page_guess);
  if (near->bytes.seen > 0) guess.bytes = near->bytes.value;
  guess.bytes = own->bytes.with(static_cast<float>(guess.bytes), bytes_guess);
  return guess;
}

void ContentCosts::Mean::add(float next, int memory) {
  seen = static_cast<std::uint8_t>(std::min(seen + 1, memory));
  value += (next - value) / static_cast<float>(seen);
}

const ContentCosts::Entry* ContentCosts::page(std::string_view url) const {
  return pages_.empty() ? nullptr : &pages_[std::hash<std::string_view>()(url) % pages];
}
const ContentCosts::Entry* ContentCosts::host(std::string_view url) const {
  return hosts_.empty() ? nullptr : &hosts_[std::hash<std::string_view>()(host_of(url)) % hosts];
}

ContentCosts::Entry& ContentCosts::page(std::string_view url) {
  pages_.resize(pages);
  return pages_[std::hash<std::string_view>()(url) % pages];
}
ContentCosts::Entry& ContentCosts::host(std::string_view url) {
  hosts_.resize(hosts);
  return hosts_[std::hash<std::string_view>()(host_of(url)) % hosts];
}

}  // namespace pollux::agent
