// Drives the real fetcher against Origin: start requests, run the loop until they are answered.
#pragma once

#include "fetch/fetcher_with_names.hpp"
#include "pollux/fetch/curl_fetcher.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pollux::fetch {

using namespace std::chrono_literals;
using test::Exchange;
using test::Origin;
using test::Step;
namespace serve = test::serve;

class FetchTest : public testing::Test, public Handler {
 protected:
  FetchTest() { options.allow = {"127.0.0.0/8", "::1"}; }
  ~FetchTest() override {
    if (!ca_.empty()) std::filesystem::remove(ca_);
  }

  // Certificates of these authorities are good for fetchers that are made from now on.
  void trust(const std::string& authorities) {
    ca_ = testing::TempDir() + "pollux-ca-" + std::to_string(getpid()) + ".pem";
    std::ofstream(ca_) << authorities;
    options.ca_file = ca_;
  }

  Fetcher& fetcher() {
    if (!fetcher_) {
      auto made = make_curl_fetcher(io, options, *this, resolver);
      EXPECT_TRUE(made.ok());
      fetcher_ = std::move(made).value();
    }
    return *fetcher_;
  }

  static Request request(std::string url, std::uint64_t token = 1) {
    Request r;
    r.token = Token{token};
    r.url = std::move(url);
    r.timeout = 10s;
    r.user_agent = "pollux-test";
    return r;
  }

  // Runs until `count` more answers have come.
  void run_until_done(std::size_t count = 1) {
    const std::size_t wanted = done.size() + count;
    io.restart();
    while (done.size() < wanted && io.run_one() > 0) {
    }
    ASSERT_GE(done.size(), wanted) << "the loop ran dry before every request was answered";
  }

  // Runs until `count` more requests are ready to be sent.
  void run_until_ready(std::size_t count = 1) {
    const std::size_t wanted = ready.size() + count;
    io.restart();
    while (ready.size() < wanted && io.run_one() > 0) {
    }
    ASSERT_GE(ready.size(), wanted) << "the loop ran dry before every request was ready";
  }
  void run_for(std::chrono::milliseconds time) {
    io.restart();
    io.run_for(time);
  }

  Response fetch(Request r) {
    fetcher().start(std::move(r));
    run_until_done();
    return done.empty() ? Response{} : done.back();
  }
  Response fetch(const std::string& path) { return fetch(request(origin.url(path))); }

  // Unless the test says something else, requests leave at once and bodies come without a limit.
  void on_ready(Token token) override {
    ready.push_back(token);
    if (when_ready) {
      when_ready(token);
    } else {
      fetcher().send(token);
    }
  }
  void on_piece(Token token, std::string piece) override {
    EXPECT_FALSE(piece.empty());
    const std::size_t size = piece.size();
    pieces[token].push_back(std::move(piece));
    if (when_piece) {
      when_piece(token);
    } else {
      fetcher().grant(token, size);
    }
  }
  void on_done(Response response) override {
    done.push_back(std::move(response));
    if (when_done) when_done(done.back());
  }

  std::string whole_body(const Response& response) {
    std::string body;
    for (const std::string& piece : pieces[response.token]) body += piece;
    return body + response.body;
  }

  Origin origin;
  boost::asio::io_context io{1};
  Options options;
  std::vector<Response> done;
  std::map<Token, std::vector<std::string>> pieces;
  std::function<void(Token)> when_piece;
  std::function<void(const Response&)> when_done;
  std::vector<Token> ready;
  std::function<void(Token)> when_ready;
  Resolver::Options resolver;  // the system's, unless the test puts another one here

 private:
  std::unique_ptr<Fetcher> fetcher_;
  std::string ca_;
};

}  // namespace pollux::fetch
