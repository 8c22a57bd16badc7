// The list of bad configurations, item by item, as a user meets them: the program says file, line
// and what to do, exits with the code of that kind of mistake, and prints nothing that the file
// could forge. The table of items is ../PROMISES.md.
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace pollux::cli {
namespace {

constexpr int bad_data = 65, bad_configuration = 78;
// What every file needs besides the mistake. In one line, so that the mistake is in the second.
const std::string one_page = "pages: [https://example.org/]\n", budget = "budget: 1\n";

class BadConfigurationFile : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  test::Finished run(const std::string& command) {
    return test::Program(POLLUX_BINARY, folder_, {command, "--config", "f.yaml"}).wait();
  }
  static std::string all(const test::Finished& finished) { return finished.out + finished.err; }

  // Both commands that read a configuration refuse it in the same words, and `run` makes no
  // database.
  void expect_refused(const std::string& text, const std::string& message,
                      int exit_code = bad_configuration) {
    write("f.yaml", text);
    for (const char* command : {"check", "run"}) {
      const test::Finished finished = run(command);
      EXPECT_EQ(finished.exit_code, exit_code) << all(finished).substr(0, 500);
      EXPECT_NE(all(finished).find(message), std::string::npos) << all(finished).substr(0, 500);
      EXPECT_LT(all(finished).size(), 2000u) << "a message is for people";
      expect_inert(all(finished));
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "pollux.db"));
  }
  void expect_accepted(const std::string& text) {
    write("f.yaml", text);
    const test::Finished finished = run("check");
    EXPECT_EQ(finished.exit_code, 0) << all(finished).substr(0, 500);
  }
  static void expect_inert(const std::string& output) {
    for (const char c : output) {
      const auto byte = static_cast<unsigned char>(c);
      ASSERT_TRUE(byte >= 0x20 || c == '\n') << static_cast<int>(byte);
      ASSERT_NE(byte, 0x7f);
    }
  }
  test::TempFolder folder_;
};

