// The live view without a terminal: what keys do, and what a screen shows.
#include "cli/output.hpp"
#include "cli/top_model.hpp"
#include "cli/top_view.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;
using What = TopKey::What;

constexpr WallTime noon{std::chrono::hours(490'000)};

TopSnapshot snapshot_of(const std::vector<std::string>& urls) {
  TopSnapshot out;
  out.at = noon;
  out.status = json::parse(R"({"version":"9.9","pid":7,"policy":"htraa","budget":20.0,
      "budget_used":0.5,"polls":100,"changes":12,"alert":null,"reload_refused":null,
      "fetches":{"fetches_out":3.0},"pages":{"active":2,"hosts":1,"paused":1,"failing":1},
      "deliveries":{"waiting":1,"sent":2,"dead":3},
      "minutes":[{"changes":4},{"changes":0},{"changes":8}]})")
                   .as_object();
  TopList& pages = out.list(TopTab::pages);
  pages.table.columns = {{"SHARE", report::Align::right},
                         {"URL", report::Align::left, report::Fit::shortened}};
  for (const std::string& url : urls) {
    pages.table.rows.push_back({std::string("1 %"), url});
    pages.rows.push_back({.url = url});
  }
  return out;
}

TopKey letter(const std::string& text) {
  return {What::character, text};
}

DaemonEvent event_of(const std::string& what, const std::string& url) {
  return {what,
          {{"at", "2026-11-18T08:30:00.000Z"},
           {"url", url},
           {"summary", "words"},
           {"outcome", "same"}}};
}

std::string text_of(const std::vector<TopLine>& lines) {
  std::string out;
  for (const TopLine& line : lines) {
    for (const TopSpan& span : line) out += span.text;
    out += "\n";
  }
  return out;
}

TEST(Top, a_screen_has_its_size_whatever_that_is) {
  TopModel model;
  model.take(
      snapshot_of({"https://example.org/" + std::string(300, 'x'), "https://世界.example/é"}));
  for (int i = 0; i < 50; ++i)
    model.take(event_of("poll", "https://example.org/" + std::string(200, 'y')));
  for (const bool unicode : {true, false}) {
    for (const TopModel::View view :
         {TopModel::View::lists, TopModel::View::help, TopModel::View::text}) {
      if (view == TopModel::View::help) model.press(letter("?"));
      if (view == TopModel::View::text)
        model.open({"title", {{{std::string(5000, 'z')}}, {{"世界世界", TopStyle::good}}}});
      for (const auto& [width, height] :
           {std::pair(80u, 24u), {40u, 12u}, {200u, 60u}, {10u, 4u}, {1u, 1u}}) {
        const std::vector<TopLine> lines = draw(model, {width, height, unicode}, noon);
        EXPECT_EQ(lines.size(), height);
        for (const TopLine& line : lines) {
          std::size_t used = 0;
          for (const TopSpan& span : line) used += display_width(span.text);
          EXPECT_LE(used, width) << text_of({line});
        }
      }
      model.press({What::escape});
    }
  }
}

TEST(Top, says_how_the_daemon_fares) {
  TopModel model;
  model.take(snapshot_of({"https://example.org/"}));
  const std::string text = text_of(draw(model, {80, 24, true}, noon));
  EXPECT_NE(text.find("Budget   20/s     ██████████░░░░░░░░░░ 50.0 % used"), std::string::npos)
      << text;
  EXPECT_NE(text.find("2 on 1 host, 1 paused, 1 failing"), std::string::npos) << text;
  EXPECT_NE(text.find("Told 2 sent, 1 waiting, 3 given up"), std::string::npos) << text;
  EXPECT_NE(text.find("12 in 100 polls, 12 in 3 min █▁▄"), std::string::npos) << text;
  EXPECT_NE(text.find("? help"), std::string::npos) << text;
}

TEST(Top, ascii_is_as_wide_as_what_it_stands_for) {
  EXPECT_EQ(as_ascii("█░─▸ a…é"), "#.-> a~?");
  EXPECT_EQ(as_ascii("世"), "??");
  TopModel model;
  model.take(snapshot_of({"https://世界.example/é"}));
  const std::string text = text_of(draw(model, {80, 24, false}, noon));
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x80;
  })) << text;
}

