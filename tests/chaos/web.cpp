#include "chaos/web.hpp"

#include "pollux/detect/digest.hpp"
#include "support/behaviours.hpp"

#include <algorithm>
#include <array>

namespace pollux::chaos {
namespace {

using namespace std::chrono_literals;
using test::Exchange;
using test::Step;

// Variants of robots.txt: see Web::answer_robots.
constexpr std::int64_t robots_variants = 11;
constexpr char guest_path[] = "/guest/";  // where redirects lead, and the host that they come from
constexpr std::array<std::int64_t, 4> robots_that_forbid{3, 8, 9, 10};

std::string certificate_names() {
  std::string names = "DNS:localhost";
  for (unsigned i = victim_hosts - secure_hosts; i < victim_hosts; ++i)
    names += ",IP:" + address(Group::victim, i);
  return names;
}

SteadyTime time_now() {
  return std::chrono::steady_clock::now();
}

std::string wildcard_rules(const std::string& first = "") {
  std::string rules = "User-agent: *\n" + first;
  while (rules.size() < 500u * 1024)
    rules += "Disallow: /*a*b*c*d*e*f*g*h*" + std::to_string(rules.size()) + "$\n";
  return rules;
}

}  // namespace

Web::Web(Observer& observer, std::uint64_t seed)
    : observer_(observer),
      seed_(seed),
      plain_(test::Origin::Options{.address = "0.0.0.0", .measure_lateness = true}),
      secure_(test::Origin::Options{.tls = true,
                                    .certificate = {.names = certificate_names()},
                                    .address = "0.0.0.0",
                                    .measure_lateness = true}) {
  // As large as a page may be, so that nothing but its memory is wrong with it.
  const std::string unfolded = test::foldable_text(9'800'000);
  packed_ = test::gzip(unfolded);
  bomb_.hash = body(unfolded).hash;
  // A third of the late hosts forbid their pages from the beginning.
  for (unsigned i = 0; i < late_hosts; i += 3)
    robots_[address(Group::late, i)] = robots_that_forbid[(i / 3 + seed) % 4];
  const test::Script script = [this](Exchange& x) -> Step { co_await answer(x); };
  plain_.otherwise(script);
  secure_.otherwise(script);
  secure_.on_connect([this](Exchange& x) -> Step {
    while (time_now().time_since_epoch().count() < handshakes_from_) co_await x.sleep(20ms);
  });
}

Web::Body Web::body(const std::string& text) {
  detect::Digest digest;
  digest.update(text);
  return {text, detect::to_hex(digest.finish())};
}

std::string Web::host_of(const Exchange& x) {
  const std::string host = x.header("host");
  return host.substr(0, host.find(':'));
}

std::string Web::url(Group group, unsigned number) const {
  const bool tls = group == Group::victim && number >= victim_hosts - secure_hosts;
  return (tls ? secure_ : plain_).url_at(address(group, number), "/page");
}

std::chrono::milliseconds Web::lateness(SteadyTime from, SteadyTime to) const {
  return std::max(plain_.lateness(from, to), secure_.lateness(from, to));
}

void Web::misbehave(const Injection& injection) {
  const std::string host = address(Group::victim, injection.target);
  const SteadyTime until = time_now() + injection.lasts;
  switch (injection.kind) {
    case Kind::handshakes:
      handshakes_from_ = until.time_since_epoch().count();
      return;
    case Kind::robots: {
      const std::lock_guard lock(mutex_);
      robots_[address(Group::late, injection.target)] = injection.detail % robots_variants;
      return;
    }
    case Kind::bomb: {
      // All of them, or it would be a large page and no more.
      const std::lock_guard lock(mutex_);
      for (unsigned i = 0; i < victim_hosts; ++i) {
        moods_[address(Group::victim, i)] = {injection.kind, until, injection.detail};
      }
      return;
    }
    default: {
      const std::lock_guard lock(mutex_);
      moods_[host] = {injection.kind, until, injection.detail};
    }
  }
}

void Web::publish(Group group, unsigned number) {
  const std::lock_guard lock(mutex_);
  ++versions_[address(group, number)];
}

Web::Mood Web::mood_of(const std::string& host) const {
  const std::lock_guard lock(mutex_);
  const auto found = moods_.find(host);
  return found != moods_.end() && found->second.until > time_now() ? found->second
                                                                   : Mood{.kind = Kind::kinds};
}

Step Web::answer(Exchange& x) {
  const std::string host = host_of(x);
  observer_.arrived(host, x.path);
  if (x.path == "/robots.txt") {
    co_await answer_robots(x, host);
  } else if (x.path == "/busy") {
    co_await x.respond(429, "Retry-After: 3600\r\n", "");
  } else {
    co_await show(x, host, mood_of(host));
  }
}

Step Web::answer_robots(Exchange& x, const std::string& host) {
  std::int64_t variant = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = robots_.find(host);
    if (found != robots_.end()) variant = found->second;
  }
  static const std::string long_rules = wildcard_rules();
  static const std::string long_rules_that_forbid = wildcard_rules("Disallow: /pa\n");
  // A circle of redirects leads to no rules, and a failure says nothing.
  if (std::ranges::find(robots_that_forbid, variant) != robots_that_forbid.end()) {
    observer_.robots_said(host, Observer::Law::forbids);
  } else if (variant != 2 && variant < 6) {
    observer_.robots_said(host, Observer::Law::allows);
  }
  switch (variant) {
    case 1:
      co_return co_await x.respond(200, "", "User-agent: *\nCrawl-delay: 1\n");
    case 2:
      co_return co_await x.respond(500, "", "");
    case 3:
      co_return co_await x.respond(200, "", "User-agent: *\nDisallow: /\n");
    case 4:
      co_return co_await x.respond(200, "", long_rules);
    case 5:
      co_return co_await x.respond(301, "Location: /robots.txt\r\n", "");
    case 6:
      co_return co_await x.wait_for_close();
    case 7:
      co_return x.reset();
    case 8:
      co_return co_await x.respond(200, "", "User-agent: pollux\nDisallow: /*age\n");
    case 9:
      co_return co_await x.respond(
          200, "", "User-agent: *\nAllow: /p\nDisallow: /page\n\nUser-agent: other\nAllow: /\n");
    case 10:
      co_return co_await x.respond(200, "", long_rules_that_forbid);
    default:
      co_await x.respond(404, "", "");
  }
}

