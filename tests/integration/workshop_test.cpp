// Pages tried and the own history replayed, by children of the real daemon.
#include "integration/running_daemon.hpp"
#include "pollux/http/client.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <atomic>
#include <filesystem>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace pollux::test {
namespace {

namespace json = boost::json;

class WorkshopOfDaemon : public RunningDaemon {
 protected:
  struct Answered {
    unsigned status = 0;
    json::object body = {};
    std::string text(const char* name) const {
      const json::value* value = body.if_contains(name);
      return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
    }
  };
  Answered ask(const http::ClientRequest& request) {
    auto client = http::Client::connect(database() + "-socket");
    if (!client.ok()) return {};
    const auto answer = client->ask(request);
    EXPECT_TRUE(answer.ok());
    if (!answer.ok()) return {};
    boost::system::error_code problem;
    const json::value value = json::parse(answer->body, problem);
    EXPECT_TRUE(!problem && value.is_object()) << answer->body;
    return {answer->status, problem ? json::object() : value.as_object()};
  }
  Answered post(const std::string& path, const std::string& body) {
    return ask({.method = "POST",
                .target = "/api/v1" + path,
                .content_type = "application/json",
                .body = body});
  }
  Answered get(const std::string& path) { return ask({.target = "/api/v1" + path}); }
  Answered tried(const std::string& url, const std::string& content) {
    return post("/try", R"({"url": ")" + url + R"(", "content": )" + content + "}");
  }
  void watch_changing_page() {
    origin_.otherwise([this](Exchange& x) -> Step {
      co_await x.respond(
          200, "Content-Type: text/html\r\n",
          "<main>News " + std::to_string(++answers_) + "</main><p class=ad>Buy!</p>");
    });
    configure({origin_.url("/a"), origin_.url("/b")}, "50");
    start();
    ASSERT_TRUE(eventually([&] { return progress(origin_.url("/a")).changes > 3; }));
  }

  std::atomic<int> answers_ = 0;
  Origin origin_;
};

TEST_F(WorkshopOfDaemon, rules_are_tried_on_a_page_and_nothing_of_it_stays) {
  watch_changing_page();
  const Answered kept = tried(origin_.url("/a"), R"({"as": "text", "select": ["main"]})");
  ASSERT_EQ(kept.status, 200u) << kept.text("error");
  EXPECT_TRUE(kept.text("kept").starts_with("News ")) << kept.text("kept");
  EXPECT_EQ(kept.text("kept").find("Buy"), std::string::npos);
  EXPECT_EQ(kept.body.at("matched").at(0).at("nodes"), 1);
  EXPECT_EQ(tried(origin_.url("/unlisted"), R"({"as": "text", "select": [".ad"]})").text("kept"),
            "Buy!");
  EXPECT_EQ(get("/pages").body.at("total"), 2);
  EXPECT_TRUE(get("/pages/one?url=" + origin_.url("/a")).body.at("rules").is_null());
}

TEST_F(WorkshopOfDaemon, no_program_and_no_private_address_is_reached_by_a_try) {
  watch_changing_page();
  const std::string made = folder_.file("made");
  const Answered program = tried(origin_.url("/a"), R"({"pipe": ["touch", ")" + made + "\"]}");
  EXPECT_EQ(program.status, 422u);
  EXPECT_NE(program.text("error").find("files only"), std::string::npos) << program.text("error");
  EXPECT_FALSE(std::filesystem::exists(made));
  EXPECT_EQ(tried(origin_.url("/a"), R"({"select": ["main["]})").status, 422u);
  const Answered outside = tried("http://169.254.169.254/latest", "{}");
  EXPECT_EQ(outside.status, 200u);
  EXPECT_NE(outside.text("error").find("network.allow"), std::string::npos)
      << outside.text("error");
  EXPECT_TRUE(outside.body.at("kept").is_null());
}

TEST_F(WorkshopOfDaemon, settings_in_force_follow_what_is_set_live) {
  watch_changing_page();
  const auto budget = [&] {
    const Answered all = get("/settings");
    EXPECT_EQ(all.status, 200u) << all.text("error");
    const json::object& first = all.body.at("settings").at(0).as_object();
    EXPECT_EQ(first.at("key"), "budget");
    return std::string(first.at("value").as_string()) + " " +
           std::string(first.at("from").as_string());
  };
  EXPECT_EQ(budget(), "50 file");
  ASSERT_EQ(post("/budget", R"({"budget": 40})").status, 200u);
  EXPECT_EQ(budget(), "40/s live");
}

TEST_F(WorkshopOfDaemon, the_own_history_is_replayed) {
  watch_changing_page();
  const Answered begun = post("/lab/replay", R"({"budget": 50, "objective": "freshness"})");
  ASSERT_EQ(begun.status, 200u) << begun.text("error");
  const std::string path = "/lab/" + std::to_string(begun.body.at("id").as_int64());
  ASSERT_TRUE(eventually([&] { return get(path).text("state") != "running"; }));
  const Answered ended = get(path);
  EXPECT_EQ(ended.text("state"), "done") << ended.text("error");
  ASSERT_EQ(ended.body.at("result").as_array().size(), 1u);
  const json::value& row = ended.body.at("result").at(0);
  EXPECT_EQ(row.at("policy"), "htraa");
  EXPECT_EQ(row.at("pages"), 2);
  EXPECT_GT(row.at("changes").to_number<int>(), 3);
  EXPECT_GT(row.at("found").to_number<int>(), 0);
}

}  // namespace
}  // namespace pollux::test
