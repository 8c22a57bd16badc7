// Several fetchers, each on a thread and an io_context of its own, as one process may have them.
#include "fetch/curl_memory.hpp"
#include "pollux/fetch/curl_fetcher.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <curl/curl.h>
#include <gtest/gtest.h>

namespace pollux::fetch {
namespace {

class Poller final : public Handler {
 public:
  Poller(std::vector<std::string> urls, std::size_t wanted)
      : urls_(std::move(urls)), wanted_(wanted) {}
  // Returns the answers that were as they should be.
  std::size_t run() {
    Options options;
    options.allow = {"127.0.0.0/8"};
    fetcher_ = make_curl_fetcher(io_, options, *this).value();
    for (int i = 0; i < 8; ++i) start();
    while (done_ < wanted_ && io_.run_one() > 0) {
    }
    fetcher_.reset();
    return good_;
  }
  void on_ready(Token token) override { fetcher_->send(token); }
  void on_piece(Token, std::string) override {}
  void on_done(Response response) override {
    ++done_;
    if (response.body == "page") ++good_;
    start();
  }

 private:
  void start() {
    Request request;
    request.token = Token{started_};
    request.url = urls_[started_++ % urls_.size()];
    fetcher_->start(std::move(request));
  }
  const std::vector<std::string> urls_;
  const std::size_t wanted_;
  boost::asio::io_context io_{1};
  std::unique_ptr<Fetcher> fetcher_;
  std::uint64_t started_ = 0;
  std::size_t done_ = 0, good_ = 0;
};

TEST(SeveralFetchers, poll_on_threads_of_their_own) {
  test::Origin first, second;
  first.otherwise(test::serve::page("page"));
  second.otherwise(test::serve::page("page"));
  std::atomic<std::size_t> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      good += Poller({first.url("/a?b"), second.url("/c"), first.url("/d")}, 200).run();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(good, 800u);
}

TEST(MemoryOfCurl, may_be_freed_on_another_thread) {
  ASSERT_TRUE(init_curl());
  ASSERT_TRUE(init_curl()) << "once is enough";
  std::vector<curl_slist*> lists(64, nullptr);
  for (int round = 0; round < 20; ++round) {
    for (curl_slist*& list : lists) {
      for (std::size_t size = 0; size < 3000; size += 97) {
        list = curl_slist_append(list, std::string(size, 'x').c_str());
      }
    }
    std::thread([&] {
      for (curl_slist*& list : lists) {
        std::size_t size = 0;
        for (const curl_slist* item = list; item != nullptr; item = item->next, size += 97) {
          EXPECT_EQ(std::string_view(item->data).size(), size);
        }
        curl_slist_free_all(std::exchange(list, nullptr));
      }
    }).join();
  }
}

}  // namespace
}  // namespace pollux::fetch
