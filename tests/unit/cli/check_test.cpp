#include "pollux/cli/command.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

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
  EXPECT_TRUE(contains(got.out, "note: the budget of 20/s cannot be used up"));
  EXPECT_TRUE(contains(got.out, "ok: everything can be met\n")) << "nothing is to be mended";
  const std::string greedy = write("q.yaml",
                                   "budget: 1/h\ndefaults: {min_interval: 1s, max_interval: 1s}\n"
                                   "pages: [http://a.example/]\n");
  const Outcome short_of_budget = pollux({"check", "--config", greedy.c_str()});
  EXPECT_EQ(short_of_budget.exit_code, 0);
  EXPECT_TRUE(contains(short_of_budget.out, "ok, with ")) << short_of_budget.out;
  EXPECT_TRUE(contains(short_of_budget.out, "(360004 % of the budget)")) << short_of_budget.out;
  EXPECT_FALSE(contains(short_of_budget.out, "e+")) << short_of_budget.out;
}

TEST_F(Check, pages_at_refused_addresses_are_not_ok) {
  const auto checked = [&](const std::string& text) {
    const std::string file = write("p.yaml", "budget: 1\n" + text);
    return pollux({"check", "--config", file.c_str()});
  };
  for (const std::string url :
       {"http://127.0.0.1:8080/", "http://192.168.1.7/", "http://[::1]/", "http://localhost:3000/",
        "http://printer.localhost/", "http://169.254.169.254/", "http://[fd00::1]:81/"}) {
    const Outcome all = checked("pages: ['" + url + "']\n");
    EXPECT_EQ(all.exit_code, 78) << all.out;
    EXPECT_TRUE(contains(all.out, "1 of 1 page will not be polled")) << all.out;
    EXPECT_TRUE(contains(all.out, "network: { allow: [\"")) << all.out;
    EXPECT_TRUE(contains(all.out, "not ok: no page can be polled")) << all.out;
    EXPECT_FALSE(contains(all.out, "ok: everything can be met")) << all.out;
    const Outcome some = checked("pages: ['" + url + "', 'https://a.example/']\n");
    EXPECT_EQ(some.exit_code, 0) << some.out;
    EXPECT_TRUE(contains(some.out, "1 of 2 pages will not be polled")) << some.out;
    EXPECT_TRUE(contains(some.out, "ok, with 1 warning")) << some.out;
    // What is proposed must help.
    const std::size_t start = all.out.find("network: {");
    const std::string cure = all.out.substr(start, all.out.find('}', start) + 1 - start);
    const Outcome allowed = checked("pages: ['" + url + "']\n" + cure + "\n");
    EXPECT_TRUE(contains(allowed.out, "ok: everything can be met")) << cure << allowed.out;
  }
}

TEST_F(Check, not_all_refused_hosts_are_named_and_that_is_said) {
  std::string pages = "budget: 1\npages: [";
  for (const std::string host : {"2", "3", "4", "5", "6"})
    pages += "'http://127.0.0." + host + "/',";
  const std::string file = write("p.yaml", pages + "]\n");
  const Outcome got = pollux({"check", "--config", file.c_str()});
  EXPECT_TRUE(contains(got.out,
                       "write network: { allow: [\"127.0.0.2\", \"127.0.0.3\", \"127.0.0.4\"] }, "
                       "and with 2 other hosts"))
      << got.out;
}

TEST_F(Check, a_database_that_cannot_be_made_is_told) {
  int files = 0;  // each of its own: another user may not write an older one
  const auto checked = [&](const std::string& database) {
    const std::string file =
        write(std::to_string(++files) + ".yaml",
              "budget: 1\npages: [http://a.example/]\ndatabase: " + database + "\n");
    const Outcome got = pollux({"check", "--config", file.c_str()});
    EXPECT_EQ(got.exit_code, 0) << "the configuration is valid; another user may well start it";
    EXPECT_FALSE(contains(got.out, "everything can be met")) << got.out;
    return got.out;
  };
  EXPECT_TRUE(contains(checked("no/such/folder/x.db"), "its folder does not exist; create "));
  EXPECT_TRUE(contains(checked("."), "is a folder; name a file in it"));
  std::filesystem::create_directory(folder_.file("locked"));
  std::filesystem::permissions(folder_.file("locked"), std::filesystem::perms(0555));
  write("old.db", "");
  std::filesystem::permissions(folder_.file("old.db"), std::filesystem::perms(0444));
  std::filesystem::permissions(folder_.string(), std::filesystem::perms(0777));
  const bool root = geteuid() == 0;  // whom permissions do not bind
  ASSERT_TRUE(!root || seteuid(65534) == 0);
  const std::string locked = checked("locked/x.db"), read_only = checked("old.db");
  ASSERT_TRUE(!root || seteuid(0) == 0);
  EXPECT_TRUE(contains(locked, "may not be written to; check who owns it")) << locked;
  EXPECT_TRUE(contains(read_only, "old.db: may not be written to")) << read_only;
}

TEST_F(Check, what_a_daemon_needs_besides_is_told) {
  const std::string file = write("p.yaml",
                                 "budget: 1\npages: [http://a.example/]\n"
                                 "network: { ca_file: no.pem }\n"
                                 "storage: { backup_directory: no/copies }\n");
  const Outcome got = pollux({"check", "--config", file.c_str()});
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_TRUE(contains(got.out, "network.ca_file " + folder_.file("no.pem") + " cannot be read"));
  EXPECT_TRUE(contains(got.out, "no backup could be made in storage.backup_directory")) << got.out;
  EXPECT_TRUE(contains(got.out, "ok, with 2 warnings")) << got.out;
}

TEST_F(Check, all_errors_of_a_file_are_listed) {
  const std::string file = write("p.yaml",
                                 "budget: 0\nlog: { level: loud }\nhosts: { dealy: 1s }\n"
                                 "pages: [ftp://a.example/]\n");
  const Outcome got = pollux({"check", "--config", file.c_str()});
  EXPECT_EQ(got.exit_code, 78);
  EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 4) << got.err;
  for (const char* part :
       {"p.yaml:1: budget", "p.yaml:2: log.level", "p.yaml:3: unknown key", "p.yaml:4: the URL"}) {
    EXPECT_TRUE(contains(got.err, part)) << got.err;
  }
}

TEST_F(Check, each_kind_of_error_has_its_exit_code) {
  const std::string wrong = write("wrong.yaml", "budget: 0\n");
  const Outcome configuration = pollux({"check", "--config", wrong.c_str()});
  EXPECT_EQ(configuration.exit_code, 78);
  EXPECT_TRUE(contains(configuration.err, "wrong.yaml:1: budget: '0' is not above zero; write"));
  EXPECT_EQ(configuration.out, "");
  write("u.txt", "not a url\n");
  const std::string data = write("data.yaml", "budget: 1\npages_file: u.txt\n");
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
