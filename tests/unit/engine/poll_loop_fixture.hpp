// A poll loop with a fetcher that the test answers for, on a real store, and a clock that can jump.
#pragma once

#include "engine/asio_loop.hpp"
#include "engine/detect_pool.hpp"
#include "engine/page_list.hpp"
#include "engine/poll_loop.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/store/writer.hpp"

#include <deque>
#include <filesystem>
#include <future>
#include <limits>
#include <map>
#include <thread>

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pollux::engine {

using namespace std::chrono_literals;
using fetch::Failure;

// Requests that were sent are written down; the test answers them. Connections are there at once,
// but for hosts whose name is not known.
class FakeFetcher final : public fetch::Fetcher {
 public:
  explicit FakeFetcher(boost::asio::io_context& io) : io_(io) {}
  void start(fetch::Request request) override {
    const fetch::Token token = request.token;
    const bool known = request.url.find(unknown_name) == std::string::npos;
    if (!known) looked_up.push_back(token);
    prepared_.emplace(token, std::move(request));
    if (known) boost::asio::post(io_, [this, token] { found(token); });
  }
  // The name is known now.
  void found(fetch::Token token) {
    if (prepared_.contains(token)) handler->on_ready(token);
  }
  void send(fetch::Token token) override {
    const auto request = prepared_.find(token);
    ASSERT_NE(request, prepared_.end()) << "sent twice, or never started";
    requests.push_back(std::move(request->second));
    prepared_.erase(request);
  }
  void grant(fetch::Token, std::size_t bytes) override { granted += bytes; }
  void cancel(fetch::Token token) override {
    if (prepared_.erase(token) == 0) return;
    boost::asio::post(io_, [this, token] {
      fetch::Response response;
      response.token = token;
      response.failure = Failure::cancelled;
      handler->on_done(std::move(response));
    });
  }
  void cancel_all() override {}
  std::size_t in_flight() const override { return requests.size() + prepared_.size(); }
  void set_access_points(std::vector<fetch::AccessPoint>) override {}

  fetch::Handler* handler = nullptr;
  std::deque<fetch::Request> requests;
  std::string unknown_name = "unknown.test";
  std::vector<fetch::Token> looked_up;
  std::size_t granted = 0;

 private:
  boost::asio::io_context& io_;
  std::map<fetch::Token, fetch::Request> prepared_;
};

// Shares equally and remembers what it was told.
class ListeningPolicy final : public learn::Policy {
 public:
  std::string_view name() const override { return "listening"; }
  void add(PageSlot, double, const std::optional<learn::PageMemory>&) override { ++pages; }
  void remove(PageSlot) override { --pages; }
  void set_importance(PageSlot, double told) override { importance = told; }
  void feed(PageSlot, const learn::Observation& seen) override {
    heard.push_back(seen.changed);
    modified_ago = seen.modified_ago;
    look = seen.look;
    alone = seen.alone;
  }
  std::vector<learn::Look> take_looks() override { return std::exchange(proposed, {}); }
  bool still_wanted(const learn::Look&) const override { return true; }
  bool wants_last_modified() const override { return true; }
  std::vector<double> outdated_after(PageSlot) const override { return {1, 2.5}; }
  double share(PageSlot) const override { return 1.0 / pages; }
  void set_sweep(double) override {}
  learn::PageMemory memory(PageSlot) const override { return {}; }
  std::size_t memory_bytes() const override { return 0; }
  int pages = 0;
  std::vector<bool> heard;
  std::optional<double> modified_ago;
  std::vector<learn::Look> proposed;
  std::optional<learn::Look> look;  // of what was heard last
  bool alone = false;               // likewise
  double importance = 0;
};

// The system's clock, and what the test adds to it. Timers do not notice: call turn() afterwards.
class JumpingClock final : public Clock {
 public:
  Instant now() const override { return system_.now() + ahead_; }
  WallTime wall() const override {
    return system_.wall() + std::chrono::duration_cast<std::chrono::milliseconds>(ahead_);
  }
  void jump(Duration by) { ahead_ += by; }

 private:
  SystemClock system_;
  Duration ahead_{};
};

// The real pool, and how many of its answers are still to come.
class WatchedPool final : public Hasher {
 public:
  WatchedPool(EventLoop& loop, Callbacks callbacks, int& open)
      : open_(open), pool_(loop, DetectPool::Options{}, counting(std::move(callbacks))) {}
  const std::shared_ptr<ByteRoom>& room(Keep keep) const override { return pool_.room(keep); }
  void add_piece(fetch::Token token, std::string piece, Keep keep) override {
    pool_.add_piece(token, std::move(piece), keep);
  }
  void finish(fetch::Token token, std::string last_piece, Keep keep) override {
    ++open_;
    pool_.finish(token, std::move(last_piece), keep);
  }
  void abandon(fetch::Token token) override { pool_.abandon(token); }
  void look(fetch::Token token, LookTask task) override {
    ++open_;
    pool_.look(token, std::move(task));
  }
  std::vector<fetch::Token> drop_looks() override {
    std::vector<fetch::Token> dropped = pool_.drop_looks();
    open_ -= static_cast<int>(dropped.size());
    return dropped;
  }
  void end_programs() override { pool_.end_programs(); }
  bool full() const override { return pool_.full(); }
  std::size_t waiting() const override { return pool_.waiting(); }

 private:
  Callbacks counting(Callbacks callbacks) {
    auto hashed = std::move(callbacks.hashed);
    auto looked = std::move(callbacks.looked);
    callbacks.hashed = [this, hashed](fetch::Token token, HashedBody body) {
      hashed(token, std::move(body));
      --open_;
    };
    callbacks.looked = [this, looked](fetch::Token token, Look found) {
      looked(token, std::move(found));
      --open_;
    };
    return callbacks;
  }
  int& open_;
  DetectPool pool_;
};

class PollLoopTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("pollux-loop-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    config_.settings.resize(1);
    config_.settings[0].limits = {Duration::zero(), 24h};
    config_.host_default = {{Duration::zero(), 4}};
    config_.host_default.obey_robots = false;
  }
  void TearDown() override {
    loop_.reset();
    if (writer_) {
      EXPECT_TRUE(writer_->stop(5s).ok());
    }
    writer_.reset();
    std::filesystem::remove_all(folder_);
  }
  void watch(const std::vector<std::string>& urls) {
    for (const std::string& url : urls) {
      const Url parsed = parse_url(url).value();
      config_.pages.push_back({parsed.text, parsed.host_port, 0});
    }
    auto store = store::Store::open(database()).value();
    const Moment moment{clock_.now(), clock_.wall()};
    const WantedPages wanted(config_);
    ASSERT_TRUE(store->reconcile(wanted.specs, clock_.wall()).ok());
    PageInstaller installer(list_parts(), moment, true);
    const SettingsId settings = settings_.add(config_, 0);
    ASSERT_TRUE(
        store->load_pages([&](store::PageRow&& row) { installer.add(row, settings); }).ok());
    installer.finish();
    install_hosts({}, list_parts(), moment);
    writer_ = std::make_unique<store::Writer>(std::move(store), "listening", store::WriterOptions{},
                                              store::Writer::Callbacks{});
    loop_ = std::make_unique<PollLoop>(
        PollLoop::Parts{event_loop_, clock_, rng_, config_, settings_, pages_, hosts_, policy_,
                        scheduler_, budget_, *writer_, nullptr},
        PollLoopOptions{}, [&](Hasher::Callbacks callbacks) {
          return std::make_unique<WatchedPool>(event_loop_, std::move(callbacks), hashing_);
        });
    fetcher_.handler = loop_.get();
    loop_->begin(fetcher_);
    settle();
  }
  // Lets posted work and the hashing thread come to rest.
  void settle() {
    do {
      io_.restart();
      io_.poll();
      std::this_thread::sleep_for(1ms);
    } while (io_.poll() > 0);
  }
  fetch::Request next_request() {
    settle();
    if (fetcher_.requests.empty()) {
      ADD_FAILURE() << "no request was made";
      return {};
    }
    fetch::Request request = std::move(fetcher_.requests.front());
    fetcher_.requests.pop_front();
    return request;
  }
  void answer(const fetch::Request& request, int status, const std::string& body,
              const std::string& etag = "") {
    fetch::Response response = plain(request, status);
    response.body = body;
    response.body_bytes = body.size();
    response.etag = etag;
    respond(std::move(response));
  }
  static fetch::Response plain(const fetch::Request& request, int status) {
    fetch::Response response;
    response.token = request.token;
    response.status = status;
    return response;
  }
  void respond(fetch::Response response) {
    loop_->on_done(std::move(response));
    // What was found comes back from other threads, however busy the machine is.
    for (int i = 0; i < 5000 && hashing_ > 0; ++i) {
      io_.restart();
      io_.run_one_for(10ms);
    }
    settle();
  }
  store::PageRow stored(const std::string& url) {
    EXPECT_TRUE(flushed());
    return store::Reader::open(database()).value()->page(url).value();
  }
  std::vector<store::ChangeView> changes() {
    EXPECT_TRUE(flushed());
    return store::Reader::open(database()).value()->changes({}).value();
  }
  bool flushed() {
    std::promise<void> done;
    writer_->run([&](store::Store&) { done.set_value(); });
    return done.get_future().wait_for(20s) == std::future_status::ready;
  }
  std::string database() const { return (folder_ / "test.db").string(); }
  PageListParts list_parts() { return {config_, settings_, pages_, hosts_, policy_, scheduler_}; }

  std::filesystem::path folder_;
  JumpingClock clock_;
  Rng rng_{1};
  config::Config config_;
  boost::asio::io_context io_;
  AsioLoop event_loop_{io_};
  PageSettingsTable settings_;
  ListeningPolicy policy_;
  schedule::Scheduler scheduler_{
      {.budget = std::numeric_limits<double>::infinity(), .explore = 0, .seed = 1}, policy_};
  schedule::Budget budget_{std::numeric_limits<double>::infinity(), clock_.now()};
  PageTable pages_;
  HostTable hosts_;
  FakeFetcher fetcher_{io_};
  int hashing_ = 0;  // answers of the pool that are still to come
  std::unique_ptr<store::Writer> writer_;
  std::unique_ptr<PollLoop> loop_;
};

}  // namespace pollux::engine
