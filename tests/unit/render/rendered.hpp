// A renderer on an event loop of its own, and the site it renders. Tests are skipped where the
// browser is not installed (POLLUX_NEEDS_CHROMIUM).
#pragma once

#include "pollux/render/renderer.hpp"
#include "support/behaviours.hpp"
#include "support/chromium.hpp"
#include "support/origin.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace pollux::render {

using namespace std::chrono_literals;
using fetch::Failure;
using fetch::Response;
using fetch::Token;
using test::Exchange;
using test::Origin;
using test::Step;
namespace serve = test::serve;

inline const std::string html = "Content-Type: text/html\r\n";

class RendererTest : public testing::Test, public fetch::Handler {
 protected:
  RendererTest() {
    options.chromium = true;
    options.program = test::chromium;
    options.pages = 1;
    network.allow = {"127.0.0.1"};
  }

  fetch::Fetcher& renderer() {
    if (!renderer_) {
      auto made = make_renderer(io, options, network, *this, lookup);
      EXPECT_TRUE(made.ok());
      renderer_ = std::move(made).value();
    }
    return *renderer_;
  }
  void end() { renderer_.reset(); }

  fetch::Request request(const std::string& url) {
    fetch::Request r;
    r.token = Token{++last_token_};
    r.url = url;
    r.timeout = 20s;
    r.user_agent = "pollux-test";
    r.render = true;
    return r;
  }
  Response render(fetch::Request r) {
    renderer().start(std::move(r));
    run_until_done(done.size() + 1);
    return done.empty() ? Response{} : done.back();
  }
  Response render(const std::string& path) { return render(request(origin.url(path))); }
  void run_until_done(std::size_t wanted) {
    io.restart();
    while (done.size() < wanted && io.run_one_for(60s) > 0) {
    }
    ASSERT_GE(done.size(), wanted);
  }
  template <typename Condition>
  void run_until(Condition condition) {
    io.restart();
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (!condition() && std::chrono::steady_clock::now() < until) io.run_one_for(1s);
    ASSERT_TRUE(condition());
  }
  void page(const std::string& path, const std::string& text) {
    origin.on(path, serve::page("<!DOCTYPE html><title>t</title>" + text, html));
  }
  void expect_next_is_fine() {
    page("/fine", "<p id=p></p><script>p.textContent = 'all ' + 'is well'</script>");
    const Response next = render("/fine");
    EXPECT_EQ(next.failure, Failure::none) << next.failure_text;
    EXPECT_NE(next.body.find("all is well"), std::string::npos) << next.body;
  }

  void on_ready(Token token) override {
    ready.push_back(token);
    if (sends_at_once) renderer().send(token);
  }
  void on_piece(Token token, std::string piece) override {
    pieces.push_back(piece.size());
    body += piece;
    renderer().grant(token, piece.size());
  }
  void on_done(Response response) override {
    response.body = std::exchange(body, {}) + response.body;
    done.push_back(std::move(response));
  }

  Origin origin;
  boost::asio::io_context io{1};
  Options options;
  fetch::Options network;
  fetch::Resolver::LookupFunction lookup = fetch::system_lookup;
  std::vector<Token> ready;
  std::vector<Response> done;
  std::vector<std::size_t> pieces;
  std::string body;
  bool sends_at_once = true;

 private:
  std::uint64_t last_token_ = 0;
  std::unique_ptr<fetch::Fetcher> renderer_;
};

}  // namespace pollux::render
