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
const std::string page = "pages: [https://example.org/]\n";

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
  expect_refused(page + "log: " + repeated("[", 10000), "f.yaml:2: ");
}
TEST_F(BadConfigurationFile, alias_bomb) {
  expect_refused("a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n", "f.yaml:1: anchors");
}
TEST_F(BadConfigurationFile, duplicate_key) {
  expect_refused(page + "budget: 1\nbudget: 2\n", "f.yaml:3: the key 'budget'");
}
TEST_F(BadConfigurationFile, unknown_key) {
  expect_refused(page + "bugdet: 1\n", "f.yaml:2: unknown key 'bugdet' at the top level; did you");
}
TEST_F(BadConfigurationFile, tabs) {
  expect_refused("log:\n\tlevel: info\n" + page, "f.yaml:2: a tab in the indentation");
}
TEST_F(BadConfigurationFile, bom_is_accepted) {
  expect_accepted("\xef\xbb\xbf" + page);
}
TEST_F(BadConfigurationFile, crlf_is_accepted) {
  expect_accepted("budget: 5\r\npages:\r\n  - https://example.org/\r\n");
}
TEST_F(BadConfigurationFile, budget_0) {
  expect_refused(page + "budget: 0\n", "f.yaml:2: budget");
}
TEST_F(BadConfigurationFile, budget_negative) {
  expect_refused(page + "budget: -3\n", "f.yaml:2: budget");
}
TEST_F(BadConfigurationFile, budget_nan) {
  expect_refused(page + "budget: .nan\n", "f.yaml:2: budget");
}
TEST_F(BadConfigurationFile, budget_1e308) {
  expect_refused(page + "budget: 1e308\n", "f.yaml:2: budget");
}
TEST_F(BadConfigurationFile, interval_overflow) {
  expect_refused(page + "defaults: { max_interval: 99999999999999999999w }\n",
                 "f.yaml:2: defaults.max_interval");
}
TEST_F(BadConfigurationFile, duplicate_urls_are_kept_once_with_a_warning) {
  write("f.yaml", "pages:\n  - https://example.org/a\n  - https://EXAMPLE.org:443/a\n");
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
  expect_accepted("pages_file: urls.txt\n");
}
TEST_F(BadConfigurationFile, url_of_1_mb) {
  write("urls.txt", "http://example.org/" + std::string(1u << 20, 'x') + "\n");
  expect_refused("pages_file: urls.txt\n", "urls.txt:1: the URL", bad_data);
}
TEST_F(BadConfigurationFile, world_readable_secret_is_a_warning) {
  write("login.secret", "user:hunter2\n");
  write("f.yaml", "pages: [{ url: 'https://example.org/', auth: { basic_file: login.secret } }]\n");
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
  expect_accepted("pages: ['https://example.org/%25s%25n{}{0}?q={:x}']\n");
  expect_refused("pages: ['https://%s%n{}.example.org/']\n", "f.yaml:1: the URL 'https://%s%n{}");
}
TEST_F(BadConfigurationFile, ansi_escapes_in_urls_are_inert) {
  expect_refused("pages: [\"https://example.org/\\e[2J\\e]0;gone\\a\"]\n", "\\x1b[2J");
  write("urls.txt", "https://example.org/\x1b[31m\n");
  expect_refused("pages_file: urls.txt\n", "urls.txt:1: ", bad_data);
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

}  // namespace
}  // namespace pollux::cli
