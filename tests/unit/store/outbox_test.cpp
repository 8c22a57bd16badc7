#include "store/outbox.hpp"

#include "pollux/store/reader.hpp"
#include "pollux/store/store.hpp"
#include "pollux/store/writer.hpp"
#include "support/temp_folder.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace pollux::store {
namespace {

using namespace std::chrono_literals;
using What = DeliveryChange::What;

constexpr WallTime start{std::chrono::milliseconds(1'700'000'000'000)};

class OutboxRows : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Store::open(path_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    const auto done = store_->reconcile(
        {{.url = "http://a.example/", .host = "a.example:80", .name = "Prices", .tags = R"(["x"])"},
         {.url = "http://b.example/", .host = "b.example:80"}},
        start);
    ASSERT_TRUE(done);
    auto reader = Reader::open(path_);
    ASSERT_TRUE(reader);
    reader_ = std::move(*reader);
    a_ = reader_->page("http://a.example/")->id;
    b_ = reader_->page("http://b.example/")->id;
  }
  NoticeRow notice(PageId page, const std::string& event, WallTime at,
                   std::vector<NoticeWish> wishes) {
    NoticeRow row;
    row.page = page;
    row.event = event;
    row.at = at;
    row.url = "http://a.example/";
    row.wishes = std::move(wishes);
    return row;
  }
  void write(Batch batch) {
    const auto written = store_->write(batch, "htraa");
    ASSERT_TRUE(written) << written.error().message;
  }
  void tell(NoticeRow row) {
    Batch batch;
    batch.notices.push_back(std::move(row));
    write(std::move(batch));
  }
  void change(DeliveryChange change) {
    Batch batch;
    batch.deliveries.push_back(std::move(change));
    write(std::move(batch));
  }
  OutboxHead head(const std::string& rule, WallTime now) {
    const auto found =
        reader_->outbox({.rule = rule, .now = now, .most = 1000, .sent_since = now - 1h});
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.file("t.db");
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
  PageId a_{}, b_{};
};

TEST_F(OutboxRows, a_notice_of_a_change_is_written_with_it) {
  Batch batch;
  PollRecord poll;
  poll.page = a_;
  poll.progress.polls = 2;
  ChangeRow row;
  row.page = a_;
  row.found_at = start + 10s;
  row.previous_poll_at = start;
  row.old_hash = std::string(64, 'a');
  row.new_hash = std::string(64, 'b');
  row.summary = "1 → 2";
  auto told = notice(a_, "change", {}, {{.rule = "team"}});
  told.diff = "-1\n+2";
  row.notice = std::make_shared<const NoticeRow>(told);
  poll.change = row;
  batch.polls.push_back(poll);
  write(std::move(batch));

  const OutboxHead waiting = head("team", start + 20s);
  ASSERT_EQ(waiting.waiting, 1);
  const auto message = reader_->message(waiting.first, 10);
  ASSERT_TRUE(message);
  ASSERT_EQ(message->notices.size(), 1u);
  const NoticeView& seen = message->notices.front();
  EXPECT_EQ(seen.name, "Prices");
  EXPECT_EQ(seen.row.summary, "1 → 2");
  EXPECT_EQ(seen.row.diff, "-1\n+2");
  EXPECT_EQ(seen.row.at, start + 10s);
  EXPECT_EQ(seen.row.since, start);
  EXPECT_NE(seen.change_id, 0);
}

TEST_F(OutboxRows, only_pages_with_a_wanted_tag_are_told_of) {
  const std::vector<NoticeWish> wishes = {{.rule = "x", .tags = R"(["x","y"])"},
                                          {.rule = "z", .tags = R"(["z"])"}};
  tell(notice(a_, "failing", start, wishes));
  tell(notice(b_, "failing", start, wishes));
  EXPECT_EQ(head("x", start).waiting, 1);
  EXPECT_EQ(head("z", start).waiting, 0);
  EXPECT_EQ(reader_->deliveries("waiting", 0)->size(), 1u);
}

TEST_F(OutboxRows, an_error_that_ends_before_it_was_to_be_told_is_not_told_and_its_end_neither) {
  tell(notice(a_, "failing", start, {{.rule = "late", .not_before = start + 1h}, {.rule = "now"}}));
  EXPECT_EQ(head("late", start).waiting, 0);
  EXPECT_EQ(head("late", start).next_held, start + 1h);
  EXPECT_EQ(head("now", start).waiting, 1);
  tell(notice(a_, "recovered", start + 10min, {{.rule = "late"}, {.rule = "now"}}));
  EXPECT_EQ(head("late", start + 2h).waiting, 0);
  EXPECT_EQ(head("now", start + 2h).waiting, 2);
}

TEST_F(OutboxRows, an_error_that_lasts_is_told_and_its_end_too) {
  tell(notice(a_, "failing", start, {{.rule = "late", .not_before = start + 1h}}));
  EXPECT_EQ(head("late", start + 1h).waiting, 1);
  tell(notice(a_, "recovered", start + 90min, {{.rule = "late"}}));
  EXPECT_EQ(head("late", start + 90min).waiting, 2);
}

TEST_F(OutboxRows, what_has_a_key_is_told_once) {
  for (int i = 0; i < 3; ++i) {
    NoticeRow row = notice({}, "system", start, {{.rule = "team"}});
    row.key = "budget 2023-11-14";
    tell(row);
  }
  EXPECT_EQ(head("team", start).waiting, 1);
}

TEST_F(OutboxRows, what_goes_together_shares_its_fate) {
  for (int i = 0; i < 5; ++i) tell(notice(a_, "change", start + i * 1s, {{.rule = "team"}}));
  const OutboxHead before = head("team", start + 1min);
  ASSERT_EQ(before.waiting, 5);
  change({.what = What::grouped,
          .rule = "team",
          .message = before.first,
          .at = start + 1min,
          .last = before.last});
  tell(notice(a_, "change", start + 2min, {{.rule = "team"}}));
  OutboxHead grouped = head("team", start + 2min);
  ASSERT_TRUE(grouped.current);
  EXPECT_EQ(grouped.current->id, before.first);
  EXPECT_EQ(grouped.waiting, 1);
  const auto message = reader_->message(before.first, 3);
  EXPECT_EQ(message->count, 5);
  ASSERT_EQ(message->notices.size(), 3u);
  EXPECT_EQ(message->notices.front().row.at, start + 4s) << "newest first";

  change({.what = What::failed,
          .rule = "team",
          .message = before.first,
          .at = start + 2min,
          .next_attempt_at = start + 3min,
          .error = "HTTP 500"});
  grouped = head("team", start + 2min);
  EXPECT_EQ(grouped.current->attempts, 1);
  EXPECT_EQ(grouped.current->next_attempt_at, start + 3min);
  change({.what = What::sent, .rule = "team", .message = before.first, .at = start + 3min});
  grouped = head("team", start + 3min);
  EXPECT_FALSE(grouped.current);
  EXPECT_EQ(grouped.sent, std::vector<WallTime>{start + 3min}) << "one message, not five";
  EXPECT_EQ(reader_->summary()->deliveries.sent, 5);
}

TEST_F(OutboxRows, a_dead_one_is_kept_until_somebody_wants_it_retried) {
  tell(notice(a_, "change", start, {{.rule = "team"}}));
  const std::int64_t id = head("team", start).first;
  change({.what = What::dead, .rule = "team", .message = id, .at = start, .error = "HTTP 410"});
  EXPECT_EQ(reader_->deliveries("dead", 0)->front().last_error, "HTTP 410");
  const auto retried = store_->retry_delivery(id, start + 1min);
  ASSERT_TRUE(retried) << retried.error().message;
  const OutboxHead again = head("team", start + 1min);
  ASSERT_TRUE(again.current);
  EXPECT_TRUE(again.current->by_hand);
  EXPECT_EQ(again.current->next_attempt_at, start + 1min);
  change({.what = What::sent, .rule = "team", .message = id, .at = start + 1min});
  EXPECT_FALSE(store_->retry_delivery(id, start + 2min)) << "it was sent";
  EXPECT_EQ(store_->retry_delivery(4711, start).error().exit_code, ExitCode::missing_input);
}

TEST_F(OutboxRows, rules_that_are_gone_leave_what_waited_given_up) {
  tell(notice(a_, "change", start, {{.rule = "old"}, {.rule = "kept"}}));
  const auto given_up = store_->give_up_deliveries({"kept", "fresh"});
  ASSERT_TRUE(given_up) << given_up.error().message;
  EXPECT_EQ(*given_up, 1);
  EXPECT_EQ(reader_->deliveries("dead", 0)->front().rule, "old");
  EXPECT_EQ(head("kept", start).waiting, 1);
}

TEST_F(OutboxRows, what_was_told_goes_after_a_while_and_what_could_not_be_stays_longer) {
  tell(notice(a_, "change", start, {{.rule = "team"}}));
  tell(notice(a_, "change", start + 1s, {{.rule = "team"}}));
  tell(notice(a_, "change", start + 2s, {{.rule = "team"}}));
  const std::int64_t first = head("team", start + 3s).first;
  change({.what = What::sent, .rule = "team", .message = first, .at = start});
  change({.what = What::dead, .rule = "team", .message = first + 1, .at = start, .error = "no"});
  const Retention keep{.changes = 24h * 365, .minutes = 24h, .notifications = 24h * 30};
  ASSERT_TRUE(store_->tidy(keep, start + 24h * 31));
  EXPECT_EQ(reader_->deliveries("sent", 0)->size(), 0u);
  EXPECT_EQ(reader_->deliveries("dead", 0)->size(), 1u);
  EXPECT_EQ(reader_->deliveries("waiting", 0)->size(), 1u);
  ASSERT_TRUE(store_->tidy(keep, start + 24h * 366));
  EXPECT_EQ(reader_->deliveries("dead", 0)->size(), 0u);
  EXPECT_EQ(reader_->deliveries("waiting", 0)->size(), 1u) << "nothing is lost that waits";
}

// Whoever waits for a job sends the next message: rows before it must be on disk.
TEST_F(OutboxRows, a_job_of_the_writer_runs_after_the_rows_that_were_submitted_before_it) {
  for (int i = 0; i < 200; ++i) tell(notice(a_, "change", start + i * 1s, {{.rule = "team"}}));
  Writer writer(std::move(store_), "htraa", {}, {});
  std::mutex mutex;
  std::condition_variable wake;
  for (int i = 1; i <= 200; ++i) {
    Batch batch;
    batch.deliveries.push_back(
        {.what = What::sent, .rule = "team", .message = i, .at = start + 1h});
    writer.submit(std::move(batch));
    bool done = false;
    writer.run([&](Store&) {
      const std::lock_guard lock(mutex);
      done = true;
      wake.notify_one();
    });
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return done; });
    ASSERT_EQ(reader_->summary()->deliveries.sent, i);
  }
  EXPECT_TRUE(writer.stop(5s));
}

}  // namespace
}  // namespace pollux::store
