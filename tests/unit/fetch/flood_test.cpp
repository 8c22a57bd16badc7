// Servers that fill their connections with HTTP/2 frames instead of answers, several at a time.
#include "fetch_fixture.hpp"
#include "support/http2.hpp"

namespace pollux::fetch {
namespace {

namespace http2 = test::http2;

constexpr int flooding = 6;

class FloodTest : public FetchTest {
 protected:
  FloodTest() {
    std::string authorities;
    // Answers to pings that nobody sent: the cheapest for the server, each one work for the client.
    constexpr unsigned char is_answer = 1;
    std::string frames;
    while (frames.size() < 16'000) {
      frames += http2::frame(http2::Type::ping, is_answer, 0, "pingping");
    }
    for (int i = 0; i < flooding; ++i) {
      floods_.push_back(std::make_unique<Origin>(Origin::Options{.tls = true, .http2 = true}));
      floods_.back()->on("*", http2::server([frames](unsigned, std::uint32_t) {
                           return http2::Reaction{"", frames};
                         }));
      authorities += floods_.back()->ca_pem();
    }
    trust(authorities);
    origin.otherwise(serve::page("a healthy page"));
  }

  std::vector<std::unique_ptr<Origin>> floods_;
};

TEST_F(FloodTest, many_at_once_starve_nobody_and_are_ended_long_before_their_time_out) {
  for (int i = 0; i < flooding; ++i) {
    Request request = FetchTest::request(floods_[static_cast<std::size_t>(i)]->url("/"),
                                         static_cast<std::uint64_t>(100 + i));
    request.timeout = 10min;
    fetcher().start(std::move(request));
  }
  // Each healthy answer starts the next request, whatever the floods do.
  int healthy = 0;
  when_done = [&](const Response& response) {
    if (response.token != Token{1}) return;
    EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
    if (++healthy < 30) fetcher().start(request(origin.url("/")));
  };
  fetcher().start(request(origin.url("/")));
  run_until_done(flooding + 30);
  EXPECT_EQ(healthy, 30);
  for (const Response& response : done) {
    if (response.token == Token{1}) continue;
    EXPECT_NE(response.failure, Failure::none);
    EXPECT_NE(response.failure, Failure::timeout) << response.failure_text;
  }
}

// Each chunk is a call of curl's; the quota of a turn stops them many times.
using Crumbs = FetchTest;
TEST_F(Crumbs, of_many_bodies_at_once_arrive_whole) {
  constexpr std::uint64_t bodies = 20;
  std::string content;
  for (int i = 0; content.size() < 60'000; ++i) content += std::to_string(i) + ' ';
  origin.on("/crumbs", serve::crumbs(content));
  for (std::uint64_t i = 1; i <= bodies; ++i) fetcher().start(request(origin.url("/crumbs"), i));
  run_until_done(bodies);
  for (const Response& response : done) {
    EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
    EXPECT_EQ(response.body, content);
  }
}

}  // namespace
}  // namespace pollux::fetch
