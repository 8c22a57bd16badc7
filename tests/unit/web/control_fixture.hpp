// A control socket on a database with a few pages, and what may be asked there.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/http/client.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/store/store.hpp"
#include "pollux/web/control.hpp"
#include "support/fake_steering.hpp"
#include "support/temp_folder.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace pollux::web {

class ControlTest : public testing::Test {
 protected:
  ControlTest() {
    auto store = store::Store::open(database_);
    EXPECT_TRUE(store.ok());
    std::vector<store::PageSpec> pages;
    for (const char* path : {"a", "b", "c", "news/one", "news/two"}) {
      pages.push_back({.url = std::string("https://example.org/") + path,
                       .host = "example.org:443",
                       .tags = std::string(path).starts_with("news") ? "[\"news\"]" : ""});
    }
    EXPECT_TRUE((*store)->reconcile(pages, WallTime(std::chrono::hours(490'000))).ok());
    store_ = std::move(*store);
  }
  void start(ControlOptions options = {}) {
    options.socket = socket_;
    options.database = database_;
    auto made = Control::start(options, steering_, clock_);
    ASSERT_TRUE(made.ok()) << made.error().message;
    control_ = std::move(made).value();
  }
  void SetUp() override { start(); }

  struct Answer {
    unsigned status = 0;
    boost::json::object body;
    std::string error() const { return text("error"); }
    std::string text(const char* name) const {
      const boost::json::value* value = body.if_contains(name);
      return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
    }
  };
  Answer ask(http::ClientRequest request) {
    auto client = http::Client::connect(socket_);
    EXPECT_TRUE(client.ok()) << client.error().message;
    if (!client.ok()) return {};
    const auto answer = client->ask(request);
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    if (!answer.ok()) return {};
    EXPECT_EQ(answer->content_type, "application/json") << request.target;
    boost::system::error_code problem;
    const boost::json::value value = boost::json::parse(answer->body, problem);
    EXPECT_TRUE(!problem && value.is_object()) << answer->body;
    return {answer->status, problem ? boost::json::object() : value.as_object()};
  }
  Answer get(const std::string& path) { return ask({.target = "/api/v1" + path}); }
  Answer post(const std::string& path, const std::string& body) {
    return ask({.method = "POST",
                .target = "/api/v1" + path,
                .content_type = "application/json",
                .body = body});
  }
  std::string last() const {
    const auto all = steering_.asked();
    return all.empty() ? "" : all.back();
  }

  test::TempFolder folder_;
  std::string database_ = folder_.file("test.db"), socket_ = folder_.file("test.db-socket");
  std::unique_ptr<store::Store> store_;
  SystemClock clock_;
  test::FakeSteering steering_;
  std::unique_ptr<Control> control_;
};

}  // namespace pollux::web
