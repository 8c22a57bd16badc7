#include "engine/fetch_threads.hpp"

#include "engine/asio_loop.hpp"
#include "pollux/detect/digest.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;
using fetch::Failure;
using fetch::Response;
using fetch::Token;
using test::Origin;
namespace serve = test::serve;

std::optional<detect::Hash> digest_of(const std::string& text) {
  detect::Digest digest;
  digest.update(text);
  return digest.finish();
}

class FetchThreadsTest : public testing::Test, public fetch::Handler {
 protected:
  FetchThreadsTest() { options_.allow = {"127.0.0.0/8"}; }

  FetchThreads& fetcher() {
    if (!fetcher_) fetcher_ = FetchThreads::create(loop_, options_, 3, *this).value();
    return *fetcher_;
  }
  // Requests leave when they are ready, unless the test says otherwise.
  static fetch::Request request(std::string url, std::uint64_t token = 1) {
    fetch::Request r;
    r.token = Token{token};
    r.url = std::move(url);
    r.timeout = 10s;
    r.send_when_ready = true;
    return r;
  }
  Response fetch(fetch::Request r) {
    const Token token = r.token;
    fetcher().start(std::move(r));
    run_until([&] { return done_.contains(token); });
    return done_[token];
  }
  template <typename Condition>
  void run_until(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + 20s;
    while (!condition() && std::chrono::steady_clock::now() < limit) io_.run_one_for(20ms);
    EXPECT_TRUE(condition()) << "nothing came for a long time";
  }
  void run_for(std::chrono::milliseconds time) { io_.run_for(time); }

  void on_ready(Token token) override {
    EXPECT_EQ(std::this_thread::get_id(), caller_);
    ready_.push_back(token);
  }
  void on_piece(Token, std::string) override { ADD_FAILURE() << "no piece crosses"; }
  void on_done(Response response) override {
    EXPECT_EQ(std::this_thread::get_id(), caller_);
    EXPECT_TRUE(done_.emplace(response.token, response).second) << "answered twice";
  }

  const std::thread::id caller_ = std::this_thread::get_id();
  boost::asio::io_context io_{1};
  AsioLoop loop_{io_};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  fetch::Options options_;
  std::vector<Token> ready_;
  std::map<Token, Response> done_;
  std::unique_ptr<FetchThreads> fetcher_;
};

// Loopback addresses are hosts like any others.
class ManyHosts : public FetchThreadsTest {
 protected:
  static constexpr int hosts = 12;
  ManyHosts() {
    for (int i = 0; i < hosts; ++i) {
      origins_.push_back(std::make_unique<Origin>());
      origins_.back()->otherwise([i](test::Exchange& x) -> test::Step {
        co_await x.respond(200, "", "host " + std::to_string(i) + x.path);
      });
    }
  }
  std::vector<std::unique_ptr<Origin>> origins_;
};

TEST_F(ManyHosts, every_request_is_answered_once_on_the_callers_thread) {
  constexpr int each = 25;
  for (int n = 0; n < hosts * each; ++n) {
    const std::string path = "/" + std::to_string(n / hosts);
    fetcher().start(request(origins_[n % hosts]->url(path), n));
  }
  EXPECT_EQ(fetcher().in_flight(), hosts * each);
  EXPECT_TRUE(done_.empty()) << "never from inside start()";
  run_until([&] { return done_.size() == hosts * each; });
  EXPECT_EQ(fetcher().in_flight(), 0u);
  for (int n = 0; n < hosts * each; ++n) {
    const Response& answer = done_[Token(n)];
    const std::string path = "/" + std::to_string(n / hosts);
    EXPECT_EQ(answer.failure, Failure::none) << answer.failure_text;
    EXPECT_EQ(answer.final_url, origins_[n % hosts]->url(path));
    EXPECT_EQ(answer.body_hash, digest_of("host " + std::to_string(n % hosts) + path));
  }
  EXPECT_TRUE(ready_.empty());
}

TEST_F(ManyHosts, the_requests_of_one_host_share_its_kept_connection) {
  for (int n = 0; n < 5 * hosts; ++n) fetch(request(origins_[n % hosts]->url("/"), n));
  for (const auto& origin : origins_) EXPECT_EQ(origin->connections(), 1u);
}

TEST_F(ManyHosts, a_token_may_be_used_again_for_another_host) {
  for (int n = 0; n < hosts; ++n) {
    EXPECT_EQ(fetch(request(origins_[n]->url("/"))).status, 200);
    done_.clear();
  }
}

