#include "engine/notices.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

constexpr WallTime noticed_at{std::chrono::milliseconds(1'700'000'000'000)};
const Moment noticing{Instant(1h), noticed_at};

struct NoticedPage {
  PageRecord page;
  Flight flight;
  Outcome outcome;
  NoticedPage() {
    page.id = PageId{7};
    page.url = std::string_view("https://a.example/x");
    outcome.verdict = detect::Verdict::same;
  }
  std::vector<store::NoticeRow> take(const notify::Rules& rules) {
    return take_notices(rules, {page, flight, 1, {}, noticed_at - 10min}, outcome, noticing);
  }
};

const notify::Rules everything{{.name = "all", .failing_after = 0s}};

TEST(Notices, a_poll_that_found_nothing_gives_nobody_anything_to_hear_of) {
  EXPECT_TRUE(NoticedPage().take(everything).empty());
}

TEST(Notices, a_change_carries_its_notice_with_what_differs_and_why_it_was_polled) {
  NoticedPage one;
  one.outcome.verdict = detect::Verdict::changed;
  one.outcome.change = store::ChangeRow{.page = one.page.id, .old_hash = {}, .new_hash = {}};
  one.outcome.diff = "-a\n+b";
  one.flight.reason = schedule::Reason::max_interval;
  EXPECT_TRUE(one.take(everything).empty()) << "it goes with the change";
  ASSERT_TRUE(one.outcome.change->notice);
  const store::NoticeRow& notice = *one.outcome.change->notice;
  EXPECT_EQ(notice.event, "change");
  EXPECT_EQ(notice.diff, "-a\n+b");
  EXPECT_EQ(notice.why, "its max_interval was over");
  EXPECT_EQ(notice.url, "https://a.example/x");
}

TEST(Notices, a_change_that_nobody_wants_to_hear_of_carries_none) {
  notify::Rule failing{.name = "failing"};
  failing.when.events = {};
  failing.when.events.add(notify::Event::failing);
  NoticedPage one;
  one.outcome.verdict = detect::Verdict::changed;
  one.outcome.change = store::ChangeRow{.page = one.page.id, .old_hash = {}, .new_hash = {}};
  one.take({failing});
  EXPECT_FALSE(one.outcome.change->notice);
}

TEST(Notices, an_error_is_told_when_it_begins_and_not_again) {
  NoticedPage one;
  one.outcome.verdict = detect::Verdict::unknown;
  one.outcome.error = "HTTP 500";
  one.page.error_streak = 1;
  auto told = one.take(everything);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].event, "failing");
  EXPECT_EQ(told[0].summary, "HTTP 500");
  EXPECT_EQ(told[0].since, noticed_at - 10min);
  one.outcome.failed_before = 1;
  one.page.error_streak = 2;
  EXPECT_TRUE(one.take(everything).empty());
}

TEST(Notices, the_end_of_an_error_is_told) {
  NoticedPage one;
  one.outcome.failed_before = 3;
  const auto told = one.take(everything);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].event, "recovered");
}

TEST(Notices, health_is_told_when_it_becomes_another_one) {
  NoticedPage one;
  one.outcome.verdict = detect::Verdict::withheld;
  one.page.health = Health::suspect;
  one.page.suspect = true;
  one.page.doubt = std::string_view("a login page");
  auto told = one.take(everything);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].event, "suspect");
  EXPECT_EQ(told[0].summary, "a login page");
  one.outcome.health_before = Health::suspect;
  EXPECT_TRUE(one.take(everything).empty());
  one.page.health = Health::noisy;
  EXPECT_EQ(one.take(everything).front().event, "noisy");
  one.page.health = Health::selector;
  EXPECT_EQ(one.take(everything).front().event, "selector");
}

TEST(Notices, a_page_that_moved_says_where_to) {
  NoticedPage one;
  one.outcome.moved = true;
  one.page.moved_to = std::string_view("https://b.example/");
  const auto told = one.take(everything);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].event, "moved");
  EXPECT_EQ(told[0].link, "https://b.example/");
}

TEST(Notices, a_host_whose_robots_txt_cannot_be_had_is_an_error_of_its_pages) {
  const NoticedPage one;
  const auto told = denial_notices(everything, one.page, 1, "robots.txt: timeout", noticing);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].event, "failing");
  EXPECT_EQ(told[0].summary, "robots.txt: timeout");
}

}  // namespace
}  // namespace pollux::engine
