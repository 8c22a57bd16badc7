#include "pollux/store/reader.hpp"
#include "pollux/store/store.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

using test::Finished;

class Program : public test::Program {
 public:
  Program(const fs::path& folder, std::vector<std::string> arguments)
      : test::Program(POLLUX_BINARY, folder, std::move(arguments)) {}
};

class DemoCommand : public ::testing::Test {
 protected:
  Finished run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "demo");
    return Program(folder_, std::move(arguments)).wait();
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  test::TempFolder folder_;
};

TEST_F(DemoCommand, finds_changes_and_tells_what_uniform_polling_would_have_found) {
  const Finished finished = run({"--seconds", "3", "--pages", "60", "--budget", "80", "--json"});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  const json::object result = json::parse(finished.out).as_object();
  EXPECT_EQ(result.at("pages").to_number<int>(), 60);
  EXPECT_FALSE(result.at("interrupted").as_bool());
  EXPECT_GE(result.at("seconds").to_number<double>(), 3);
  EXPECT_GT(result.at("requests").to_number<int>(), 60);
  EXPECT_GT(result.at("changes_made").to_number<int>(), 0);
  EXPECT_GT(result.at("changes_found").to_number<int>(), 0);
  EXPECT_GT(result.at("uniform_would_find").to_number<int>(), 0);
  EXPECT_EQ(result.at("watched").as_array().size(), 60u);
  EXPECT_GT(result.at("noisy_pages").to_number<int>(), 0);

  // The database says the same to anybody.
  auto reader = store::Reader::open(path("pollux-demo.db"));
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const auto summary = (*reader)->summary();
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->changes, result.at("changes_found").to_number<std::int64_t>() +
                                  result.at("useless_changes").to_number<std::int64_t>())
      << "only what the site has really changed is called found";
  EXPECT_EQ(summary->active, 60);
  const auto noted = (*reader)->share_times(10);
  ASSERT_TRUE(noted.ok());
  EXPECT_FALSE(noted->empty()) << "the page replays how it learnt";
}

TEST_F(DemoCommand, never_sends_more_requests_than_the_budget_allows) {
  const Finished finished = run({"--seconds", "2", "--budget", "30", "--json"});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json::object result = json::parse(finished.out).as_object();
  const double seconds = result.at("seconds").to_number<double>();
  EXPECT_LE(result.at("requests").to_number<double>(), 31 * (seconds + 1));
}

TEST_F(DemoCommand, without_a_terminal_it_prints_plain_text) {
  const Finished finished = run({"--seconds", "1", "--pages", "20"});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.out.find('\x1b'), std::string::npos);
  for (const char* part : {"Watching the 20 pages", "changes the site made", "Pollux found",
                           "uniform would have found", "The pages that got the most polls",
                           "pollux pages --database pollux-demo.db", "select * from page_report"}) {
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << " in\n" << finished.out;
  }
}

TEST_F(DemoCommand, its_first_line_comes_at_once_and_says_what_is_being_learnt) {
  const Finished finished = run({"--seconds", "2", "--pages", "300", "--budget", "30"});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const std::size_t line = finished.out.find(" s: ");
  ASSERT_NE(line, std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find(" of 300 pages, ", line), std::string::npos) << finished.out;
}