TEST_F(ManyHosts, cancel_all_answers_every_request) {
  for (const auto& origin : origins_) origin->otherwise(serve::silence());
  for (int n = 0; n < 3 * hosts; ++n) fetcher().start(request(origins_[n % hosts]->url("/"), n));
  run_until([&] { return origins_[0]->requests() > 0; });
  fetcher().cancel_all();
  run_until([&] { return done_.size() == 3 * hosts; });
  for (const auto& [token, answer] : done_) EXPECT_EQ(answer.failure, Failure::cancelled);
  origins_[0]->otherwise(serve::page("again"));
  EXPECT_EQ(fetch(request(origins_[0]->url("/"), 1000)).status, 200);
}

TEST_F(ManyHosts, nothing_is_heard_after_destruction_with_requests_in_flight) {
  for (int round = 0; round < 5; ++round) {
    for (int n = 0; n < 8 * hosts; ++n)
      fetcher().start(request(origins_[n % hosts]->url("/"), round * 1000 + n));
    run_until([&] { return !done_.empty(); });
    fetcher_.reset();
    const std::size_t heard = done_.size();
    run_for(20ms);
    EXPECT_EQ(done_.size(), heard);
    done_.clear();
  }
}

class OneHost : public FetchThreadsTest {
 protected:
  Origin origin_;
};

TEST_F(OneHost, a_small_body_comes_as_its_hash) {
  origin_.on("/", serve::page("hello"));
  const Response answer = fetch(request(origin_.url("/")));
  EXPECT_EQ(answer.body_hash, digest_of("hello"));
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.body_bytes, 5u);
}

TEST_F(OneHost, large_bodies_are_hashed_in_pieces_beyond_the_credit) {
  const std::string large(3'000'000, 'x'), other(1'000'000, 'y');
  origin_.on("/large", serve::page(large));
  origin_.on("/other", serve::page(other));
  origin_.on("/gzip", serve::gzipped(other));
  fetcher().start(request(origin_.url("/large"), 1));
  fetcher().start(request(origin_.url("/other"), 2));
  fetcher().start(request(origin_.url("/gzip"), 3));
  run_until([&] { return done_.size() == 3; });
  EXPECT_EQ(done_[Token{1}].body_hash, digest_of(large));
  EXPECT_EQ(done_[Token{2}].body_hash, digest_of(other));
  EXPECT_EQ(done_[Token{3}].body_hash, digest_of(other));
  EXPECT_EQ(done_[Token{3}].body_bytes, other.size());
}

