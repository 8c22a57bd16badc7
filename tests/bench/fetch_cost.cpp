// What the fetcher alone costs beside the bare loop: CPU microseconds for one request. The loop is
// measured with and without its hashing, which is not the fetcher's work. Each measurement is a
// process of its own, in turn, so that one's memory is not the other's and a noisy moment hits all.
//   bench_fetch_cost BASE_URL PAGES SECONDS [IN_FLIGHT [ROUNDS [bare|fetcher]]]
// Prints the median of each and the median ratios; with a name, that one alone, for a profiler.
#include "bench/bare_loop.hpp"
#include "pollux/fetch/curl_fetcher.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace pollux;
using bench::Tally;

struct Load {
  std::string base;
  std::size_t pages = 0, in_flight = 0;
  double seconds = 0;
  std::size_t warm_up() const { return in_flight * 10; }
};

enum class Sending { when_ready, from_on_ready };

class Poller final : public fetch::Handler {
 public:
  Poller(const Load& load, Sending sending)
      : load_(load), sending_(sending), meter_(load.warm_up()) {}

  Tally run() {
    fetch::Options options;
    options.allow = {"127.0.0.0/8"};
    fetcher_ = fetch::make_curl_fetcher(io_, options, *this).value();
    for (std::size_t i = 0; i < load_.in_flight; ++i) start();
    while (meter_.seconds() < load_.seconds && io_.run_one() > 0) {
    }
    return meter_.result();
  }
  void on_ready(fetch::Token token) override { fetcher_->send(token); }
  void on_piece(fetch::Token, std::string) override {}
  void on_done(fetch::Response response) override {
    meter_.count(response.failure == fetch::Failure::none && response.status == 200);
    start();
  }

 private:
  void start() {
    fetch::Request request;
    request.token = fetch::Token{started_};
    request.url = load_.base + std::to_string(started_++ % load_.pages);
    request.user_agent = "pollux-bench";
    request.send_when_ready = sending_ == Sending::when_ready;
    fetcher_->start(std::move(request));
  }

  const Load& load_;
  const Sending sending_;
  boost::asio::io_context io_{1};
  std::unique_ptr<fetch::Fetcher> fetcher_;
  bench::Meter meter_;
  std::uint64_t started_ = 0;
};

// In a child.
template <typename Measure>
std::optional<double> microseconds_a_request(Measure measure) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    const Tally tally = measure();
    const bool written = write(ends[1], &tally, sizeof tally) == sizeof tally;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Tally tally;
  const bool read_all = read(ends[0], &tally, sizeof tally) == sizeof tally;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!read_all || status != 0 || tally.polls == 0 || tally.errors != 0) return {};
  return tally.cpu_seconds * 1e6 / static_cast<double>(tally.polls);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 64;
  const auto number = [&](int at, std::size_t otherwise) {
    return argc > at ? std::strtoull(argv[at], nullptr, 10) : otherwise;
  };
  const Load load{argv[1], number(2, 1), number(4, 64), std::strtod(argv[3], nullptr)};
  const auto bare = [&](bench::Hashing hashing) {
    return bench::bare_loop(load.base, load.pages, load.seconds, load.in_flight, hashing,
                            load.warm_up());
  };
  if (argc > 6) {
    const Tally tally = argv[6] == std::string_view("bare")
                            ? bare(bench::Hashing::no)
                            : Poller(load, Sending::when_ready).run();
    std::printf("polls %zu cpu %.2f us errors %zu\n", tally.polls,
                tally.cpu_seconds * 1e6 / static_cast<double>(tally.polls), tally.errors);
    return 0;
  }
  std::vector<double> loop, hashing_loop, fetcher, two_steps, ratios, hashing_ratios;
  for (std::size_t round = 0; round < number(5, 7); ++round) {
    const auto plain = microseconds_a_request([&] { return bare(bench::Hashing::no); });
    const auto at_once =
        microseconds_a_request([&] { return Poller(load, Sending::when_ready).run(); });
    const auto hashing = microseconds_a_request([&] { return bare(bench::Hashing::yes); });
    const auto asked =
        microseconds_a_request([&] { return Poller(load, Sending::from_on_ready).run(); });
    if (!plain || !at_once || !hashing || !asked) return 1;
    loop.push_back(*plain);
    hashing_loop.push_back(*hashing);
    fetcher.push_back(*at_once);
    two_steps.push_back(*asked);
    ratios.push_back(*at_once / *plain);
    hashing_ratios.push_back(*at_once / *hashing);
  }
  std::printf(
      "loop %.1f hashing_loop %.1f fetcher %.1f sending_from_on_ready %.1f ratio %.2f "
      "ratio_to_hashing %.2f\n",
      median(loop), median(hashing_loop), median(fetcher), median(two_steps), median(ratios),
      median(hashing_ratios));
  return 0;
}