std::string repeated(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

TEST_F(BadConfigurationFile, yaml_10000_deep) {
  expect_refused(one_page + "log: " + repeated("[", 10000), "f.yaml:2: ");
}
TEST_F(BadConfigurationFile, alias_bomb) {
  std::string bomb = "a: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string inner = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(inner + ",", 9) +
            inner + "]\n";
  }
  expect_refused(bomb, "f.yaml:6: the aliases (*)");
}
TEST_F(BadConfigurationFile, duplicate_key) {
  expect_refused(one_page + "budget: 1\nbudget: 2\n", "f.yaml:3: the key 'budget'");
}
TEST_F(BadConfigurationFile, unknown_key) {
  expect_refused(one_page + "bugdet: 1\n",
                 "f.yaml:2: unknown key 'bugdet' at the top level; did you");
}
TEST_F(BadConfigurationFile, tabs) {
  expect_refused("log:\n\tlevel: info\n" + one_page, "f.yaml:2: a tab in the indentation");
}
TEST_F(BadConfigurationFile, bom_is_accepted) {
  expect_accepted("\xef\xbb\xbf" + one_page + budget);
}
TEST_F(BadConfigurationFile, crlf_is_accepted) {
  expect_accepted("budget: 5\r\npages:\r\n  - https://example.org/\r\n");
}
TEST_F(BadConfigurationFile, budget_0) {
  expect_refused(one_page + "budget: 0\n", "f.yaml:2: budget");
}
TEST_F(BadConfigurationFile, budget_negative) {
  expect_refused(one_page + "budget: -3\n", "f.yaml:2: budget");
}
TEST_F(BadConfigurationFile, budget_nan) {
  expect_refused(one_page + "budget: .nan\n", "f.yaml:2: budget");
}
TEST_F(BadConfigurationFile, budget_1e308) {
  expect_refused(one_page + "budget: 1e308\n", "f.yaml:2: budget");
}
TEST_F(BadConfigurationFile, interval_overflow) {
  expect_refused(one_page + "defaults: { max_interval: 99999999999999999999w }\n",
                 "f.yaml:2: defaults.max_interval");
}
TEST_F(BadConfigurationFile, duplicate_urls_are_kept_once_with_a_warning) {
  write("f.yaml", "pages:\n  - https://example.org/a\n  - https://EXAMPLE.org:443/a\n" + budget);
  const test::Finished finished = run("check");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(all(finished).find("f.yaml:3: https://example.org/a stands already in f.yaml:2"),
            std::string::npos)
      << all(finished);
}
TEST_F(BadConfigurationFile, one_million_urls) {
  std::string list;
  for (int i = 0; i < 1'000'000; ++i) list += "http://example.org/" + std::to_string(i) + "\n";
  write("urls.txt", list);
  expect_accepted("pages_file: urls.txt\n" + budget);
}
TEST_F(BadConfigurationFile, url_of_1_mb) {
  write("urls.txt", "http://example.org/" + std::string(1u << 20, 'x') + "\n");
  expect_refused("pages_file: urls.txt\n" + budget, "urls.txt:1: the URL", bad_data);
}
TEST_F(BadConfigurationFile, world_readable_secret_is_a_warning) {
  write("login.secret", "user:hunter2\n");
  write("f.yaml",
        "pages: [{ url: 'https://example.org/', auth: { basic_file: login.secret } }]\n" + budget);
  ASSERT_EQ(chmod((folder_ / "login.secret").c_str(), 0644), 0);
  const test::Finished open = run("check");
  EXPECT_EQ(open.exit_code, 0) << all(open);
  EXPECT_NE(all(open).find("everybody can read the secret"), std::string::npos) << all(open);
  EXPECT_EQ(all(open).find("hunter2"), std::string::npos);
  ASSERT_EQ(chmod((folder_ / "login.secret").c_str(), 0600), 0);
  const test::Finished closed = run("check");
  EXPECT_EQ(all(closed).find("everybody can read"), std::string::npos) << all(closed);
}
TEST_F(BadConfigurationFile, format_marks_in_urls_are_inert) {
  expect_accepted("pages: ['https://example.org/%25s%25n{}{0}?q={:x}']\n" + budget);
  expect_refused("pages: ['https://%s%n{}.example.org/']\n", "f.yaml:1: the URL 'https://%s%n{}");
}
TEST_F(BadConfigurationFile, ansi_escapes_in_urls_are_inert) {
  expect_refused("pages: [\"https://example.org/\\e[2J\\e]0;gone\\a\"]\n", "\\x1b[2J");
  write("urls.txt", "https://example.org/\x1b[31m\n");
  expect_refused("pages_file: urls.txt\n" + budget, "urls.txt:1: ", bad_data);
}
TEST_F(BadConfigurationFile, newlines_in_urls_are_inert) {
  expect_refused("pages: [\"https://example.org/\\n2026-01-01 error forged\"]\n", "\\x0a2026");
}
TEST_F(BadConfigurationFile, userinfo_in_urls_is_redacted) {
  write("f.yaml", "pages: ['https://user:hunter2@example.org/']\n");
  const test::Finished finished = run("check");
  EXPECT_EQ(finished.exit_code, bad_configuration);
  EXPECT_NE(all(finished).find("https://***@example.org/"), std::string::npos) << all(finished);
  EXPECT_EQ(all(finished).find("hunter2"), std::string::npos);
}
TEST_F(BadConfigurationFile, backslash_and_at_in_urls_are_refused) {
  expect_refused("pages: ['http://a\\@b/']\n", "f.yaml:1: the URL");
}
TEST_F(BadConfigurationFile, idn_in_urls_is_refused_with_the_cure) {
  expect_refused("pages: ['http://\xe4\xbe\x8b.example/']\n", "punycode");
}
TEST_F(BadConfigurationFile, hosts_as_odd_numbers_are_refused) {
  for (const char* host : {"2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0"}) {
    expect_refused("pages: ['http://" + std::string(host) + "/']\n", "f.yaml:1: the URL");
  }
}

TEST_F(BadConfigurationFile, wrong_indentation_is_named_with_the_right_column) {
  expect_refused("budget: 1\n pages:\n  - https://example.org/\n",
                 "f.yaml:2: 'pages' starts in column 2, 'budget' in line 1 in column 1");
}
TEST_F(BadConfigurationFile, an_inline_login_is_answered_with_basic_file) {
  expect_refused(budget + "pages: [{ url: 'https://example.org/', auth: 'user:hunter2' }]\n",
                 "f.yaml:2: auth: ");
  EXPECT_EQ(all(run("check")).find("hunter2"), std::string::npos);
  EXPECT_NE(all(run("check")).find("basic_file"), std::string::npos);
}
TEST_F(BadConfigurationFile, all_mistakes_are_listed_by_both_commands) {
  write("f.yaml", "budget: 0\nlog: { level: loud }\npages: [ftp://example.org/]\n");
  for (const char* command : {"check", "run"}) {
    const test::Finished finished = run(command);
    EXPECT_EQ(finished.exit_code, bad_configuration);
    for (const char* part : {"f.yaml:1: ", "f.yaml:2: ", "f.yaml:3: "}) {
      EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
    }
  }
}
TEST_F(BadConfigurationFile, of_urlwatch_and_changedetection_io_are_known_by_name) {
  expect_refused("name: a\nurl: https://example.org/\n---\nname: b\nurl: https://example.net/\n",
                 "f.yaml:1: this is a list of jobs for urlwatch");
  expect_refused(R"({"watching": {"u": {"url": "https://example.org/"}}, "settings": {}})",
                 "f.yaml:1: this is a file of changedetection.io");
}

}  // namespace
}  // namespace pollux::cli
