#include "support/site_web.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace pollux::test {
namespace {

constexpr auto site_words = std::to_array<std::string_view>(
    {"harbour", "bridge", "meadow", "lantern", "orchard", "quarry", "village", "ferry", "tower",
     "garden", "market", "chapel", "valley", "castle", "forest", "island"});

// The same for the same numbers.
std::string prose(std::size_t seed, int words) {
  std::string text;
  for (int i = 0; i < words; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    text += (i == 0 ? "" : " ") + std::string(site_words[(seed >> 33) % site_words.size()]);
  }
  return text;
}

double ms(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

SiteWeb::SiteWeb(Options options) : options_(options) {
  const std::size_t all = options_.site_pages + options_.other_pages;
  for (std::size_t i = 0; i < all; ++i) {
    std::string path = "/p/" + std::to_string(i);
    if (is_of_site(i)) {
      hosts_.push_back(site_host());
      path = "/docs/part" + std::to_string(i / 25) + path;
    } else {
      hosts_.push_back("127.0.6." + std::to_string(1 + i % options_.other_hosts));
    }
    urls_.push_back(origin_.url_at(hosts_.back(), path));
  }
  origin_.otherwise([this](Exchange& exchange) -> Step { co_await answer(exchange); });
}

SteadyTime SiteWeb::redeploy() {
  std::lock_guard lock(mutex_);
  ++deployed_;
  return std::chrono::steady_clock::now();
}

std::vector<SiteWeb::Request> SiteWeb::log() const {
  std::lock_guard lock(mutex_);
  return log_;
}

int SiteWeb::version(std::size_t page, SteadyTime now) const {
  if (is_of_site(page)) return deployed_;
  if (options_.lively_every == 0 || page % options_.lively_every != 0) return 0;
  // Each at its own moment of the period.
  const auto phase = options_.lively_period * static_cast<int>(page % 97) / 97;
  return static_cast<int>((now - begun_ + phase) / options_.lively_period);
}

std::string SiteWeb::body(std::size_t page, int version) const {
  const auto salt = static_cast<std::size_t>(version) * 1000003 + page;
  return "<!doctype html><html><head><title>Page " + std::to_string(page) +
         "</title></head><body><h1>" + prose(page, 4) + "</h1><p>" + prose(page + 7, 60) +
         "</p><h2>" + prose(salt, 5) + "</h2><p>" + prose(salt + 13, 25) + "</p><p>" +
         prose(page + 29, 60) + "</p></body></html>\n";
}

Step SiteWeb::answer(Exchange& exchange) {
  const std::string_view path = exchange.path;
  const std::size_t at = path.rfind("/p/");
  std::size_t page = urls_.size();
  if (at != std::string_view::npos)
    std::from_chars(path.data() + at + 3, path.data() + path.size(), page);
  if (page >= urls_.size()) {
    co_await exchange.respond(404, "Content-Type: text/plain\r\n", "no such page");
    co_return;
  }
  std::string text;
  std::size_t entry = 0;
  {
    std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    const int shown = version(page, now);
    text = body(page, shown);
    entry = log_.size();
    log_.push_back({page, is_of_site(page) ? shown : 0, now, now});
  }
  co_await exchange.respond(200, "Content-Type: text/html; charset=utf-8\r\n", std::move(text));
  std::lock_guard lock(mutex_);
  log_[entry].answered = std::chrono::steady_clock::now();
}

namespace {

struct AskedPage {
  SteadyTime poll, last;
  int requests = 0;
};

// Empty, or by how much too early this is another poll.
std::string too_soon(AskedPage& page, SteadyTime now, const SiteWeb& web,
                     const SiteLimits& limits) {
  const bool same_poll = page.requests < 3 && now - page.last < limits.moment;
  const bool first = page.requests == 0;
  const auto apart = first ? now - now : now - page.poll + web.lateness(page.poll, page.poll);
  page.last = now;
  ++page.requests;
  if (!first && same_poll) return {};
  page.poll = now;
  page.requests = 1;
  if (first || apart + limits.tolerance >= limits.min_interval) return {};
  return std::to_string(ms(apart)) + " ms after its last poll: ";
}

}  // namespace

std::vector<std::string> complaints(const SiteWeb& web, const SiteLimits& limits) {
  std::vector<std::string> found;
  const std::vector<SiteWeb::Request> log = web.log();
  std::map<std::string, std::vector<SiteWeb::Request>> of_hosts;
  std::map<std::size_t, AskedPage> of_pages;
  const auto in_a_second = static_cast<std::size_t>(
      limits.budget * (1 + static_cast<double>(limits.tolerance.count()) / 1000) + 1);
  std::size_t from = 0;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const SiteWeb::Request& one = log[i];
    const std::string& url = web.urls()[one.page];
    // What came late stands closer together than it was sent.
    const auto late = web.lateness(log[from].came, one.came);
    while (from < i && one.came - log[from].came + late >= std::chrono::seconds(1)) ++from;
    if (limits.budget > 0 && i - from + 1 > in_a_second)
      found.push_back(std::to_string(i - from + 1) + " requests in a second");
    std::vector<SiteWeb::Request>& of_host = of_hosts[web.host(one.page)];
    const auto open = static_cast<std::size_t>(
        1 + std::count_if(of_host.begin(), of_host.end(), [&](const SiteWeb::Request& earlier) {
          return earlier.answered > one.came;
        }));
    if (open > limits.connections) found.push_back(std::to_string(open) + " at a time: " + url);
    if (!of_host.empty()) {
      const SteadyTime before = of_host.back().came;
      if (one.came - before + web.lateness(before, one.came) + limits.tolerance < limits.delay)
        found.push_back(std::to_string(ms(one.came - before)) +
                        " ms after another of its host: " + url);
    }
    of_host.push_back(one);
    if (std::string soon = too_soon(of_pages[one.page], one.came, web, limits); !soon.empty())
      found.push_back(soon + url);
  }
  return found;
}

}  // namespace pollux::test
