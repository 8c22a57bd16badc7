// What people see on a terminal: no line is wider than it.
#include "pollux/detect/digest.hpp"
#include "pollux/extract/masks.hpp"
#include "pollux/store/content.hpp"
#include "pollux/store/store.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
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

  // Of the first page, with a mask.
  void write_change() {
    auto store = store::Store::open(database_);
    ASSERT_TRUE(store.ok());
    store::PollRecord poll;
    ASSERT_TRUE((*store)
                    ->load_pages([&](store::PageRow&& page) {
                      if (page.spec.url.find("one") != std::string::npos) poll.page = page.id;
                    })
                    .ok());
    const WallTime now(std::chrono::hours(500'000));
    poll.progress.polls = 2;
    poll.progress.last_polled_at = now;
    poll.progress.share = 0.5;
    poll.change = store::ChangeRow{.page = poll.page,
                                   .found_at = now,
                                   .previous_poll_at = now - std::chrono::hours(1),
                                   .old_hash = std::string(64, 'a'),
                                   .new_hash = std::string(64, 'b'),
                                   .body_bytes = 2048,
                                   .status = 200};
    poll.change->summary = summary_;
    const extract::Mask mask{extract::TokenKind::number, {"the", "number", "of"}, {"views", "so"}};
    store::Batch batch;
    batch.masks.push_back({poll.page, extract::to_text(mask), now, store::MaskRow::What::made});
    batch.polls.push_back(poll);
    batch.meta = {{"budget", "2"}, {"policy", "htraa"}};
    ASSERT_TRUE((*store)->write(batch, "htraa").ok());
  }
  const std::string summary_ = "price of the blue shirt 99.90 → 94.90; in stock again since today";
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

void expect_fits(const std::string& out, std::size_t columns) {
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    EXPECT_LE(columns_of(line), columns) << line;
  }
}

TEST_F(Terminal, pages_keep_their_health_and_the_names_left_out_are_told_whole) {
  for (const std::size_t columns : {80u, 100u}) {
    const std::string out = on_terminal(columns, {"pages", "--database", database_});
    expect_fits(out, columns);
    EXPECT_NE(out.find("HEALTH"), std::string::npos) << out;
    EXPECT_NE(out.find("Left out"), std::string::npos) << out;
    EXPECT_EQ(out.find("…\r\n", out.find("Left out")), std::string::npos) << out;
  }
}

TEST_F(Terminal, changes_fit_on_it_and_their_words_get_the_room) {
  write_change();
  for (const std::size_t columns : {60u, 80u, 120u, 200u}) {
    expect_fits(on_terminal(columns, {"changes", "--database", database_}), columns);
  }
  const std::string narrow = on_terminal(80, {"changes", "--database", database_});
  EXPECT_TRUE(narrow.starts_with("FOUND AT              PAGE ")) << narrow;
  EXPECT_NE(narrow.find("Left out (--wide shows all): AGO, SIZE, AT MOST OLD"), std::string::npos)
      << narrow;
  EXPECT_NE(narrow.find("price of the blue shirt"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("query=too"), std::string::npos) << narrow;
  const std::string wide = on_terminal(200, {"changes", "--database", database_});
  EXPECT_NE(wide.find(summary_), std::string::npos) << wide;
  EXPECT_NE(wide.find("AT MOST OLD"), std::string::npos) << wide;
}

TEST_F(Terminal, prose_is_wrapped_between_words) {
  write_change();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"status"}, {"explain", "one?"}, {"mask", "list"}}) {
    std::vector<std::string> whole = words;
    whole.insert(whole.end(), {"--database", database_});
    std::istringstream lines(on_terminal(80, whole));
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      // A URL, a path or a rule to copy is a word.
      const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
      const bool long_word = line.find(' ', first) == line.npos ||
                             line.find("https://") != line.npos ||
                             line.find("ignore:") != line.npos || line.find(database_) != line.npos;
      if (!long_word) {
        EXPECT_LE(columns_of(line), 80u) << line;
      }
    }
  }
}

TEST_F(Terminal, a_rule_to_paste_is_not_wrapped) {
  write_change();
  const std::string out = on_terminal(60, {"mask", "list", "--database", database_});
  EXPECT_NE(out.find("\n      ignore: ['"), std::string::npos) << out;
}

TEST_F(Terminal, help_is_wrapped_between_words) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                {"pages", "--help"},
                                                {"changes", "--help"},
                                                {"diff", "--help"},
                                                {"status", "--help"},
                                                {"mask", "--help"},
                                                {"explain", "--help"}}) {
    expect_fits(on_terminal(80, words), 80);
  }
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