TEST_F(DemoCommand, an_interrupt_ends_it_early_with_the_summary) {
  Program program(folder_, {"demo", "--seconds", "600", "--pages", "20"});
  while (program.text("out").find("Watching") == std::string::npos) usleep(10'000);
  program.send(SIGINT);
  const Finished finished = program.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_NE(finished.out.find("The pages that got the most polls"), std::string::npos);
}

TEST_F(DemoCommand, is_looked_at_and_steered_like_any_daemon) {
  Program demo(folder_, {"demo", "--seconds", "600", "--pages", "20"});
  while (demo.text("out").find("Watching") == std::string::npos) usleep(10'000);
  fs::create_directory(folder_ / "other");
  const auto command = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--database", path("pollux-demo.db")});
    return Program(folder_ / "other", std::move(words)).wait();
  };
  const Finished top = command({"top", "--once"});
  EXPECT_EQ(top.exit_code, 0) << top.err;
  EXPECT_NE(top.out.find("Pages    20 on"), std::string::npos) << top.out;
  const Finished paused = command({"pause", "--match", "*/page/1"});
  EXPECT_EQ(paused.exit_code, 0) << paused.err;
  EXPECT_EQ(paused.out.find("1 page paused"), 0u) << paused.out;
  demo.send(SIGINT);
  EXPECT_EQ(demo.wait().exit_code, 0);
  EXPECT_FALSE(fs::exists(path("pollux-demo.db-socket")));
}

TEST_F(DemoCommand, replaces_the_database_of_an_earlier_demo) {
  ASSERT_EQ(run({"--seconds", "1", "--pages", "20", "--json"}).exit_code, 0);
  const Finished second = run({"--seconds", "1", "--pages", "10", "--json"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  auto reader = store::Reader::open(path("pollux-demo.db"));
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const auto summary = (*reader)->summary();
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->active, 10);
  EXPECT_EQ(summary->removed, 0);
}

TEST_F(DemoCommand, does_not_replace_the_database_of_a_demo_that_runs) {
  Program first(folder_, {"demo", "--seconds", "600", "--pages", "20"});
  while (first.text("out").find("Watching") == std::string::npos) usleep(10'000);
  fs::create_directory(folder_ / "other");
  const Finished second =
      Program(folder_ / "other", {"demo", "--seconds", "1", "--database", path("pollux-demo.db")})
          .wait();
  first.send(SIGTERM);
  EXPECT_EQ(second.exit_code, 75) << second.err;
  EXPECT_EQ(first.wait().exit_code, 0);
}

TEST_F(DemoCommand, leaves_a_file_that_is_no_database_alone) {
  std::ofstream(path("notes.txt")) << "important";
  const Finished finished = run({"--database", path("notes.txt")});
  EXPECT_EQ(finished.exit_code, 73);
  EXPECT_NE(finished.err.find("notes.txt"), std::string::npos) << finished.err;
  EXPECT_NE(finished.err.find("--database"), std::string::npos) << finished.err;
  std::ifstream file(path("notes.txt"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "important");
}

TEST_F(DemoCommand, leaves_the_database_of_a_daemon_alone) {
  {
    auto store = store::Store::open(path("mine.db"));
    ASSERT_TRUE(store.ok()) << store.error().message;
    store::PageSpec page;
    page.url = "https://example.org/";
    page.host = "example.org:443";
    ASSERT_TRUE((*store)->reconcile({page}, WallTime{}).ok());
  }
  EXPECT_EQ(run({"--database", path("mine.db")}).exit_code, 73);
  auto reader = store::Reader::open(path("mine.db"));
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE((*reader)->page("https://example.org/").ok());
}

TEST_F(DemoCommand, a_folder_or_a_missing_folder_is_refused) {
  EXPECT_EQ(run({"--database", folder_.string()}).exit_code, 73);
  EXPECT_EQ(run({"--database", path("missing/x.db")}).exit_code, 73);
}

TEST_F(DemoCommand, wrong_numbers_are_usage_errors) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--pages", "0"},
                                                {"--pages", "x"},
                                                {"--budget", "fast"},
                                                {"--budget", "0"},
                                                {"--budget", "unlimited"},
                                                {"--seconds", "-1"},
                                                {"--sekunden", "3"}}) {
    EXPECT_EQ(run(wrong).exit_code, 64) << wrong[0] << ' ' << wrong[1];
  }
  EXPECT_FALSE(fs::exists(path("pollux-demo.db")));
}

}  // namespace
}  // namespace pollux::cli
