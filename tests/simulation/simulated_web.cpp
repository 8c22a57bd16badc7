#include "simulation/simulated_web.hpp"

#include "pollux/base/url.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pollux::simulation {

using namespace std::chrono_literals;
using fetch::Failure;

struct SimulatedWeb::Page {
  std::string path;
  double changes_per_second = 0;
  Instant next_change{};
  std::uint64_t version = 0;
  bool validators = false;
};

struct SimulatedWeb::Host {
  std::size_t number = 0;
  std::string name;
  Habit habit = Habit::healthy;
  Duration latency{};
  bool kept_connection = false;
  // Bad hours, one after the other.
  Instant down_from{}, down_until{};
  Instant blocked_until{};
  std::vector<Page> pages;
};

struct SimulatedWeb::Exchange {
  fetch::Request request;
  Host* host = nullptr;
  std::string path;
  Instant started{}, sent{};
  bool is_sent = false;
  std::unique_ptr<Timer> timer;
};

SimulatedWeb::SimulatedWeb(EventLoop& loop, const Clock& clock, const WebOptions& options,
                           Observer& observer)
    : loop_(loop), clock_(clock), observer_(observer), rng_(options.seed) {
  constexpr Habit habits[] = {Habit::healthy,  Habit::healthy,    Habit::healthy, Habit::healthy,
                              Habit::healthy,  Habit::healthy,    Habit::flaky,   Habit::busy,
                              Habit::stalling, Habit::redirecting};
  for (std::size_t h = 0; h < options.hosts; ++h) {
    auto host = std::make_unique<Host>();
    host->number = h;
    host->name = host_name(h);
    host->habit = habits[h % std::size(habits)];
    host->latency = between(20ms, 800ms);
    host->down_from = clock_.now() + between(1h, 24h * 10);
    host->down_until = host->down_from + between(1min, 12h);
    for (std::size_t p = 0; p < options.pages_per_host; ++p) {
      Page page;
      page.path = "/" + std::to_string(p);
      // From one a minute to one a month, most of them slow.
      page.changes_per_second = std::exp(-4.1 - 10.6 * std::sqrt(rng_.uniform()));
      page.next_change =
          clock_.now() + from_seconds(-std::log(1 - rng_.uniform()) / page.changes_per_second);
      page.validators = rng_.uniform() < 0.5;
      host->pages.push_back(std::move(page));
    }
    if (const std::string path = forbidden_path(h); !path.empty()) {
      host->pages.push_back({path, 0, Instant::max(), 0, false});
    }
    by_name_.emplace(host->name, host.get());
    hosts_.push_back(std::move(host));
  }
}

SimulatedWeb::~SimulatedWeb() = default;

std::string SimulatedWeb::host_name(std::size_t host) const {
  return "h" + std::to_string(host) + ".test:80";
}

std::string SimulatedWeb::url(std::size_t host, std::size_t page) const {
  return "http://h" + std::to_string(host) + ".test" + hosts_[host]->pages[page].path;
}

std::string SimulatedWeb::forbidden_path(std::size_t host) {
  return host % 7 == 3 ? "/private" : "";
}

Duration SimulatedWeb::between(Duration least, Duration most) {
  return least + from_seconds(rng_.uniform() * to_seconds(most - least));
}

bool SimulatedWeb::is_down(Host& host) {
  const Instant now = clock_.now();
  while (host.down_until <= now) {
    host.down_from = host.down_until + between(1h, 24h * 10);
    host.down_until = host.down_from + between(1min, 12h);
  }
  return host.down_from <= now;
}

void SimulatedWeb::start(fetch::Request request) {
  const fetch::Token token = request.token;
  const Url url = parse_url(request.url).value();
  auto exchange = std::make_unique<Exchange>();
  exchange->host = by_name_.at(url.host_port);
  exchange->path = request.url.substr(request.url.find('/', 7));
  exchange->started = clock_.now();
  exchange->timer = loop_.make_timer();
  Host& host = *exchange->host;
  const bool kept = host.kept_connection && !request.fresh_connection;
  exchange->request = std::move(request);
  Timer& timer = *exchange->timer;
  const Duration patience = exchange->request.timeout;
  const bool down = is_down(host);
  exchanges_.emplace(token, std::move(exchange));
  if (down && host.number % 3 == 0) {  // packets vanish
    timer.arm(clock_.now() + std::min<Duration>(patience, 10s),
              [this, token] { finish(token, fail(*exchanges_.at(token), Failure::timeout)); });
  } else if (down) {
    timer.arm(clock_.now() + between(1ms, 50ms),
              [this, token] { finish(token, fail(*exchanges_.at(token), Failure::connect)); });
  } else {
    const Duration handshake = kept ? Duration::zero() : between(5ms, 300ms);
    timer.arm(clock_.now() + handshake, [this, token] { ready(token); });
  }
}

void SimulatedWeb::ready(fetch::Token token) {
  Exchange& exchange = *exchanges_.at(token);
  exchange.host->kept_connection = true;
  if (exchange.request.send_when_ready) return send(token);
  handler_->on_ready(token);
}

