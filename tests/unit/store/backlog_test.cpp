#include "store/backlog.hpp"

#include "fixture.hpp"

namespace pollux::store {
namespace {

constexpr std::size_t plenty = 64u << 20;

PollRecord poll(int page, std::int64_t polls, bool changed = false, char from = 'a',
                char to = 'b') {
  PollRecord record = poll_of(PageId(page), polls, changed);
  if (record.change) {
    record.change->old_hash = std::string(64, from);
    record.change->new_hash = std::string(64, to);
    record.change->previous_poll_at = at_ms(noon + polls - 1);
  }
  return record;
}

TEST(Backlog, keeps_every_page_in_order_while_the_disk_works) {
  Backlog backlog(plenty);
  for (int i = 0; i < 10; ++i) backlog.push(poll(i, i));
  const std::vector<PollRecord> first = backlog.take(4);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first[3].progress.polls, 3);
  EXPECT_EQ(backlog.size(), 6u);
  EXPECT_EQ(backlog.first(), 4u);
  EXPECT_EQ(backlog.end(), 10u);
}

TEST(Backlog, the_newest_result_of_a_page_takes_the_place_of_one_that_waits) {
  Backlog backlog(plenty);
  backlog.push(poll(1, 1, true, 'a', 'b'));
  backlog.push(poll(2, 1));
  backlog.push(poll(1, 2));
  backlog.push(poll(2, 2, true, 'a', 'b'));
  EXPECT_EQ(backlog.end(), 2u);
  EXPECT_EQ(backlog.changes(), 2u);
  const std::vector<PollRecord> first = backlog.take(1);
  EXPECT_EQ(first[0].progress.polls, 2);
  EXPECT_EQ(first[0].change->new_hash[0], 'b');
  backlog.push(poll(1, 3));  // what was taken is out of reach
  backlog.push(poll(2, 3));
  const std::vector<PollRecord> rest = backlog.take(100);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].progress.polls, 3);
  EXPECT_EQ(rest[0].change->new_hash[0], 'b');
  EXPECT_EQ(rest[1].page, PageId(1));
  EXPECT_EQ(rest[1].progress.polls, 3);
  EXPECT_EQ(backlog.bytes(), 0u);
}

// Their number is what bounds the queue while the disk works.
TEST(Backlog, while_the_disk_works_an_entry_has_one_change_at_most) {
  Backlog backlog(plenty);
  for (int i = 0; i < 10; ++i) backlog.push(poll(1, i, i % 2 == 1));
  EXPECT_EQ(backlog.size(), 5u);
  EXPECT_EQ(backlog.changes(), 5u);
  for (const PollRecord& record : backlog.take(100)) EXPECT_TRUE(record.earlier.empty());
}

TEST(Backlog, pages_that_share_a_place_among_the_latest_stay_apart) {
  Backlog backlog(plenty);
  const int far = 1 << 20;
  for (int i = 0; i < 4; ++i) backlog.push(poll(i % 2 == 0 ? 1 : 1 + far, i));
  const std::vector<PollRecord> all = one_a_page(backlog.take(100));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].progress.polls, 2);
  EXPECT_EQ(all[1].progress.polls, 3);
}

TEST(Backlog, holds_one_entry_a_page_with_all_its_changes_when_the_disk_fails) {
  Backlog backlog(plenty);
  backlog.push(poll(1, 1, true, 'a', 'b'));
  backlog.push(poll(2, 1));
  backlog.push(poll(1, 2, true, 'b', 'c'));
  backlog.keep_one_a_page();
  EXPECT_EQ(backlog.size(), 2u);
  EXPECT_EQ(backlog.end(), 3u) << "who waits for the end still waits for all";
  backlog.push(poll(1, 3, true, 'c', 'd'));
  backlog.push(poll(2, 2));
  backlog.push(poll(3, 1));
  EXPECT_EQ(backlog.changes(), 3u);
  const std::vector<PollRecord> all = backlog.take(100);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].progress.polls, 3);
  ASSERT_EQ(all[0].earlier.size(), 2u);
  EXPECT_EQ(all[0].earlier[0].new_hash[0], 'b');
  EXPECT_EQ(all[0].earlier[1].new_hash[0], 'c');
  EXPECT_EQ(all[0].change->new_hash[0], 'd');
  EXPECT_EQ(all[1].progress.polls, 2);
  EXPECT_FALSE(backlog.squeezed().any());
  EXPECT_FALSE(backlog.is_one_a_page()) << "an empty queue starts afresh";
  EXPECT_EQ(backlog.bytes(), 0u);
}

