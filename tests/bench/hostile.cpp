// The whole list of bad servers at once: what it does to memory, to the event loop and to the
// healthy pages among them.
//   bench_hostile [SECONDS] [PAGES]
//   bench_hostile ATTACK...       only these of hostile/watched.hpp; or "list", or "attacks" for
//   all
// A fifth of the pages is healthy. Each bad page serves good content first and misbehaves ever
// after, so that anything could be taken for a change. The healthy pages are polled alone first.
#include "bench/hostile/watched.hpp"
#include "pollux/store/reader.hpp"
#include "support/behaviours.hpp"
#include "support/certificate.hpp"
#include "support/http2.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* content = "what the page says when all is well";
constexpr int good_hosts = 20;
constexpr int hosts_per_kind = 4;
constexpr auto warm_up = 20s;

std::string ok_with(const std::string& fields, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body;
}
Script encoded(const std::string& encoding, const std::string& body) {
  return serve::page(body, "Content-Encoding: " + encoding + "\r\n");
}
Script retry_after(const std::string& value) {
  return serve::status(503, "Retry-After: " + value + "\r\n");
}

// Never a change, whatever it does.
std::vector<Script> bad_kinds() {
  return {serve::silence(),
          serve::slow_body(1s),
          serve::slow_headers(1s),
          serve::reset(),
          serve::reset_after(ok_with("Content-Length: 1000\r\n", "some")),
          serve::short_body(1000, "some"),
          serve::endless_chunks(),
          serve::raw(ok_with("Content-Length: 10000000000000\r\n", "x")),
          serve::raw(ok_with("Content-Length: -5\r\n", "hello")),
          serve::raw(ok_with("Content-Length: 4\r\nContent-Length: 5\r\n", "hello")),
          serve::raw(ok_with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
          serve::raw(ok_with("Transfer-Encoding: chunked\r\n", "-5\r\nhello\r\n0\r\n\r\n")),
          serve::endless_trailers(),
          serve::gzip_bomb(100u << 20),
          encoded("br", "brotli"),
          encoded("zstd", "zstd"),
          encoded("gzip, gzip, gzip, gzip, gzip, gzip", "layers"),
          encoded("gzip", gzip(std::string(5000, 'a')).substr(0, 20)),
          encoded("gzip", "never compressed"),
          serve::header_flood(),
          serve::endless_early_hints(),
          serve::http_0_9(),
          serve::raw(ok_with(std::string("X: a\0b\r\n", 8), content)),
          serve::status(304),
          serve::page(""),
          serve::status(204),
          serve::status(206, "Content-Range: bytes 0-3/35\r\n", "what"),
          serve::page(content, "ETag: \"" + std::string(1u << 20, 'e') + "\"\r\n"),
          serve::page(content, "ETag: \"a\r\nX-Injected: b\"\r\n"),
          [](Exchange& x) -> Step {
            co_await x.respond(200, "ETag: \"" + std::to_string(x.nth) + "\"\r\n", content);
          },
          retry_after("-1"),
          retry_after("1000000000000"),
          retry_after("Sun, 06 Nov 1994 08:49:37 GMT"),
          retry_after("garbage"),
          [](Exchange& x) -> Step { co_await x.respond(302, "Location: " + x.path + "\r\n", ""); },
          [](Exchange& x) -> Step {
            co_await x.respond(302, "Location: " + x.path + "?" + std::to_string(x.nth) + "\r\n",
                               "");
          },
          serve::redirect(302, "ftp://127.0.0.1/"),
          serve::redirect(302, "file:///etc/passwd"),
          serve::redirect(302, "http://169.254.169.254/latest/"),
          serve::redirect(302, "http://10.0.0.1/"),
          serve::redirect(302, "http://[fd00:ec2::254]/"),
          serve::redirect(302, "http://a\\@b/"),
          serve::redirect(302, "http://nowhere.invalid/"),
          serve::repeat("HTTP/1.1 200 OK\r\n", "Set-Cookie: a=" + std::string(500, 'x') + "\r\n"),
          [](Exchange& x) -> Step {
            if (x.nth % 3 == 2) {
              x.close();
            } else {
              co_await x.respond(200, "", content);
            }
          },
          serve::status(500),
          serve::page(content, "Content-Type: text/html; charset=utf-99\r\n")};
}

struct Site {
  explicit Site(int pages) {
    const std::vector<Script> kinds = bad_kinds();
    const int healthy_count = pages / 5;
    for (int i = 0; i < healthy_count; ++i) {
      const std::string host = "127.0.1." + std::to_string(1 + i % good_hosts);
      healthy.push_back(good.url_at(host, "/" + std::to_string(i)));
    }
    good.otherwise(serve::page("a healthy page"));
    const int secure_count = pages / 50;
    const int plain_count = pages - healthy_count - secure_count;
    for (int i = 0; i < plain_count; ++i) {
      const auto kind = static_cast<std::size_t>(i) % kinds.size();
      const std::string path = "/" + std::to_string(i);
      bad.on(path, serve::in_turn({serve::page(content), kinds[kind]}));
      const int host = i / static_cast<int>(kinds.size()) % hosts_per_kind;
      hostile.push_back(
          bad.url_at("127.1." + std::to_string(kind) + "." + std::to_string(1 + host), path));
    }
    add_secure(secure_count);
  }

  void add_secure(int pages) {
    const auto add = [&](Origin::Options options, const Script& script) {
      options.tls = true;
      secure.push_back(std::make_unique<Origin>(options));
      secure.back()->otherwise(serve::in_turn({serve::page(content), serve::reset()}));
      if (options.http2) secure.back()->on("*", script);
      certificates += secure.back()->ca_pem();
    };
    const auto flood = [](http2::Type type, const std::string& payload) {
      std::string many;
      while (many.size() < 16000) many += http2::frame(type, 0, 0, payload);
      return http2::server([many](unsigned nth, std::uint32_t stream) {
        return nth % 2 == 1 ? http2::Reaction{http2::page(stream, content)}
                            : http2::Reaction{"", many};
      });
    };
    add({.certificate = {.expired = true}}, {});
    add({.certificate = {.names = "DNS:other.example"}}, {});
    add({}, {});
    add({.http2 = true}, flood(http2::Type::ping, "pingping"));
    add({.http2 = true}, flood(http2::Type::settings, ""));
    add({.http2 = true}, http2::server([](unsigned, std::uint32_t) {
          return http2::Reaction{http2::frame(http2::Type::goaway, 0, 0, std::string(8, '\0'))};
        }));
    for (int i = 0; i < pages; ++i) {
      const auto which = static_cast<std::size_t>(i) % secure.size();
      hostile.push_back(secure[which]->url("/" + std::to_string(i)));
    }
  }

  Origin good{Origin::Options{.address = "0.0.0.0"}};
  Origin bad{Origin::Options{.address = "0.0.0.0"}};
  std::vector<std::unique_ptr<Origin>> secure;
  std::string certificates;
  std::vector<std::string> healthy, hostile;
};

struct Seen {
  std::int64_t healthy_polls = 0, healthy_errors = 0, bad_polls = 0, bad_errors = 0;
  std::int64_t false_changes = 0;
  double peak_mb = 0, stall_p999_ms = 0, stall_longest_ms = 0;
  int exit_code = -1;
};

Seen run(Site& site, bool alone, int seconds, const TempFolder& folder) {
  std::ofstream(folder.file("ca.pem")) << site.certificates;
  std::ofstream config(folder.file("pollux.yaml"));
  config << "budget: 1000\ndatabase: " << (alone ? "alone.db" : "hostile.db")
         << "\nnetwork: { allow: [127.0.0.0/8], ca_file: ca.pem }\nlearner: { policy: uniform }\n"
         << "log: { level: warn }\ndefaults: { min_interval: 10s }\nhosts:\n  delay: 100ms\n"
         << "  overrides:\n";
  for (int i = 1; i <= good_hosts; ++i) {
    config << "    \"127.0.1." << i << "\": { delay: 0s, connections: 4 }\n";
  }
  config << "pages:\n";
  for (const std::string& url : site.healthy) config << "  - " << url << "\n";
  if (!alone) {
    for (const std::string& url : site.hostile) config << "  - " << url << "\n";
  }
  config.close();
  Seen seen;
  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  // The first sweep, when everything is new, is not counted.
  std::this_thread::sleep_for(warm_up);
  const std::size_t before = site.good.requests();
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  seen.healthy_polls = static_cast<std::int64_t>(site.good.requests() - before);
  seen.peak_mb = daemon.peak_mb();
  daemon.send(SIGTERM);
  const Finished finished = daemon.wait();
  seen.exit_code = finished.exit_code;
  auto reader = store::Reader::open(folder.file(alone ? "alone.db" : "hostile.db"));
  if (!reader.ok()) return seen;
  store::Reader::PageQuery every;
  every.limit = 0;
  const auto pages = (*reader)->pages(every);
  if (!pages.ok()) return seen;
  for (const store::PageRow& page : *pages) {
    const bool healthy = page.spec.host.starts_with("127.0.1.");
    seen.false_changes += page.progress.changes;
    if (!healthy) seen.bad_polls += page.progress.polls;
    (healthy ? seen.healthy_errors : seen.bad_errors) += page.progress.errors;
  }
  const auto meta = (*reader)->meta();
  if (meta.ok() && meta->contains("loop_stall_p999_ms")) {
    seen.stall_p999_ms = std::stod(meta->at("loop_stall_p999_ms"));
    seen.stall_longest_ms = std::stod(meta->at("loop_stall_longest_ms"));
  }
  return seen;
}

using hostile::verdict;

int bench(int seconds, int pages) {
  const TempFolder folder;
  // The origin has both ends of many connections in this process alone.
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  Site site(pages);
  const Seen alone = run(site, true, seconds, folder);
  const Seen all = run(site, false, seconds, folder);
  const double share = 100.0 * static_cast<double>(all.healthy_polls) /
                       static_cast<double>(std::max<std::int64_t>(alone.healthy_polls, 1));
  std::printf("   %d s; healthy: %zu pages, %lld polls alone, %lld among the others, %lld errors\n",
              seconds, site.healthy.size(), static_cast<long long>(alone.healthy_polls),
              static_cast<long long>(all.healthy_polls),
              static_cast<long long>(all.healthy_errors));
  std::printf("   bad: %zu pages, %lld polls, %lld errors\n", site.hostile.size(),
              static_cast<long long>(all.bad_polls), static_cast<long long>(all.bad_errors));
  std::printf("   false changes %lld (wanted: 0) %s\n", static_cast<long long>(all.false_changes),
              verdict(all.false_changes == 0));
  std::printf("   peak memory %.0f MB (wanted: 256 or less) %s\n", all.peak_mb,
              verdict(all.peak_mb <= 256));
  std::printf("   healthy pages get %.1f %% of the polls they get alone (wanted: 95 or more) %s\n",
              share, verdict(share >= 95));
  std::printf(
      "   event loop late, p99.9 %.0f ms (wanted: below 50) %s, longest %.0f ms; alone %.0f "
      "and %.0f\n",
      all.stall_p999_ms, verdict(all.stall_p999_ms < 50), all.stall_longest_ms, alone.stall_p999_ms,
      alone.stall_longest_ms);
  return all.exit_code == 0 ? 0 : 1;
}

}  // namespace
}  // namespace pollux::test

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string first = argc > 1 ? argv[1] : "";
  const bool named = !first.empty() && first.find_first_not_of("0123456789") != std::string::npos;
  const auto wanted = [&](std::string_view name, bool attack) {
    if (!named) return true;
    for (int i = 1; i < argc; ++i) {
      if (argv[i] == name || (attack && std::string_view(argv[i]) == "attacks")) return true;
    }
    return false;
  };
  int failed = 0;
  if (wanted("list", false)) {
    failed = pollux::test::bench(named || argc < 2 ? 60 : std::atoi(argv[1]),
                                 named || argc < 3 ? 10000 : std::atoi(argv[2]));
  }
  for (const pollux::hostile::Attack& attack : pollux::hostile::attacks) {
    if (wanted(attack.name, true)) attack.run();
  }
  return failed;
}