TEST(Top, what_pages_say_is_only_text) {
  TopModel model;
  TopSnapshot snapshot = snapshot_of({"https://example.org/\x1b[2J\xe2\x80\xae"});
  snapshot.status["alert"] = "disk\x1b]0;owned\x07 full\n\xe2\x81\xa6";
  model.take(snapshot);
  DaemonEvent event = event_of("change", "https://example.org/");
  event.data["summary"] =
      "\x1b[31m\xe2\x80\xae" + std::string("gnp.exe\r\n") + std::string(1 << 20, 'x');
  event.data["name"] = "<b>\x9b</b>";
  model.take(event);
  const std::string text =
      text_of(draw(model, {120, 30, true}, noon)) + print_once(snapshot, {120, 0, true});
  EXPECT_EQ(text.find_first_of("\x1b\x07\r\x9b"), std::string::npos);
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_EQ(text.find("\xe2\x81\xa6"), std::string::npos);
  EXPECT_NE(text.find("\\x1b[2J\\xe2\\x80\\xae"), std::string::npos) << text;
  EXPECT_NE(text.find("\\x1b[31m"), std::string::npos) << text;
}

TEST(Top, the_chosen_page_stays_chosen_when_the_order_changes) {
  TopModel model;
  model.take(snapshot_of({"https://a/", "https://b/", "https://c/"}));
  model.press({What::down});
  EXPECT_EQ(model.chosen(), 1u);
  model.take(snapshot_of({"https://c/", "https://a/", "https://d/", "https://b/"}));
  EXPECT_EQ(model.chosen(), 3u);
  model.take(snapshot_of({"https://a/"}));
  EXPECT_EQ(model.chosen(), 0u);
  model.press({What::down});
  EXPECT_EQ(model.chosen(), 0u) << "there is no other";
}

