#include "pollux/notify/rules.hpp"

#include "pollux/notify/quiet_hours.hpp"
#include "unit/notify/moments.hpp"

#include <gtest/gtest.h>

namespace pollux::notify {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> names(const std::vector<store::NoticeWish>& wishes) {
  std::vector<std::string> all;
  for (const auto& wish : wishes) all.push_back(wish.rule);
  return all;
}

TEST(NotifyRules, all_conditions_hold_together) {
  Rule all{.name = "all"}, some{.name = "some"};
  some.when.match = "https://a.example/*";
  some.when.min_importance = 2;
  some.when.events = {};
  some.when.events.add(Event::change);
  const Rules rules{all, some};
  const auto whom = [&](Event event, std::string_view url, double importance) {
    return names(wishes(rules, {.event = event, .url = url, .importance = importance}));
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(whom(Event::change, "https://a.example/x", 2), (Names{"all", "some"}));
  EXPECT_EQ(whom(Event::change, "https://a.example/x", 1.9), Names{"all"});
  EXPECT_EQ(whom(Event::change, "https://b.example/x", 2), Names{"all"});
  EXPECT_EQ(whom(Event::failing, "https://a.example/x", 2), Names{"all"});
}

TEST(NotifyRules, tags_are_left_to_whoever_knows_the_pages_row) {
  Rule tagged{.name = "tagged"};
  tagged.when.tags = {"releases", "a \"quoted\" one"};
  EXPECT_EQ(wishes({tagged}, {.event = Event::change}).front().tags,
            R"(["releases","a \"quoted\" one"])");
  EXPECT_EQ(wishes({tagged}, {.event = Event::system}).front().tags, "")
      << "what is about the daemon is about no page";
}

TEST(NotifyRules, an_error_is_held_until_it_has_lasted) {
  const WallTime now = moment("2026-03-01T12:00:00Z");
  const Rules rules{{.name = "later", .failing_after = 1h}, {.name = "now", .failing_after = 0s}};
  const auto failing = wishes(rules, {.event = Event::failing, .at = now});
  EXPECT_EQ(failing[0].not_before, now + 1h);
  EXPECT_EQ(failing[1].not_before, std::nullopt);
}

TEST(NotifyRules, who_hears_only_of_ends_hears_of_those_of_long_errors) {
  Rule ends{.name = "ends", .failing_after = 1h};
  ends.when.events = {};
  ends.when.events.add(Event::recovered);
  const WallTime now = moment("2026-03-01T12:00:00Z");
  const auto told = [&](WallTime since) {
    return !wishes({ends}, {.event = Event::recovered, .at = now, .since = since}).empty();
  };
  EXPECT_FALSE(told(now - 59min));
  EXPECT_TRUE(told(now - 61min));
}

TEST(NotifyRules, a_notice_about_the_daemon_is_for_those_who_want_it) {
  Rule changes{.name = "changes"};
  changes.when.events = {};
  changes.when.events.add(Event::change);
  const auto notice = system_notice({changes, {.name = "all"}}, "the disk is full", "k", {});
  EXPECT_EQ(names(notice.wishes), std::vector<std::string>{"all"});
  EXPECT_EQ(notice.event, "system");
  EXPECT_FALSE(any_wants({changes}, Event::system));
}

TEST(QuietHours, know_zones_by_their_names) {
  EXPECT_TRUE(is_time_zone("Europe/Berlin"));
  EXPECT_TRUE(is_time_zone("America/St_Johns"));
  EXPECT_TRUE(is_time_zone("UTC"));
  EXPECT_FALSE(is_time_zone("Europe/Berlln"));
  EXPECT_FALSE(is_time_zone(""));
}

TEST(QuietHours, follow_the_wall_clock_of_the_zone) {
  EXPECT_EQ(minute_of_day(moment("2026-01-15T12:00:00Z"), "Europe/Berlin"), 13 * 60);
  EXPECT_EQ(minute_of_day(moment("2026-07-15T12:00:00Z"), "Europe/Berlin"), 14 * 60);
  EXPECT_EQ(minute_of_day(moment("2026-07-15T12:00:00Z"), "Asia/Kathmandu"), 17 * 60 + 45);
}

TEST(QuietHours, that_a_skipped_hour_takes_away_are_not_there) {
  const Quiet half{.from = 2 * 60 + 15, .to = 2 * 60 + 45, .zone = "Europe/Berlin"};
  EXPECT_FALSE(is_quiet(half, moment("2026-03-29T01:20:00Z"))) << "03:20: there was no 02:20";
  EXPECT_TRUE(is_quiet(half, moment("2026-10-25T00:20:00Z"))) << "02:20, the first time";
  EXPECT_TRUE(is_quiet(half, moment("2026-10-25T01:20:00Z"))) << "and the second time";
  EXPECT_EQ(quiet_until(half, moment("2026-10-25T00:20:30Z")), moment("2026-10-25T00:45:00Z"));
}

}  // namespace
}  // namespace pollux::notify