TEST(Backlog, goes_on_joining_while_it_is_emptied) {
  Backlog backlog(plenty);
  for (int i = 0; i < 6; ++i) backlog.push(poll(i, 1));
  backlog.keep_one_a_page();
  EXPECT_EQ(backlog.take(2).size(), 2u);
  backlog.push(poll(0, 2));  // taken before: waits anew
  backlog.push(poll(5, 2));  // still waits: joined
  EXPECT_EQ(backlog.size(), 5u);
  const std::vector<PollRecord> rest = backlog.take(100);
  EXPECT_EQ(rest[3].progress.polls, 2);
  EXPECT_EQ(rest[4].page, PageId(0));
}

TEST(Backlog, a_batch_counts_the_changes_that_come_along) {
  Backlog backlog(plenty);
  backlog.keep_one_a_page();
  backlog.push(poll(1, 0));
  for (int i = 1; i < 20; ++i) backlog.push(poll(1, i, true));
  backlog.push(poll(2, 1));
  EXPECT_EQ(backlog.take(10).size(), 1u);
}

TEST(Backlog, short_of_memory_it_lets_results_without_a_change_go_and_counts_them) {
  Backlog backlog(20'000);
  backlog.keep_one_a_page();
  int page = 0;
  while (backlog.bytes() < 10'000) backlog.push(poll(++page, 1));
  const std::size_t held = backlog.size();
  for (int i = 1; i <= 50; ++i) backlog.push(poll(page + i, 1));
  EXPECT_EQ(backlog.size(), held);
  EXPECT_EQ(backlog.squeezed().polls, 50u);
  backlog.push(poll(page + 1, 2, true));
  EXPECT_EQ(backlog.size(), held + 1) << "a change is never let go";
}

TEST(Backlog, short_of_memory_it_joins_changes_of_a_page_and_keeps_their_window) {
  Backlog backlog(6'000);
  backlog.keep_one_a_page();
  backlog.push(poll(1, 1, true, 'a', 'b'));
  int page = 1;
  while (backlog.bytes() < 3'000) backlog.push(poll(++page, 1));
  backlog.push(poll(1, 2, true, 'b', 'c'));
  backlog.push(poll(1, 3, true, 'c', 'd'));
  EXPECT_EQ(backlog.squeezed().changes, 2u);
  const PollRecord first = std::move(backlog.take(1)[0]);
  EXPECT_TRUE(first.earlier.empty());
  EXPECT_EQ(first.change->old_hash[0], 'a');
  EXPECT_EQ(first.change->new_hash[0], 'd');
  EXPECT_EQ(first.change->previous_poll_at, at_ms(noon));
  EXPECT_EQ(first.change->found_at, at_ms(noon + 3));
}

TEST(Backlog, memory_is_bounded_by_the_pages_that_change) {
  Backlog backlog(1u << 20);
  backlog.keep_one_a_page();
  for (int round = 0; round < 200; ++round) {
    for (int page = 0; page < 500; ++page) backlog.push(poll(page, round, true));
  }
  EXPECT_LT(backlog.bytes(), 1u << 20);
  EXPECT_EQ(backlog.changes() + backlog.squeezed().changes, 200u * 500);
}

}  // namespace
}  // namespace pollux::store