TEST(Top, keys_become_wishes_about_the_chosen_page) {
  TopModel model;
  EXPECT_FALSE(model.press(letter("p"))) << "nothing is chosen yet";
  EXPECT_TRUE(model.message_is_bad());
  TopSnapshot snapshot = snapshot_of({"https://a/", "https://b/"});
  snapshot.list(TopTab::pages).rows[1].paused = true;
  snapshot.list(TopTab::changes) = snapshot.list(TopTab::pages);
  snapshot.list(TopTab::changes).rows[0] = {.url = "https://c/", .id = 17, .found_at = noon};
  model.take(snapshot);
  using Wish = TopWish::What;
  EXPECT_EQ(model.press(letter("p"))->what, Wish::pause);
  EXPECT_EQ(model.press(letter("n"))->what, Wish::poll);
  EXPECT_EQ(model.press({What::enter})->what, Wish::diff);
  EXPECT_EQ(model.press(letter("w"))->what, Wish::why);
  EXPECT_FALSE(model.press(letter("r"))) << "a page is no change";
  model.press(letter("j"));
  const std::optional<TopWish> resume = model.press(letter("p"));
  ASSERT_TRUE(resume);
  EXPECT_EQ(resume->what, Wish::resume);
  EXPECT_EQ(resume->url, "https://b/");
  model.press(letter("2"));
  const std::optional<TopWish> read = model.press(letter("r"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->what, Wish::read);
  EXPECT_EQ(read->id, 17);
  EXPECT_EQ(model.press(letter("d"))->found_at, noon);
  model.lost("gone");
  EXPECT_FALSE(model.press(letter("n"))) << "whom should it ask?";
  EXPECT_FALSE(model.quit());
  model.press(letter("q"));
  EXPECT_TRUE(model.quit());
}

TEST(Top, sorts_and_filters) {
  TopModel model;
  model.take(snapshot_of({"https://a/"}));
  EXPECT_EQ(model.choice().order, store::PageOrder::share);
  model.press(letter("s"));
  EXPECT_EQ(model.choice().order, store::PageOrder::changes);
  model.press(letter("S"));
  model.press(letter("S"));
  EXPECT_EQ(model.choice().order, store::PageOrder::url);
  for (const char* typed : {"/", "q", "é", "x"}) model.press(letter(typed));
  model.press({What::backspace});
  model.press({What::backspace});
  EXPECT_EQ(model.typed(), "q") << "a character is more than a byte";
  EXPECT_EQ(model.choice().filter, "") << "not before Enter";
  model.press({What::enter});
  EXPECT_EQ(model.choice().filter, "q");
  EXPECT_NE(text_of(draw(model, {80, 24, true}, noon)).find("by URL, filter: q"),
            std::string::npos);
  model.press({What::escape});
  EXPECT_EQ(model.choice().filter, "");
  EXPECT_FALSE(model.quit());
}

TEST(Top, polls_leave_room_for_what_is_rarer) {
  TopModel model;
  model.take(event_of("change", "https://a/"));
  for (int i = 0; i < 1000; ++i) model.take(event_of("poll", "https://b/"));
  const std::vector<DaemonEvent> feed = model.feed(4);
  ASSERT_EQ(feed.size(), 4u);
  EXPECT_EQ(feed[0].what, "change");
  EXPECT_EQ(feed[3].what, "poll");
  for (int i = 0; i < 3; ++i) model.take(event_of("health", "https://c/"));
  EXPECT_EQ(std::ranges::count(model.feed(4), "poll", &DaemonEvent::what), 2);
  EXPECT_TRUE(model.feed(0).empty());
}

TEST(Top, a_held_screen_stands_still_and_catches_up) {
  TopModel model;
  model.take(snapshot_of({"https://a/"}));
  model.press(letter(" "));
  model.take(snapshot_of({"https://b/"}));
  EXPECT_EQ(model.shown().list(TopTab::pages).rows[0].url, "https://a/");
  model.press(letter(" "));
  EXPECT_EQ(model.shown().list(TopTab::pages).rows[0].url, "https://b/");
}

TEST(Top, a_text_is_scrolled_to_its_end_and_no_further) {
  TopModel model;
  model.take(snapshot_of({"https://a/"}));
  TopText text{"title", {}};
  for (int i = 0; i < 100; ++i) text.lines.push_back({{"line " + std::to_string(i)}});
  model.open(text);
  EXPECT_NE(text_of(draw(model, {80, 24, true}, noon)).find("lines 1 to 21 of 100"),
            std::string::npos);
  model.press({What::end});
  EXPECT_NE(text_of(draw(model, {80, 24, true}, noon)).find("lines 80 to 100 of 100"),
            std::string::npos);
  model.press({What::up});
  EXPECT_NE(text_of(draw(model, {80, 24, true}, noon)).find("lines 79 to 99 of 100"),
            std::string::npos);
  model.press(letter("q"));
  EXPECT_EQ(model.view(), TopModel::View::lists);
  EXPECT_FALSE(model.quit());
}

TEST(Top, a_difference_is_marked_without_colours_too) {
  const std::string text =
      text_of(diff_lines("price 9 EUR\x1b[2J\nsame\n", "price 8 EUR\x1b[2J\nsame\n"));
  EXPECT_NE(text.find("price [-9-]{+8+} EUR\\x1b[2J"), std::string::npos) << text;
}

TEST(Top, a_difference_of_one_long_line_is_cut) {
  const std::string old_line(3u << 20, 'a'), new_line(3u << 20, 'b');
  const std::string text = text_of(diff_lines(old_line + " end\n", new_line + " end\n"));
  EXPECT_LT(text.size(), 600u << 10);
  EXPECT_NE(text.find("the rest: pollux diff"), std::string::npos);
}

TEST(Top, tells_that_the_daemon_has_gone_and_come_back) {
  TopModel model;
  model.lost("no daemon runs on x; start it with `pollux run`");
  EXPECT_NE(text_of(draw(model, {80, 24, true}, noon)).find("no daemon runs on x"),
            std::string::npos);
  model.take(snapshot_of({"https://a/"}));
  model.lost("it ended");
  const std::string text = text_of(draw(model, {80, 24, true}, noon));
  EXPECT_NE(text.find("the daemon has gone"), std::string::npos) << text;
  EXPECT_NE(text.find("https://a/"), std::string::npos) << "what is known stays";
  model.take(snapshot_of({"https://a/"}));
  EXPECT_EQ(model.message(), "connected again");
}

}  // namespace
}  // namespace pollux::cli