TEST_F(OneHost, a_body_that_is_to_be_kept_comes_with_its_hash) {
  const std::string large(300'000, 'x');
  origin_.on("/", serve::page("hello"));
  origin_.on("/large", serve::page(large));
  const auto room = std::make_shared<ByteRoom>(1u << 20);
  fetch::Request small = request(origin_.url("/"), 1), other = request(origin_.url("/large"), 2);
  small.keep_in = other.keep_in = room;
  EXPECT_EQ(fetch(small).kept_body->join(), "hello");
  const Response answer = fetch(other);
  EXPECT_EQ(answer.body_hash, digest_of(large));
  EXPECT_EQ(answer.kept_body->join(), large);
  EXPECT_EQ(room->bytes(), 5 + large.size());
}

TEST_F(ManyHosts, bodies_beyond_the_room_wait_and_all_of_them_come) {
  constexpr std::size_t size = 500'000, most = 1u << 20, pages = 5 * hosts;
  for (const auto& origin : origins_) origin->otherwise(serve::page(std::string(size, 'x')));
  const auto room = std::make_shared<ByteRoom>(most);
  for (std::size_t n = 0; n < pages; ++n) {
    fetch::Request wanted = request(origins_[n % hosts]->url("/"), n);
    wanted.timeout = 1s;  // it rests
    wanted.keep_in = room;
    fetcher().start(std::move(wanted));
  }
  // What has come is held: only so many can.
  run_for(1500ms);
  const std::size_t unasked = pages * 3 * options_.piece_bytes;
  EXPECT_LT(done_.size(), pages);
  std::size_t ended = 0;
  for (int round = 0; ended < pages; ++round) {
    EXPECT_LE(room->bytes(), most + unasked + size);
    const std::size_t before = ended;
    for (auto& [token, answer] : done_) {
      if (!answer.kept_body) continue;
      EXPECT_EQ(answer.failure, Failure::none) << answer.failure_text;
      EXPECT_EQ(answer.kept_body->size(), size);
      answer.kept_body.reset();
      ++ended;
    }
    if (ended == before) {
      const std::size_t come = done_.size();
      run_until([&] { return done_.size() > come; });
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_EQ(room->bytes(), 0u);
}

TEST_F(OneHost, what_is_not_whole_has_no_hash_and_leaves_nothing_for_the_next) {
  const std::string large(300'000, 'x');
  origin_.on("/", serve::in_turn({serve::short_body(400'000, large), serve::status(404, "", "no"),
                                  serve::page(large)}));
  EXPECT_EQ(fetch(request(origin_.url("/"), 1)).failure, Failure::connection_lost);
  EXPECT_FALSE(done_[Token{1}].body_hash);
  done_.clear();
  EXPECT_EQ(fetch(request(origin_.url("/"), 1)).status, 404);
  EXPECT_FALSE(done_[Token{1}].body_hash);
  done_.clear();
  EXPECT_EQ(fetch(request(origin_.url("/"), 1)).body_hash, digest_of(large));
}

TEST_F(OneHost, the_text_of_robots_txt_arrives_whole_and_cut) {
  const std::string text = "User-agent: *\nDisallow: /\n#" + std::string(200'000, 'x');
  origin_.on("/robots.txt", serve::page(text));
  fetch::Request robots = request(origin_.url("/robots.txt"), 1);
  robots.cut_body = true;
  const Response whole = fetch(robots);
  EXPECT_EQ(whole.body, text);
  EXPECT_FALSE(whole.body_hash);
  robots.token = Token{2};
  robots.max_body = 150'000;
  EXPECT_EQ(fetch(robots).body, text.substr(0, 150'000));
  origin_.on("/robots.txt", serve::page("Disallow:"));
  robots.token = Token{3};
  EXPECT_EQ(fetch(robots).body, "Disallow:");
}

TEST_F(OneHost, nothing_is_sent_before_the_caller_says_so) {
  origin_.on("/", serve::page("hello"));
  for (const std::uint64_t token : {1, 2}) {
    fetch::Request held = request(origin_.url("/"), token);
    held.send_when_ready = false;
    fetcher().start(std::move(held));
  }
  run_until([&] { return ready_.size() == 2; });
  run_for(100ms);
  EXPECT_EQ(origin_.requests(), 0u);
  EXPECT_EQ(origin_.open_connections(), 2u);
  fetcher().send(Token{2});
  run_until([&] { return done_.size() == 1; });
  EXPECT_EQ(done_[Token{2}].body_hash, digest_of("hello"));
  EXPECT_EQ(origin_.requests(), 1u);
  fetcher().cancel(Token{1});
  run_until([&] { return done_.size() == 2; });
  EXPECT_EQ(done_[Token{1}].failure, Failure::cancelled);
  EXPECT_EQ(origin_.requests(), 1u);
}

TEST_F(OneHost, cancel_ends_one_request_and_what_is_unknown_does_no_harm) {
  origin_.on("/silent", serve::silence());
  origin_.on("/", serve::page("hello"));
  fetcher().start(request(origin_.url("/silent"), 1));
  run_until([&] { return origin_.requests() == 1; });
  fetcher().cancel(Token{1});
  fetcher().cancel(Token{7});
  fetcher().send(Token{7});
  fetcher().grant(Token{7}, 1);
  EXPECT_EQ(fetch(request(origin_.url("/"), 2)).status, 200);
  run_until([&] { return done_.size() == 2; });
  EXPECT_EQ(done_[Token{1}].failure, Failure::cancelled);
}

TEST_F(OneHost, access_points_change_for_the_requests_that_follow) {
  origin_.on("/", serve::page("hello"));
  EXPECT_EQ(fetch(request(origin_.url("/"), 1)).status, 200);
  fetch::AccessPoint dead, second;
  dead.proxy = "http://127.0.0.1:1";
  second.address = "127.0.0.9";
  fetcher().set_access_points({dead});
  fetch::Request by_proxy = request(origin_.url("/"), 2);
  by_proxy.access_point = fetch::AccessPointId{0};
  EXPECT_EQ(fetch(by_proxy).failure, Failure::connect);
  fetcher().set_access_points({dead, second});
  fetch::Request by_address = request(origin_.url("/"), 3);
  by_address.access_point = fetch::AccessPointId{1};
  EXPECT_EQ(fetch(by_address).body_hash, digest_of("hello"));
  EXPECT_EQ(fetch(request(origin_.url("/"), 4)).status, 200);
}

TEST_F(OneHost, what_curl_cannot_work_with_is_an_error_at_once) {
  options_.ca_file = "/nowhere/ca.pem";
  const auto made = FetchThreads::create(loop_, options_, 2, *this);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().exit_code, ExitCode::missing_input);
}

}  // namespace
}  // namespace pollux::engine
