#include "pollux/cli/command.hpp"
#include "support/temp_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

struct Outcome {
  int exit_code;
  std::string out, err;
};

Outcome pollux(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "pollux");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run(static_cast<int>(arguments.size()), arguments.data());
  std::string out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

class Check : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    return folder_.write(name, text);
  }
  test::TempFolder folder_;
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Check, a_right_configuration_is_described) {
  const std::string file = write("p.yaml",
                                 "budget: 1\npages: [http://a.example/, https://b.example/, "
                                 "'https://b.example/{}', 'https://b.example/x?%25s', "
                                 "https://b.example/5]\n");
  const Outcome got = pollux({"check", "--config", file.c_str()});
  EXPECT_EQ(got.exit_code, 0) << got.err;
  EXPECT_TRUE(contains(got.out, "5 pages on 2 hosts"));
  EXPECT_TRUE(contains(got.out, "b.example:443"));
  EXPECT_TRUE(contains(got.out, "5/d to keep every max_interval and 2/d for robots.txt"))
      << got.out;
  EXPECT_TRUE(contains(got.out, "ok: everything can be met"));
  EXPECT_EQ(got.err, "");
}

TEST_F(Check, json_is_one_object_with_the_same_figures) {
  const std::string file =
      write("p.yaml", "budget: unlimited\nhosts: {delay: 0s}\npages: [http://a.example/]\n");
  const Outcome got = pollux({"check", "--config", file.c_str(), "--json"});
  ASSERT_EQ(got.exit_code, 0) << got.err;
  const boost::json::object report = boost::json::parse(got.out).as_object();
  EXPECT_EQ(report.at("pages"), 1);
  EXPECT_EQ(report.at("hosts"), 1);
  EXPECT_TRUE(report.at("budget_per_second").is_null());
  EXPECT_NEAR(report.at("robots_per_second").as_double() * 86400, 1, 1e-6);
  EXPECT_TRUE(report.at("largest_hosts").at(0).at("allowed_per_second").is_null());
  EXPECT_TRUE(report.at("warnings").as_array().empty());
}

TEST_F(Check, wishes_that_cannot_be_met_are_warnings_and_no_failure) {
  const std::string file = write("p.yaml", "budget: 20\npages: [http://a.example/]\n");
  const Outcome got = pollux({"check", "--config", file.c_str()});
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_TRUE(contains(got.out, "warning: the budget of 20/s cannot be used"));
  EXPECT_TRUE(contains(got.out, "ok, with 1 warning\n"));
}

TEST_F(Check, each_kind_of_error_has_its_exit_code) {
  const std::string wrong = write("wrong.yaml", "budget: 0\n");
  const Outcome configuration = pollux({"check", "--config", wrong.c_str()});
  EXPECT_EQ(configuration.exit_code, 78);
  EXPECT_TRUE(contains(configuration.err, "wrong.yaml:1: budget: '0' is not above zero; write"));
  EXPECT_EQ(configuration.out, "");
  write("u.txt", "not a url\n");
  const std::string data = write("data.yaml", "pages_file: u.txt\n");
  EXPECT_EQ(pollux({"check", "--config", data.c_str()}).exit_code, 65);
  EXPECT_EQ(pollux({"check", "--config", "/nowhere/p.yaml"}).exit_code, 66);
}

TEST_F(Check, an_unknown_policy_is_refused_with_the_known_ones) {
  const std::string file =
      write("p.yaml", "learner: {policy: no-such-policy}\npages: [http://a.example/]\n");
  const Outcome got = pollux({"check", "--config", file.c_str()});
  EXPECT_EQ(got.exit_code, 78);
  EXPECT_TRUE(contains(got.err, "htraa"));
}

TEST(Usage, a_wrong_command_line_exits_with_64_and_says_where_help_is) {
  for (const std::vector<const char*>& arguments : std::vector<std::vector<const char*>>{
           {}, {"chekc"}, {"check"}, {"check", "--config"}, {"check", "--bogus"}, {"--bogus"}}) {
    const Outcome got = pollux(arguments);
    EXPECT_EQ(got.exit_code, 64);
    EXPECT_TRUE(contains(got.err, "--help")) << got.err;
    EXPECT_EQ(got.out, "");
  }
  EXPECT_TRUE(contains(pollux({"che\x1b[31mkc"}).err, "no command 'che\\x1b[31mkc'"));
}

TEST(Usage, help_and_version_succeed) {
  const Outcome help = pollux({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const Command& command : commands()) EXPECT_TRUE(contains(help.out, command.name));
  EXPECT_EQ(pollux({"check", "--help"}).exit_code, 0);
  EXPECT_TRUE(contains(pollux({"--version"}).out, "pollux "));
}

}  // namespace
}  // namespace pollux::cli
