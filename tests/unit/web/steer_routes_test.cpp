#include "unit/web/control_fixture.hpp"
#include "web/answers.hpp"

#include <thread>

namespace pollux::web {
namespace {

using namespace std::chrono_literals;

class SteerRoutes : public ControlTest {};

TEST_F(SteerRoutes, hand_every_wish_with_a_selection_to_the_engine) {
  for (const char* what : {"remove", "pause", "resume", "poll", "reset"}) {
    const Answer answer =
        post(std::string("/pages/") + what,
             R"({"urls": ["https://a/", "https://b/"], "tags": ["t"], "match": ["*x"]})");
    EXPECT_EQ(answer.status, 200u) << what << answer.error();
    EXPECT_EQ(answer.body.at("done"), 2);
    EXPECT_EQ(answer.body.at("refused"), 0);
    EXPECT_EQ(answer.body.at("dry_run"), false);
    EXPECT_EQ(last(), std::string(what) + " https://a/ https://b/ tag:t glob:*x");
  }
  EXPECT_EQ(post("/pages/remove", R"({"tags": ["t"], "dry_run": true})").body.at("dry_run"), true);
  EXPECT_EQ(last(), "remove tag:t dry");
}

TEST_F(SteerRoutes, pause_for_a_while) {
  EXPECT_EQ(post("/pages/pause", R"({"urls": ["https://a/"], "for": "2h"})").status, 200u);
  EXPECT_EQ(last(), "pause 7200.000000 https://a/");
  EXPECT_EQ(post("/pages/pause", R"({"urls": ["https://a/"], "for": 7200})").status, 400u);
  EXPECT_EQ(post("/pages/pause", R"({"urls": ["https://a/"], "for": "soon"})").status, 400u);
}

TEST_F(SteerRoutes, add_pages_with_settings) {
  const Answer answer = post("/pages", R"({"pages": [
      {"url": "https://a/", "name": "A", "tags": ["t"], "importance": 2, "min_interval": "5min",
       "max_interval": "1d", "content": {"select": ["main"]}}, {"url": "https://b/"}]})");
  EXPECT_EQ(answer.status, 200u) << answer.error();
  EXPECT_EQ(answer.body.at("done"), 2);
  const auto added = steering_.added();
  ASSERT_EQ(added.size(), 2u);
  EXPECT_EQ(added[0].url, "https://a/");
  EXPECT_EQ(added[0].settings.name, "A");
  EXPECT_EQ(added[0].settings.tags, (std::vector<std::string>{"t"}));
  EXPECT_EQ(added[0].settings.importance, 2.0);
  EXPECT_EQ(added[0].settings.min_interval, Duration(5min));
  EXPECT_EQ(added[0].settings.max_interval, Duration(24h));
  EXPECT_EQ(added[0].settings.content, R"({"select":["main"]})");
  EXPECT_TRUE(added[1].settings.empty());
}

TEST_F(SteerRoutes, tell_what_was_refused_and_why) {
  steering_.refuse_with = "urls.yaml:3 lists it; edit that file";
  const Answer answer = post("/pages/remove", R"({"urls": ["https://a/", "https://refuse/"]})");
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.body.at("refused"), 1);
  EXPECT_EQ(answer.body.at("pages").at(0).at("url"), "https://refuse/");
  EXPECT_EQ(answer.body.at("pages").at(0).at("why"), "urls.yaml:3 lists it; edit that file");
  EXPECT_TRUE(answer.body.at("pages").at(1).at("why").is_null());
}

TEST_F(SteerRoutes, set_some_things_of_pages) {
  const Answer answer =
      post("/pages/set", R"({"urls": ["https://a/"], "set": {"importance": 3, "tags": []}})");
  EXPECT_EQ(answer.status, 200u) << answer.error();
  EXPECT_EQ(steering_.last_set().importance, 3.0);
  EXPECT_EQ(steering_.last_set().tags, std::vector<std::string>());
  EXPECT_FALSE(steering_.last_set().name);
}

TEST_F(SteerRoutes, budget_reload_masks_changes_and_deliveries) {
  const Answer budget = post("/budget", R"({"budget": "300/min"})");
  EXPECT_EQ(budget.body.at("budget"), 5);
  EXPECT_EQ(budget.body.at("before"), 5);
  EXPECT_TRUE(post("/budget", R"({"budget": "unlimited"})").body.at("budget").is_null());
  EXPECT_EQ(post("/budget", R"({"budget": 20, "dry_run": true})").status, 200u);
  EXPECT_EQ(last(), "budget 20.000000 dry");
  EXPECT_EQ(post("/reload", "{}").text("message"), "3 pages added");
  EXPECT_EQ(problem({"pollux.yaml:1: no", ExitCode::configuration}).status, 422u);
  EXPECT_EQ(post("/masks/7/accept", "{}").text("message"), "accepted");
  EXPECT_EQ(last(), "accept 7");
  EXPECT_EQ(post("/masks/7/refuse", "").text("message"), "refused");
  EXPECT_EQ(post("/masks/404/refuse", "{}").status, 404u);
  EXPECT_EQ(post("/changes/read", R"({"changes": [1, 2, 3]})").body.at("read"), 3);
  EXPECT_EQ(post("/notifications/9/retry", "{}").text("message"), "tried now");
  EXPECT_EQ(last(), "retry 9");
}

TEST_F(SteerRoutes, refuse_every_kind_of_bad_input_and_do_nothing) {
  const std::pair<const char*, const char*> wrong[] = {
      {"/pages", R"({})"},
      {"/pages", R"({"pages": []})"},
      {"/pages", R"({"pages": ["https://a/"]})"},
      {"/pages", R"({"pages": [{"name": "x"}]})"},
      {"/pages", R"({"pages": [{"url": "https://a/", "pipe": ["rm"]}]})"},
      {"/pages", R"({"pages": [{"url": "https://a/", "headers": {}}]})"},
      {"/pages", R"({"pages": [{"url": 1}]})"},
      {"/pages", R"({"pages": [{"url": "https://a/", "importance": "2"}]})"},
      {"/pages", R"({"pages": [{"url": "https://a/", "min_interval": "often"}]})"},
      {"/pages", R"({"pages": [{"url": "https://a/", "content": "main"}]})"},
      {"/pages", R"(not json)"},
      {"/pages", R"([])"},
      {"/pages/remove", R"({})"},
      {"/pages/remove", R"({"urls": []})"},
      {"/pages/remove", R"({"urls": "https://a/"})"},
      {"/pages/remove", R"({"urls": ["https://a/"], "force": true})"},
      {"/pages/poll", R"({"urls": ["https://a/"], "dry_run": "yes"})"},
      {"/pages/resume", R"({"tag": ["x"]})"},
      {"/pages/reset", R"({"match": [1]})"},
      {"/pages/pause", R"({"for": "2h"})"},
      {"/pages/set", R"({"urls": ["https://a/"]})"},
      {"/pages/set", R"({"urls": ["https://a/"], "set": {}})"},
      {"/pages/set", R"({"urls": ["https://a/"], "set": {"cookies": "keep"}})"},
      {"/pages/set", R"({"urls": ["https://a/"], "set": {"auth": {"basic_file": "/etc/passwd"}}})"},
      {"/budget", R"({})"},
      {"/budget", R"({"budget": 0})"},
      {"/budget", R"({"budget": -5})"},
      {"/budget", R"({"budget": "much"})"},
      {"/budget", R"({"budget": [20]})"},
      {"/reload", R"({"file": "/etc/passwd"})"},
      {"/masks/1/accept", R"({"why": "x"})"},
      {"/changes/read", R"({})"},
      {"/changes/read", R"({"changes": []})"},
      {"/changes/read", R"({"changes": ["1"]})"},
      {"/notifications/1/retry", R"({"now": true})"},
      {"/pages/remove?urls=x", R"({"urls": ["https://a/"]})"},
  };
  for (const auto& [path, body] : wrong) {
    const Answer answer = post(path, body);
    EXPECT_EQ(answer.status, 400u) << path << ' ' << body;
    EXPECT_FALSE(answer.error().empty()) << path << ' ' << body;
    EXPECT_TRUE(answer.body.contains("cure")) << path << ' ' << body;
  }
  EXPECT_TRUE(steering_.asked().empty());
}

TEST_F(SteerRoutes, a_get_changes_nothing) {
  for (const char* path : {"/pages/remove", "/pages/pause", "/reload", "/masks/1/accept",
                           "/changes/read", "/notifications/1/retry"}) {
    EXPECT_EQ(get(path).status, 405u) << path;
    EXPECT_EQ(get(std::string(path) + "?urls=x").status, 405u) << path;
  }
  EXPECT_EQ(get("/budget").status, 200u) << "that reads what the budget was spent on";
  EXPECT_EQ(get("/budget?budget=9").status, 400u);
  EXPECT_TRUE(steering_.asked().empty());
}

TEST_F(SteerRoutes, what_changes_something_must_be_json) {
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                           "application/jsonp", "text/plain; application/json"}) {
    const Answer answer =
        ask({.method = "POST", .target = "/api/v1/reload", .content_type = type, .body = "{}"});
    EXPECT_EQ(answer.status, 415u) << type;
  }
  EXPECT_EQ(ask({.method = "POST", .target = "/api/v1/reload"}).status, 415u);
  EXPECT_TRUE(steering_.asked().empty());
  EXPECT_EQ(ask({.method = "POST",
                 .target = "/api/v1/reload",
                 .content_type = "Application/JSON; charset=utf-8",
                 .body = "{}"})
                .status,
            200u);
}

TEST_F(SteerRoutes, a_page_of_a_browser_is_refused_whatever_it_wants) {
  for (const char* origin : {"https://evil.example", "null", "http://localhost", ""}) {
    EXPECT_EQ(ask({.target = "/api/v1/status", .headers = {{"Origin", origin}}}).status, 403u);
    EXPECT_EQ(ask({.method = "POST",
                   .target = "/api/v1/reload",
                   .content_type = "application/json",
                   .body = "{}",
                   .headers = {{"Origin", origin}}})
                  .status,
              403u);
  }
  EXPECT_TRUE(steering_.asked().empty());
}

TEST_F(SteerRoutes, a_wish_that_is_not_answered_in_time_is_told) {
  control_.reset();
  start({.answer_limit = 50ms});
  steering_.hang = true;
  EXPECT_EQ(post("/reload", "{}").status, 504u);
  EXPECT_EQ(get("/status").status, 200u) << "nobody else waits for it";
}

TEST_F(SteerRoutes, a_body_that_is_too_long_is_refused_by_its_announcement) {
  control_.reset();
  start({.max_body_bytes = 1000});
  const Answer answer = post("/pages", "{\"pages\": \"" + std::string(2000, 'x') + "\"}");
  EXPECT_EQ(answer.status, 413u);
  EXPECT_FALSE(answer.error().empty());
  EXPECT_EQ(
      ask({.target = "/api/v1/status", .headers = {{"X-Long", std::string(60'000, 'x')}}}).status,
      431u);
}

TEST_F(SteerRoutes, two_clients_at_once_are_both_served) {
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([this] {
      for (int n = 0; n < 25; ++n)
        EXPECT_EQ(post("/pages/poll", R"({"urls": ["https://a/"]})").status, 200u);
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(steering_.asked().size(), 100u);
}

}  // namespace
}  // namespace pollux::web