void SimulatedWeb::send(fetch::Token token) {
  Exchange& exchange = *exchanges_.at(token);
  Host& host = *exchange.host;
  exchange.sent = clock_.now();
  exchange.is_sent = true;
  observer_.on_request(host.name, exchange.path, clock_.now());
  const bool stalls = host.habit == Habit::stalling && rng_.uniform() < 0.3;
  if (stalls) {
    exchange.timer->arm(clock_.now() + exchange.request.timeout, [this, token] {
      finish(token, fail(*exchanges_.at(token), Failure::timeout));
    });
    return;
  }
  const Duration wait = host.latency / 2 + between(0ms, host.latency);
  exchange.timer->arm(clock_.now() + wait, [this, token] { answer(token); });
}

void SimulatedWeb::answer(fetch::Token token) {
  Exchange& exchange = *exchanges_.at(token);
  Host& host = *exchange.host;
  if (host.habit == Habit::flaky && rng_.uniform() < 0.15) {
    constexpr Failure failures[] = {Failure::connection_lost, Failure::protocol,
                                    Failure::bad_encoding, Failure::body_too_large};
    host.kept_connection = false;
    return finish(token, fail(exchange, failures[rng_.below(std::size(failures))]));
  }
  if (exchange.path == "/robots.txt") return finish(token, robots_txt(exchange, host));
  Page* found = find_page(host, exchange.path);
  if (found == nullptr) {
    fetch::Response gone;
    gone.status = 404;
    return finish(token, std::move(gone));
  }
  finish(token, page(exchange, host, *found));
}

SimulatedWeb::Page* SimulatedWeb::find_page(Host& host, const std::string& path) {
  const std::string asked = path.substr(0, path.find('?'));
  const auto found = std::find_if(host.pages.begin(), host.pages.end(),
                                  [&](const Page& page) { return page.path == asked; });
  return found == host.pages.end() ? nullptr : &*found;
}

fetch::Response SimulatedWeb::fail(const Exchange&, Failure failure) const {
  fetch::Response response;
  response.failure = failure;
  return response;
}

fetch::Response SimulatedWeb::robots_txt(const Exchange&, Host& host) {
  fetch::Response response;
  if (host.number % 7 == 3) {
    response.status = 200;
    response.body = "User-agent: *\nDisallow: /private\n";
    if (host.number % 14 == 3) response.body += "Crawl-delay: 7\n";
  } else if (host.number % 11 == 5 && rng_.uniform() < 0.3) {
    response.status = 503;
  } else {
    response.status = 404;
  }
  response.body_bytes = response.body.size();
  return response;
}

fetch::Response SimulatedWeb::page(const Exchange& exchange, Host& host, Page& page) {
  fetch::Response response;
  if (host.habit == Habit::busy && rng_.uniform() < 0.05) {
    response.status = rng_.uniform() < 0.5 ? 429 : 503;
    response.retry_after = between(30s, 2h);
    host.blocked_until = clock_.now() + *response.retry_after;
    observer_.on_block(host.name, host.blocked_until);
    return response;
  }
  const bool followed = exchange.path.find('?') != std::string::npos;
  if (host.habit == Habit::redirecting && !followed) {
    // To the page of the same name on the next host, which then serves this page's content.
    const Host& next = *hosts_[(host.number + 1) % hosts_.size()];
    response.status = 302;
    response.redirect_to = "http://" + next.name.substr(0, next.name.find(':')) + page.path +
                           "?from=" + std::to_string(host.number);
    return response;
  }
  while (page.next_change <= clock_.now()) {
    ++page.version;
    page.next_change += from_seconds(-std::log(1 - rng_.uniform()) / page.changes_per_second);
  }
  const std::string tag = "\"" + std::to_string(page.version) + "\"";
  if (page.validators && exchange.request.etag == tag) {
    response.status = 304;
    return response;
  }
  response.status = 200;
  if (page.validators) response.etag = tag;
  response.body = exchange.request.url + " version " + std::to_string(page.version);
  response.body_bytes = response.body.size();
  return response;
}

void SimulatedWeb::finish(fetch::Token token, fetch::Response response) {
  const auto found = exchanges_.find(token);
  const std::unique_ptr<Exchange> exchange = std::move(found->second);
  exchanges_.erase(found);
  const Instant now = clock_.now();
  response.token = token;
  response.final_url = exchange->request.url;
  response.elapsed = now - (exchange->is_sent ? exchange->sent : exchange->started);
  if (exchange->is_sent) {
    response.exchange = response.elapsed;
    observer_.on_answer(exchange->host->name, now);
  }
  if (response.failure == Failure::none && response.status == 200 &&
      exchange->path != "/robots.txt") {
    const std::size_t from = exchange->path.find("?from=");
    const std::size_t origin = from == std::string::npos
                                   ? exchange->host->number
                                   : std::stoul(exchange->path.substr(from + 6));
    observer_.on_content(
        "http://h" + std::to_string(origin) + ".test" + exchange->path.substr(0, from),
        response.body);
  }
  handler_->on_done(std::move(response));
}

void SimulatedWeb::cancel(fetch::Token token) {
  const auto found = exchanges_.find(token);
  if (found == exchanges_.end()) return;
  found->second->timer->arm(clock_.now(), [this, token] {
    finish(token, fail(*exchanges_.at(token), Failure::cancelled));
  });
}

void SimulatedWeb::cancel_all() {
  for (const auto& [token, exchange] : exchanges_) cancel(token);
}

}  // namespace pollux::simulation