std::string Web::target_of_redirect(const std::string& host, std::int64_t detail) const {
  const auto number = static_cast<unsigned>(detail);
  switch (detail % 5) {
    case 0:
      return plain_.url_at(address(Group::healthy, number % healthy_hosts), "/target");
    case 1:
      return "http://10.0.0.1/";
    case 2:
      return plain_.url_at(host, "/page?again");  // in a circle
    case 3:
      return url(Group::late, number % late_hosts);  // which its robots.txt may forbid
    default: {
      // By a path that tells who comes.
      const unsigned other = number % victim_hosts;
      const std::string page = url(Group::victim, other);
      return page.substr(0, page.rfind('/')) + guest_path + host;
    }
  }
}

Step Web::respond_well(Exchange& x, const std::string& host) {
  std::uint64_t version = 0;
  {
    const std::lock_guard lock(mutex_);
    version = versions_[host];
  }
  std::string text = host + " says for the " + std::to_string(version + 1) + "th time:\n";
  for (int line = 0; line < 40; ++line) text += "line " + std::to_string(line) + " of a page\n";
  const Body whole = body(text);
  // For the page itself; a page that was redirected here has it, too.
  observer_.served(host, whole.hash, plain_.url_at(host, "/page"), version + 1);
  // Half of the hosts know their versions.
  const std::string tag = "\"" + std::to_string(version) + "\"";
  if (host.back() % 2 == 0) co_return co_await x.respond(200, "", whole.text);
  const bool same = x.header("if-none-match") == tag;
  co_await x.respond(same ? 304 : 200, "ETag: " + tag + "\r\n", whole.text);
}

Step Web::show(Exchange& x, const std::string& host, Mood mood) {
  const std::string half = "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" + host + " is cut";
  switch (mood.kind) {
    case Kind::stall:
      co_return co_await x.wait_for_close();
    case Kind::slow:
      co_return co_await test::serve::slow_body(200ms)(x);
    case Kind::reset:
      co_return x.reset();
    case Kind::reset_mid:
      co_return co_await test::serve::reset_after(half)(x);
    case Kind::cut:
      co_return co_await test::serve::raw(half)(x);
    case Kind::cut_bare: {
      // Never twice the same: nobody could know that it is cut.
      const std::string cut(1 + (seed_ + 7919u * x.nth) % 4000, 'c');
      co_return co_await test::serve::raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + host +
                                          cut)(x);
    }
    case Kind::busy: {
      const auto seconds = 2 + mood.detail % 5;
      // Before it is sent: nobody can have heard it earlier.
      const bool guest = x.path.starts_with(guest_path);
      observer_.asked_for_quiet(host, x.path,
                                guest ? Observer::Bound::guest : Observer::Bound::host,
                                std::chrono::seconds(seconds));
      co_return co_await x.respond(429, "Retry-After: " + std::to_string(seconds) + "\r\n", "");
    }
    case Kind::bomb:
      while (time_now() < mood.until) co_await x.sleep(10ms);
      observer_.served(host, bomb_.hash);
      co_return co_await x.respond(200, "Content-Encoding: gzip\r\n", packed_);
    case Kind::redirect:
      co_return co_await x.respond(
          302, "Location: " + target_of_redirect(host, mood.detail) + "\r\n", "");
    case Kind::silence_another:
      co_return co_await x.respond(
          302, "Location: " + plain_.url_at(address(Group::silenced, 0), "/busy") + "\r\n", "");
    default:
      co_await respond_well(x, host);
  }
}

}  // namespace pollux::chaos
