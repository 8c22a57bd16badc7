#include "pollux/demo/view.hpp"

#include "demo/cells.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::demo {
namespace {

// A run of a minute, stopped in its middle.
Progress example() {
  Progress p;
  p.pages = 300;
  p.hosts = 16;
  p.budget = 60;
  p.seconds = 60;
  p.site_url = "http://127.0.0.1:40123/";
  p.database = "pollux-demo.db";
  p.failing = 5;
  for (std::uint64_t t = 0; t <= 30; ++t) {
    p.timeline.push_back({static_cast<double>(t), 60 * t, 45 * t, (10 + t / 3) * t, 11 * t});
  }
  for (std::uint32_t i = 1; i <= 40; ++i) {
    WatchedPage page;
    page.page = PageNumber{1 + i * 37 % 300};
    page.role = i == 3 ? Role::slow : Role::plain;
    page.true_rate = 11.25 / i;
    if (i != 5) page.learnt_rate = 10.0 / i;
    page.share = 0.2 / i;
    page.polls = 900 / i;
    page.changes = 500 / i;
    p.watched.push_back(page);
  }
  return p;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + '\n';
  return all;
}

TEST(DemoView, fits_any_terminal) {
  const Progress progress = example();
  for (const std::size_t width : {1, 10, 30, 40, 79, 80, 120, 250}) {
    for (const std::size_t height : {1, 2, 8, 24, 40, 100}) {
      for (const bool unicode : {false, true}) {
        const auto lines = draw(progress, {width, height, unicode, false});
        EXPECT_LT(lines.size(), height == 1 ? 2 : height) << width << 'x' << height;
        for (const std::string& line : lines) EXPECT_LE(cell_count(line), width) << line;
      }
    }
  }
}

TEST(DemoView, says_the_numbers_that_matter) {
  const std::string text = joined(draw(example(), {80, 24, true, false}));
  for (const char* part : {"300 pages", "16 hosts", "30 s left", "1 800", "60.0/s of 60/s", "1 350",
                           "600", "330", "1.82 ×", "/page/38", "http://127.0.0.1:40123/", "slow"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(DemoView, without_colour_there_is_no_escape) {
  EXPECT_EQ(joined(draw(example(), {80, 24, true, false})).find('\x1b'), std::string::npos);
  EXPECT_NE(joined(draw(example(), {80, 24, true, true})).find('\x1b'), std::string::npos);
}

TEST(DemoView, without_unicode_everything_is_ascii) {
  const Progress progress = example();
  const Canvas canvas{80, 24, false, false};
  for (const unsigned char c : joined(draw(progress, canvas)) + summary(progress, canvas)) {
    EXPECT_LT(c, 0x80);
  }
}

TEST(DemoView, the_first_moment_can_be_drawn) {
  Progress progress = example();
  progress.timeline = {Tally{}};
  progress.watched.clear();
  EXPECT_FALSE(draw(progress, {80, 24, true, true}).empty());
  EXPECT_EQ(plain_line(progress).find("(x"), std::string::npos);
  EXPECT_EQ(progress.advantage(), std::nullopt);
}

// Every page is new at first: there is something to see all the same.
TEST(DemoView, while_nothing_can_be_found_it_shows_what_is_being_learnt) {
  Progress progress = example();
  progress.timeline = {Tally{}, Tally{1, 62, 44, 0, 0}};
  progress.visits = {57, 4};
  progress.top_share = 0.1;
  const std::string text = joined(draw(progress, {80, 24, true, false}));
  for (const char* part :
       {"pages seen once                57", "pages seen again                4", "of 300",
        "Every page is new", "the top 30 pages get", "uniform: 10 %"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  for (const char* part : {"Pollux found", "uniform would have", "found per second"}) {
    EXPECT_EQ(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_NE(plain_line(progress).find("seen 57 of 300 pages, 4 of them again"), std::string::npos)
      << plain_line(progress);
}

TEST(DemoView, once_something_is_found_the_curves_take_over) {
  Progress progress = example();
  progress.visits = {300, 280};
  progress.top_share = 0.62;
  const std::string text = joined(draw(progress, {80, 24, true, false}));
  EXPECT_NE(text.find("found per second"), std::string::npos) << text;
  EXPECT_NE(text.find("62 %"), std::string::npos) << text;
  EXPECT_EQ(text.find("pages seen once"), std::string::npos) << text;
  EXPECT_EQ(plain_line(progress).find("seen"), std::string::npos);
}

// robots.txt and redirects are among them, so they are more than the polls of all pages.
TEST(DemoView, what_the_site_saw_is_called_requests) {
  const Canvas canvas{80, 24, true, false};
  for (const std::string& text :
       {joined(draw(example(), canvas)), plain_line(example()), summary(example(), canvas)}) {
    const std::size_t number = text.find("1 800");
    ASSERT_NE(number, std::string::npos) << text;
    const std::size_t line = text.rfind('\n', number) + 1;
    const std::string said = text.substr(line, text.find('\n', number) - line);
    EXPECT_NE(said.find("requests"), std::string::npos) << said;
    EXPECT_EQ(said.find("polls"), std::string::npos) << said;
  }
}

TEST(DemoView, noise_that_was_recognised_is_told) {
  Progress progress = example();
  const Canvas canvas{80, 24, true, false};
  EXPECT_EQ(summary(progress, canvas).find("noise"), std::string::npos) << "there is none";
  progress.noisy = 27;
  progress.masked = 12;
  progress.useless = 3;
  for (const std::string& text :
       {joined(draw(progress, canvas)), plain_line(progress), summary(progress, canvas)}) {
    EXPECT_NE(text.find("27 pages differ at every look: noise masked on 12, useless changes "
                        "reported: 3"),
              std::string::npos)
        << text;
  }
}

TEST(DemoView, a_plain_line_is_one_line) {
  const std::string line = plain_line(example());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find("found 600, uniform would have found 330 (x 1.82)"), std::string::npos)
      << line;
}

TEST(DemoView, the_summary_names_the_database_and_commands_that_can_be_pasted) {
  Progress progress = example();
  progress.database = "it's here/x.db";
  const std::string text = summary(progress, {80, 24, true, false});
  EXPECT_NE(text.find("pollux pages --database 'it'\\''s here/x.db'"), std::string::npos) << text;
  EXPECT_NE(text.find("select * from page_report"), std::string::npos);
}

TEST(DemoCells, bars_have_eighths) {
  EXPECT_EQ(bar(0.5, 4, true), "██");
  EXPECT_EQ(bar(1.0 / 32, 4, true), "▏");
  EXPECT_EQ(bar(7, 2, true), "██");
  EXPECT_EQ(bar(-1, 2, true), "");
  EXPECT_EQ(bar(0.5, 4, false), "##");
}

TEST(DemoCells, numbers_are_grouped_by_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1 000");
  EXPECT_EQ(grouped(1234567), "1 234 567");
}

}  // namespace
}  // namespace pollux::demo
