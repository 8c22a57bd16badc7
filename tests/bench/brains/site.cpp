#include "bench/brains/site.hpp"

#include "pollux/base/rng.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace pollux::test {

ChangingSite::ChangingSite(const Options& options) : options_(options) {
  Rng rng(options.seed);
  for (std::size_t host = 0; host < options.hosts; ++host) {
    const double usual =
        std::pow(options.slowest_s / options.fastest_s, rng.uniform()) / options.slowest_s;
    for (std::size_t i = 0; i < options.pages_per_host; ++i) {
      const double rate = usual * std::pow(3, 2 * rng.uniform() - 1);
      rates_ += rate;
      auto& times = changes_.emplace_back();
      for (double at = rng.exponential(rate); at < options.seconds; at += rng.exponential(rate))
        times.push_back(at);
    }
  }
  origin_.otherwise([this](Exchange& exchange) -> Step { co_await answer(exchange); });
}

std::string ChangingSite::url(std::size_t watcher, std::size_t page) const {
  return origin_.url_at(host_name(host_of(page)),
                        "/" + std::to_string(watcher) + "/" + std::to_string(page));
}

std::size_t ChangingSite::version(std::size_t page, SteadyTime at) const {
  const double now = std::chrono::duration<double>(at - begun_).count();
  const auto& times = changes_[page];
  return static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), now) -
                                  times.begin());
}

Step ChangingSite::answer(Exchange& exchange) {
  Request request;
  request.came = std::chrono::steady_clock::now();
  char* end = nullptr;
  request.watcher = std::strtoul(exchange.path.c_str() + 1, &end, 10);
  request.page = std::strtoul(end + 1, nullptr, 10);
  request.version = version(request.page, request.came);
  {
    const std::lock_guard lock(mutex_);
    log_.push_back(request);
  }
  co_await exchange.respond(200, "Content-Type: text/plain\r\n",
                            "page " + std::to_string(request.page) + ", version " +
                                std::to_string(request.version) + "\n");
}

std::vector<ChangingSite::Request> ChangingSite::log(std::size_t watcher) const {
  const std::lock_guard lock(mutex_);
  std::vector<Request> of_watcher;
  std::copy_if(log_.begin(), log_.end(), std::back_inserter(of_watcher),
               [&](const Request& one) { return one.watcher == watcher; });
  return of_watcher;
}

std::size_t ChangingSite::changes(SteadyTime from, SteadyTime to) const {
  std::size_t all = 0;
  for (std::size_t page = 0; page < pages(); ++page) all += version(page, to) - version(page, from);
  return all;
}

ChangingSite::Fullest ChangingSite::fullest_second(std::size_t watcher, SteadyTime from,
                                                   SteadyTime to) const {
  using namespace std::chrono_literals;
  const auto requests = log(watcher);
  Fullest fullest;
  std::size_t first = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const SteadyTime at = requests[i].came;
    if (at < from || at >= to) continue;
    while (at - requests[first].came >= 1s || requests[first].came < from) ++first;
    const std::size_t in_second = i - first + 1;
    fullest.most = std::max(fullest.most, in_second);
    if (in_second <= fullest.less) continue;
    const auto late = origin_.lateness(requests[first].came, at);
    std::size_t later = first;
    while (at - requests[later].came >= 1s - std::min<std::chrono::milliseconds>(late, 999ms))
      ++later;
    fullest.less = std::max(fullest.less, i - later + 1);
  }
  return fullest;
}

}  // namespace pollux::test
