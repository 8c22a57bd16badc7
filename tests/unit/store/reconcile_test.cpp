#include "fixture.hpp"

namespace pollux::store {
namespace {

class ReconcileTest : public StoreTest {
 protected:
  Reconciled follow(Store& store, const std::vector<PageSpec>& pages) {
    const Result<Reconciled> done = store.reconcile(pages, at_ms(noon));
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
    return done.ok() ? *done : Reconciled{};
  }
};

TEST_F(ReconcileTest, new_pages_get_dense_slots_in_the_order_of_the_list) {
  auto store = open();
  const Reconciled done = follow(*store, pages_of({"b", "a", "c"}));
  EXPECT_EQ(done.added, 3U);
  EXPECT_EQ(done.active, 3U);
  auto pages = load(*store);
  EXPECT_EQ(index(pages["b"].slot), 0U);
  EXPECT_EQ(index(pages["a"].slot), 1U);
  EXPECT_EQ(index(pages["c"].slot), 2U);
  EXPECT_EQ(pages["a"].added_at, at_ms(noon));
  EXPECT_EQ(pages["a"].state, "active");
}

TEST_F(ReconcileTest, a_page_never_polled_has_nulls_and_not_zeros) {
  auto store = open();
  follow(*store, pages_of({"a"}));
  EXPECT_EQ(ask("SELECT count(*) FROM page WHERE last_status IS NULL AND content_hash IS NULL AND "
                "last_error IS NULL AND etag IS NULL AND body_bytes IS NULL AND "
                "last_polled_at IS NULL AND change_rate_per_day IS NULL"),
            "1");
}

TEST_F(ReconcileTest, a_list_that_shrinks_by_more_than_is_allowed_changes_nothing) {
  auto store = open();
  follow(*store, numbered_pages(20));
  const Result<Reconciled> refused =
      store->reconcile(numbered_pages(9), at_ms(noon), {.most = 0.5});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().exit_code, ExitCode::configuration);
  EXPECT_NE(refused.error().message.find("11 of 20 pages would be removed"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(load(*store).size(), 20U);
  const Result<Reconciled> half = store->reconcile(numbered_pages(10), at_ms(noon), {.most = 0.5});
  ASSERT_TRUE(half.ok()) << "half is not more than half";
  EXPECT_EQ(half->before, 20U);
  EXPECT_EQ(half->removed, 10U);
  EXPECT_TRUE(store->reconcile(numbered_pages(1), at_ms(noon), {.most = 0.5}).ok())
      << "a short list may shrink as it likes";
}

TEST_F(ReconcileTest, what_a_page_was_given_is_kept_until_a_poll_says_more) {
  auto store = open();
  follow(*store, pages_of({"a", "b"}));
  auto pages = load(*store);
  Batch batch;
  batch.shares = {{pages["a"].id, 0.75, at_ms(noon + 1000)}};
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  EXPECT_EQ(load(*store)["a"].progress.share, 0.75);
  EXPECT_EQ(load(*store)["a"].progress.next_due_at, at_ms(noon + 1000));
  EXPECT_EQ(load(*store)["b"].progress.share, 0);
  // Of a page that has left meanwhile nothing is written.
  follow(*store, pages_of({"b"}));
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  EXPECT_EQ(ask("SELECT count(*) FROM page WHERE share <> 0"), "0");
}

TEST_F(ReconcileTest, the_same_list_in_another_order_changes_nothing) {
  auto store = open();
  follow(*store, pages_of({"a", "b", "c"}));
  auto before = load(*store);
  const Reconciled done = follow(*store, pages_of({"c", "a", "b"}));
  EXPECT_EQ(done.added + done.updated + done.removed + done.revived, 0U);
  EXPECT_EQ(done.active, 3U);
  auto after = load(*store);
  for (const auto& [name, page] : before) {
    EXPECT_EQ(after[name].id, page.id);
    EXPECT_EQ(after[name].slot, page.slot);
  }
}

TEST_F(ReconcileTest, changed_options_keep_what_was_learnt) {
  auto store = open();
  follow(*store, pages_of({"a", "b"}));
  auto before = load(*store);
  Batch batch;
  batch.polls.push_back(poll_of(before["a"].id, 7));
  batch.polls.back().progress.slow_hits = 2.5;
  ASSERT_TRUE(store->write(batch, "htraa").ok());

  std::vector<PageSpec> list = {page_of("a", 3), page_of("b")};
  list[0].min_interval_ms = 1'000;
  const Reconciled done = follow(*store, list);
  EXPECT_EQ(done.updated, 1U);
  auto after = load(*store);
  EXPECT_EQ(after["a"].spec.importance, 3);
  EXPECT_EQ(after["a"].spec.min_interval_ms, 1'000);
  EXPECT_EQ(after["a"].progress.polls, 7);
  EXPECT_EQ(after["a"].progress.slow_hits, 2.5);
  EXPECT_EQ(after["a"].slot, before["a"].slot);
}

TEST_F(ReconcileTest, a_removed_page_keeps_its_history_and_gives_its_slot_away) {
  auto store = open();
  follow(*store, pages_of({"a", "b", "c"}));
  Batch batch;
  batch.polls.push_back(poll_of(load(*store)["a"].id, 7, true));
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  const Reconciled removal = follow(*store, pages_of({"b", "c"}));
  EXPECT_EQ(removal.removed, 1U);
  EXPECT_EQ(removal.active, 2U);
  EXPECT_EQ(load(*store).count("a"), 0U);
  EXPECT_EQ(ask("SELECT polls FROM page WHERE state = 'removed'"), "7");
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "1");
  EXPECT_EQ(ask("SELECT slot IS NULL AND share = 0 FROM page WHERE state = 'removed'"), "1");

  follow(*store, pages_of({"b", "c", "d", "e"}));
  auto pages = load(*store);
  EXPECT_EQ(index(pages["d"].slot), 0U);
  EXPECT_EQ(index(pages["e"].slot), 3U);
}

TEST_F(ReconcileTest, a_page_listed_again_gets_its_history_back) {
  auto store = open();
  follow(*store, pages_of({"a", "b"}));
  const PageId id = load(*store)["a"].id;
  Batch batch;
  batch.polls.push_back(poll_of(id, 7));
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  follow(*store, pages_of({"b", "c"}));
  const Reconciled done = follow(*store, pages_of({"a", "b", "c"}));
  EXPECT_EQ(done.revived, 1U);
  EXPECT_EQ(done.added, 0U);
  EXPECT_EQ(done.active, 3U);
  auto pages = load(*store);
  EXPECT_EQ(pages["a"].id, id);
  EXPECT_EQ(pages["a"].progress.polls, 7);
  EXPECT_EQ(index(pages["a"].slot), 2U);  // 0 went to c
}

TEST_F(ReconcileTest, a_slot_freed_now_is_used_now) {
  auto store = open();
  follow(*store, pages_of({"a", "b"}));
  follow(*store, pages_of({"x", "b"}));
  EXPECT_EQ(index(load(*store)["x"].slot), 0U);
}

TEST_F(ReconcileTest, a_page_listed_twice_is_refused_and_nothing_changes) {
  auto store = open();
  follow(*store, pages_of({"a"}));
  const Result<Reconciled> done = store->reconcile(pages_of({"b", "c", "b"}), at_ms(noon));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().exit_code, ExitCode::configuration);
  EXPECT_NE(done.error().message.find("https://example.org/b"), std::string::npos);
  EXPECT_EQ(load(*store).size(), 1U);
}

TEST_F(ReconcileTest, a_paused_page_stays_paused_and_keeps_its_slot) {
  auto store = open();
  follow(*store, pages_of({"a", "b"}));
  ask("UPDATE page SET state = 'paused' WHERE slot = 0");
  const Reconciled done = follow(*store, pages_of({"a", "b", "c"}));
  EXPECT_EQ(done.active, 2U);
  EXPECT_EQ(ask("SELECT slot FROM page WHERE state = 'paused'"), "0");
  EXPECT_EQ(index(load(*store)["c"].slot), 2U);
}

TEST_F(ReconcileTest, a_page_that_is_paused_by_hand_loses_its_share_and_gets_it_back_by_hand) {
  auto store = open();
  follow(*store, pages_of({"a", "b"}));
  const PageId a = load(*store)["a"].id;
  Batch batch;
  batch.polls = {poll_of(a, 3)};
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  ask("UPDATE page SET state = 'paused' WHERE slot = 0");
  follow(*store, pages_of({"a", "b"}));
  EXPECT_EQ(load(*store).size(), 1U);
  EXPECT_EQ(ask("SELECT share FROM page WHERE state = 'paused'"), "0.0");
  ask("UPDATE page SET state = 'active' WHERE slot = 0");
  EXPECT_EQ(follow(*store, pages_of({"a", "b"})).active, 2U);
  EXPECT_EQ(load(*store)["a"].progress.polls, 3);
}

TEST_F(ReconcileTest, a_poll_that_ends_after_its_page_was_removed_leaves_no_share_behind) {
  auto store = open();
  follow(*store, pages_of({"a", "b"}));
  Batch batch;
  batch.polls = {poll_of(load(*store)["a"].id, 3)};
  batch.polls[0].progress.next_due_at = at_ms(noon + 5);
  follow(*store, pages_of({"b"}));
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  EXPECT_EQ(ask("SELECT polls || ' ' || share || ' ' || (next_due_at IS NULL) FROM page "
                "WHERE state = 'removed'"),
            "3 0.0 1");
}

TEST_F(ReconcileTest, an_empty_list_removes_all) {
  auto store = open();
  follow(*store, pages_of({"a", "b"}));
  EXPECT_EQ(follow(*store, {}).removed, 2U);
  EXPECT_TRUE(load(*store).empty());
}

TEST_F(ReconcileTest, many_new_pages_leave_the_indexes_in_place) {
  auto store = open();
  const Reconciled done = follow(*store, numbered_pages(25'000));
  EXPECT_EQ(done.added, 25'000U);
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema WHERE name IN "
                "('page_by_url', 'page_by_slot')"),
            "2");
  EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask("SELECT slot FROM page WHERE url = 'https://example.org/p24999'"), "24999");
}

// What a start does in one pass is what two passes say, whatever has become of the list.
TEST_F(ReconcileTest, pages_are_handed_over_with_their_positions_as_they_are_in_the_table) {
  auto store = open();
  follow(*store, pages_of({"gone", "a", "b", "back", "paused"}));
  Batch batch;
  batch.polls.push_back(poll_of(load(*store)["a"].id, 7, true));
  batch.polls.push_back(poll_of(load(*store)["back"].id, 3, true));
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  follow(*store, pages_of({"gone", "a", "b", "paused"}));
  ask("UPDATE page SET state = 'paused' WHERE url LIKE '%paused'");
  const std::vector<PageSpec> list{page_of("new"),    page_of("b", 5), page_of("back"),
                                   page_of("paused"), page_of("a"),    page_of("last")};
  std::map<std::string, PageRow> handed;
  const auto done =
      store->reconcile(list, at_ms(noon), [&](const auto& page, std::uint32_t position) {
        EXPECT_EQ(page->spec.url, list[position].url);
        EXPECT_TRUE(handed.emplace(page->spec.url.substr(20), *page).second);
      });
  ASSERT_TRUE(done.ok()) << done.error().message;
  const auto loaded = load(*store);
  ASSERT_EQ(handed.size(), 5U) << "all but the one that is paused";
  ASSERT_EQ(loaded.size(), 5U);
  for (const auto& [name, page] : loaded) {
    const PageRow& early = handed[name];
    EXPECT_EQ(early.id, page.id) << name;
    EXPECT_EQ(early.slot, page.slot) << name;
    EXPECT_EQ(early.spec.importance, page.spec.importance) << name;
    EXPECT_EQ(early.added_at, page.added_at) << name;
    EXPECT_EQ(early.progress.polls, page.progress.polls) << name;
    EXPECT_EQ(early.progress.content_hash, page.progress.content_hash) << name;
    EXPECT_EQ(early.progress.last_changed_at, page.progress.last_changed_at) << name;
    EXPECT_EQ(early.state, page.state) << name;
  }
}

TEST_F(ReconcileTest, what_is_left_of_a_large_list_does_not_keep_its_memory) {
  auto store = open();
  follow(*store, pages_of({"a", "b"}));
  ask("UPDATE page SET slot = 50000000 WHERE id = 2");
  follow(*store, pages_of({"a", "b"}));
  EXPECT_EQ(index(load(*store)["b"].slot), 1U);
}

TEST_F(ReconcileTest, everything_is_there_after_opening_again) {
  auto store = open();
  follow(*store, pages_of({"a", "b", "c"}));
  auto before = load(*store);
  store.reset();
  store = open();
  const Reconciled done = follow(*store, pages_of({"a", "b", "c"}));
  EXPECT_EQ(done.added + done.updated + done.removed + done.revived, 0U);
  EXPECT_EQ(load(*store)["c"].id, before["c"].id);
}

}  // namespace
}  // namespace pollux::store
