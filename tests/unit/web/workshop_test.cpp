// Children that try and replay, with a script in the place of the program.
#include "pollux/web/workshop.hpp"

#include "unit/web/control_fixture.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

class WorkshopRoutes : public ControlTest {
 protected:
  void SetUp() override {}
  void begin(const std::string& script, WorkshopOptions options = {}) {
    options.program = folder_.file("program");
    std::ofstream(options.program) << "#!/bin/sh\ncd " << folder_.file("") << "\n" << script;
    std::filesystem::permissions(options.program, std::filesystem::perms::owner_all);
    options.database = database_;
    if (options.configuration_text.empty()) options.configuration = "/etc/pollux.yaml";
    workshop_ = std::make_unique<Workshop>(options);
    start({.workshop = workshop_.get()});
  }
  void TearDown() override {
    control_.reset();
    workshop_.reset();
  }
  void touch(const std::string& name) { std::ofstream(folder_.file(name)) << "x"; }
  std::string text_of(const std::string& name) {
    std::ifstream file(folder_.file(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  template <typename Condition>
  bool eventually(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!condition()) {
      if (std::chrono::steady_clock::now() >= end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  bool is(const std::string& path, const std::string& state) {
    return eventually([&] { return get(path).text("state") == state; });
  }
  std::unique_ptr<Workshop> workshop_;
};

constexpr char tried[] = R"({"url": "https://example.org/a", "content": {"select": ["main"]}})";
constexpr char replayed[] = R"({"budget": "300/min", "policy": "uniform", "objective": "age"})";
constexpr char until_told[] = "echo $$ >pid\nwhile [ ! -e go ]; do sleep 0.02; done\n";

TEST_F(WorkshopRoutes, a_page_is_tried_by_a_child_with_the_rules_of_the_request) {
  begin(
      "printf '%s\\n' \"$@\" >words\ncat >rules\nnice >nice\necho "
      "'{\"kept\":\"Hello\",\"error\":null}'");
  const Answer answer = post("/try", tried);
  EXPECT_EQ(answer.status, 200u) << answer.error();
  EXPECT_EQ(answer.text("kept"), "Hello");
  EXPECT_EQ(answer.body.at("cut"), false);
  EXPECT_EQ(text_of("words"),
            "try\nhttps://example.org/a\n--content\n-\n--config\n/etc/pollux.yaml\n--json\n")
      << "rules are nothing for everybody who lists processes";
  EXPECT_EQ(text_of("rules"), "{\"select\":[\"main\"]}");
  EXPECT_EQ(text_of("nice"), "19\n");
}

TEST_F(WorkshopRoutes, a_configuration_without_a_file_is_read_from_standard_input) {
  WorkshopOptions options;
  options.configuration_text = "budget: 1\n";
  begin("cat >input\necho '{\"kept\":null}'", options);
  EXPECT_EQ(post("/try", tried).status, 200u);
  EXPECT_EQ(text_of("input"), "budget: 1\n");
}

TEST_F(WorkshopRoutes, wrong_rules_are_a_422_in_the_words_of_the_program) {
  begin("echo 'pollux: content.select: no selector' >&2\nexit 78");
  const Answer answer = post("/try", tried);
  EXPECT_EQ(answer.status, 422u);
  EXPECT_EQ(answer.error(), "content.select: no selector");
}

TEST_F(WorkshopRoutes, a_page_without_an_answer_is_told_as_the_program_tells_it) {
  begin("echo '{\"kept\":null,\"error\":\"refused\"}'\nexit 74");
  const Answer answer = post("/try", tried);
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.text("error"), "refused");
}

TEST_F(WorkshopRoutes, a_long_text_is_cut_and_said_to_be) {
  begin("printf '{\"kept\":\"'\nhead -c 300000 /dev/zero | tr '\\0' x\nprintf '\"}'");
  const Answer answer = post("/try", tried);
  EXPECT_EQ(answer.text("kept").size(), Workshop::longest_kept);
  EXPECT_EQ(answer.body.at("cut"), true);
}

TEST_F(WorkshopRoutes, a_try_that_takes_too_long_is_ended) {
  WorkshopOptions options;
  options.longest_try = std::chrono::milliseconds(200);
  begin(until_told, options);
  EXPECT_EQ(post("/try", tried).status, 504u);
}

TEST_F(WorkshopRoutes, what_is_not_understood_starts_no_child) {
  begin("touch started");
  for (const char* body :
       {"{}", R"({"url": "https://example.org/a"})", R"({"url": "--file", "content": {}})",
        R"({"url": "https://example.org/a", "content": {}, "pipe": ["sh"]})"}) {
    EXPECT_EQ(post("/try", body).status, 400u) << body;
  }
  for (const char* body :
       {"{}", R"({"budget": "unlimited"})", R"({"budget": -1})", R"({"budget": 1, "policy": "x"})",
        R"({"budget": 1, "objective": "x"})", R"({"budget": 1, "database": "/etc/passwd"})"}) {
    EXPECT_EQ(post("/lab/replay", body).status, 400u) << body;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("started")));
}

TEST_F(WorkshopRoutes, beyond_those_that_may_wait_a_try_is_refused) {
  WorkshopOptions options;
  options.most_waiting = 0;
  begin("touch started", options);
  const Answer answer = post("/try", tried);
  EXPECT_EQ(answer.status, 503u);
  EXPECT_FALSE(answer.text("cure").empty());
}

TEST_F(WorkshopRoutes, a_replay_says_how_far_it_is_and_what_it_brought) {
  begin("printf '%s\\n' \"$@\" >words\necho '{\"progress\":0.2500}' >&2\n" +
        std::string(until_told) + "echo '[{\"policy\":\"uniform\",\"share\":0.5}]'");
  const Answer begun = post("/lab/replay", replayed);
  ASSERT_EQ(begun.status, 200u) << begun.error();
  EXPECT_EQ(begun.body.at("id"), 1);
  EXPECT_TRUE(
      eventually([&] { return get("/lab/1").body.at("progress").to_number<double>() == 0.25; }));
  EXPECT_EQ(get("/lab/1").text("state"), "running");
  const Answer second = post("/lab/replay", replayed);
  EXPECT_EQ(second.status, 409u);
  EXPECT_NE(second.text("cure").find("/api/v1/lab/1"), std::string::npos);
  touch("go");
  ASSERT_TRUE(is("/lab/1", "done"));
  const Answer done = get("/lab/1");
  EXPECT_EQ(done.body.at("progress").to_number<double>(), 1.0);
  EXPECT_TRUE(done.body.at("error").is_null());
  EXPECT_EQ(done.body.at("result").at(0).at("share"), 0.5);
  EXPECT_EQ(text_of("words"), "lab\nreplay\n--database\n" + database_ +
                                  "\n--budget\n5\n--policy\nuniform\n--objective\nage\n"
                                  "--threads\n1\n--progress\n--json\n");
}

TEST_F(WorkshopRoutes, a_replay_that_fails_says_why_and_makes_room) {
  begin("echo '{\"progress\":0}' >&2\necho 'pollux: too little is recorded' >&2\nexit 65");
  ASSERT_EQ(post("/lab/replay", replayed).status, 200u);
  ASSERT_TRUE(is("/lab/1", "failed"));
  EXPECT_EQ(get("/lab/1").error(), "too little is recorded");
  EXPECT_EQ(post("/lab/replay", replayed).body.at("id"), 2);
}

TEST_F(WorkshopRoutes, a_replay_nobody_began_is_a_404) {
  begin("exit 0");
  EXPECT_EQ(get("/lab/7").status, 404u);
}

TEST_F(WorkshopRoutes, a_child_ends_with_the_daemon) {
  begin(until_told);
  ASSERT_EQ(post("/lab/replay", replayed).status, 200u);
  ASSERT_TRUE(eventually([&] { return text_of("pid").ends_with('\n'); }));
  const std::string process = "/proc/" + text_of("pid").substr(0, text_of("pid").size() - 1);
  EXPECT_TRUE(std::filesystem::exists(process));
  TearDown();
  EXPECT_FALSE(std::filesystem::exists(process));
}

TEST_F(WorkshopRoutes, without_a_workshop_both_are_a_503_with_a_cure) {
  start();
  EXPECT_EQ(post("/try", tried).status, 503u);
  EXPECT_EQ(post("/lab/replay", replayed).status, 503u);
}

}  // namespace
}  // namespace pollux::web
