// What people see on a terminal: no line is wider than it.
#include "pollux/detect/digest.hpp"
#include "pollux/store/content.hpp"
#include "pollux/store/store.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

// What the program writes to a terminal so many columns wide.
std::string on_terminal(std::size_t columns, std::vector<std::string> words) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = 24;
  words.insert(words.begin(), POLLUX_BINARY);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    execv(argv[0], argv.data());
    _exit(127);
  }
  std::string out;
  char piece[4096];
  for (ssize_t got = 0; (got = read(master, piece, sizeof piece)) > 0;) {
    out.append(piece, static_cast<std::size_t>(got));
  }
  close(master);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << out;
  return out;
}

// Columns of UTF-8 text without wide characters.
std::size_t columns_of(std::string_view line) {
  std::size_t count = 0;
  for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

class Terminal : public testing::Test {
 protected:
  Terminal() : database_(folder_.file("pollux.db")) {
    auto store = store::Store::open(database_);
    EXPECT_TRUE(store.ok());
    std::vector<store::PageSpec> pages;
    for (const char* name : {"one", "two"}) {
      pages.push_back({.url = "https://www.example.org/a/rather/long/path/to/a/page/called/" +
                              std::string(name) + "?with=a&query=too",
                       .host = "www.example.org:443"});
    }
    EXPECT_TRUE((*store)->reconcile(pages, WallTime(std::chrono::hours(500'000))).ok());
  }
  test::TempFolder folder_;
  std::string database_;
};

TEST_F(Terminal, pages_fit_on_it) {
  for (const std::size_t columns : {60u, 80u, 100u, 132u, 200u}) {
    const std::string out = on_terminal(columns, {"pages", "--database", database_});
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      EXPECT_LE(columns_of(line), columns) << line;
    }
    EXPECT_NE(out.find("https://"), std::string::npos) << out;
    EXPECT_NE(out.find("query=too"), std::string::npos) << "the end of a URL tells it apart" << out;
    EXPECT_NE(out.find("SHARE"), std::string::npos) << out;
  }
  const std::string narrow = on_terminal(80, {"pages", "--database", database_});
  EXPECT_NE(narrow.find("Left out (--wide shows all): NEXT CHANGE"), std::string::npos) << narrow;
}

TEST_F(Terminal, wide_shows_everything) {
  const std::string out = on_terminal(80, {"pages", "--wide", "--database", database_});
  EXPECT_NE(out.find("/a/rather/long/path/to/a/page/called/one?with=a&query=too"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("NEXT CHANGE"), std::string::npos) << out;
  EXPECT_EQ(out.find("Left out"), std::string::npos) << out;
}

TEST_F(Terminal, a_diff_is_in_colour_and_two_columns_where_there_is_room) {
  std::string note;
  auto content = store::Content::open(database_, {}, note);
  ASSERT_TRUE(content.ok()) << note;
  const std::string url =
      "https://www.example.org/a/rather/long/path/to/a/page/called/one?with=a&query=too";
  for (const std::string text : {"price 99.90 EUR\x1b[2J\n", "price 94.90 EUR\x1b[2J\n"}) {
    detect::Digest digest;
    digest.update(text);
    ASSERT_TRUE((*content)
                    ->put({{.url = url,
                            .hash = detect::to_hex(digest.finish()),
                            .as = "text",
                            .text = text,
                            .seen_at = WallTime(std::chrono::hours(500'000))}})
                    .ok());
  }
  const std::string words = on_terminal(100, {"diff", "one?", "--database", database_});
  EXPECT_NE(words.find("price \x1b[31m99.90\x1b[0m\x1b[32m94.90\x1b[0m EUR\\x1b[2J"),
            std::string::npos)
      << words;
  const std::string wide = on_terminal(170, {"diff", "one?", "--database", database_});
  EXPECT_NE(wide.find(" | price \x1b[32m94.90\x1b[0m EUR"), std::string::npos) << wide;
  const std::string shown = on_terminal(80, {"show", "one?", "--database", database_});
  EXPECT_EQ(shown, "price 94.90 EUR\\x1b[2J\r\n");
}

}  // namespace
}  // namespace pollux::cli
