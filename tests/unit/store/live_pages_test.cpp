#include "store/live_pages.hpp"

#include "fixture.hpp"

namespace pollux::store {
namespace {

constexpr std::size_t enough = 1000;

class LivePages : public StoreTest {
 protected:
  LivePages() { EXPECT_TRUE(store_->reconcile(pages_of({"a", "b"}), at_ms(noon)).ok()); }

  static LivePageSpec live(const std::string& name, OverrideRow settings = {}) {
    LivePageSpec page{page_of(name), std::move(settings)};
    page.spec.source = "live";
    return page;
  }
  Result<AddedLive> add(const std::vector<LivePageSpec>& pages, Keep keep = Keep::yes,
                        std::size_t most = enough) {
    return store_->add_live_pages(pages, at_ms(noon), most, keep);
  }
  ChosenPage chosen(const std::string& name) {
    return store_->choose_pages({.urls = {page_of(name).url}}).value().at(0);
  }
  // What a reload of these files' pages does, with the live ones behind them.
  Result<Reconciled> reload(std::vector<PageSpec> pages, const Shrinking& allowed = {}) {
    const std::size_t listed = pages.size();
    const std::vector<LiveRow> rows = store_->load_live().value();
    for (const LiveRow& row : rows) {
      const auto same = [&](const PageSpec& page) { return page.url == row.url; };
      const auto end = pages.begin() + static_cast<std::ptrdiff_t>(listed);
      if (!row.live || std::any_of(pages.begin(), end, same)) continue;
      pages.push_back(page_of(row.url.substr(20)));
      pages.back().source = "live";
    }
    return store_->reconcile(pages, at_ms(noon), allowed);
  }

  std::unique_ptr<Store> store_ = open();
};

using What = AddedLive::What;

TEST_F(LivePages, are_added_once_and_only_where_no_file_lists_them) {
  const auto added = add({live("a"), live("new"), live("new2", {.url = {}, .importance = 3})});
  ASSERT_TRUE(added.ok()) << added.error().message;
  EXPECT_EQ(added->what, (std::vector{What::listed, What::added, What::added}));
  ASSERT_EQ(added->rows.size(), 2U);
  EXPECT_EQ(index(added->rows[0].slot), 2U) << "the smallest that is free";
  EXPECT_EQ(add({live("new")})->what, std::vector{What::live_already});
  EXPECT_EQ(load(*store_).at("new").spec.source, "live");
  EXPECT_EQ(chosen("new2").settings.importance, 3);
  EXPECT_TRUE(chosen("new").settings.empty());
}

TEST_F(LivePages, that_are_tried_only_leave_nothing_behind) {
  EXPECT_EQ(add({live("new", {.url = {}, .importance = 3})}, Keep::no)->what,
            std::vector{What::added});
  EXPECT_EQ(load(*store_).count("new"), 0U);
  EXPECT_TRUE(store_->load_live()->empty());
}

TEST_F(LivePages, have_a_bound) {
  EXPECT_EQ(add({live("1"), live("2"), live("3")}, Keep::yes, 2)->what,
            (std::vector{What::added, What::added, What::too_many}));
}

TEST_F(LivePages, come_back_with_their_history) {
  const PageId id = add({live("new", {.url = {}, .importance = 3})})->rows.at(0).id;
  Batch batch;
  batch.polls.push_back(poll_of(id, 7));
  ASSERT_TRUE(store_->write(batch, "p").ok());
  ASSERT_TRUE(store_->remove_live_pages(std::vector{id}, Keep::yes).ok());
  EXPECT_EQ(ask("SELECT state FROM page WHERE url LIKE '%/new'"), "removed");
  EXPECT_EQ(ask("SELECT count(*) FROM page_override"), "0");
  const auto again = add({live("new")});
  EXPECT_EQ(again->rows.at(0).id, id);
  EXPECT_EQ(again->rows.at(0).progress.polls, 7);
}

TEST_F(LivePages, are_not_counted_when_a_list_shrinks) {
  std::vector<PageSpec> listed = numbered_pages(30);
  ASSERT_TRUE(reload(listed).ok());
  std::vector<LivePageSpec> many;
  for (int i = 0; i < 100; ++i) many.push_back(live("live" + std::to_string(i)));
  ASSERT_TRUE(add(many).ok());
  listed.resize(10);
  const auto refused = reload(listed, {.most = 0.5});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("20 of 30 pages"), std::string::npos);
}

TEST_F(LivePages, that_a_file_lists_are_the_files_and_lose_what_was_set) {
  ASSERT_TRUE(add({live("new", {.url = {}, .importance = 3})}).ok());
  ASSERT_TRUE(reload(pages_of({"a", "b"})).ok());
  EXPECT_EQ(load(*store_).at("new").spec.source, "live") << "files leave it alone";
  ASSERT_TRUE(reload(pages_of({"a", "b", "new"})).ok());
  EXPECT_EQ(load(*store_).at("new").spec.source, "file");
  EXPECT_TRUE(store_->load_live()->empty());
  EXPECT_EQ(reload(pages_of({"a", "b"}))->removed, 1U);
}

TEST_F(LivePages, pauses_end_by_themselves) {
  const PageId a = chosen("a").id, b = chosen("b").id;
  ASSERT_TRUE(store_->pause_pages(std::vector{a}, at_ms(noon + 1000), Keep::yes).ok());
  ASSERT_TRUE(store_->pause_pages(std::vector{b}, std::nullopt, Keep::yes).ok());
  EXPECT_EQ(*store_->next_pause_end(), at_ms(noon + 1000));
  EXPECT_TRUE(store_->due_pauses(at_ms(noon))->empty());
  EXPECT_EQ(*store_->due_pauses(at_ms(noon + 1000)), std::vector{a});
  ASSERT_TRUE(store_->reconcile(pages_of({"a", "b"}), at_ms(noon)).ok());
  EXPECT_TRUE(chosen("a").paused);
  ASSERT_TRUE(store_->reconcile(pages_of({"a", "b"}), at_ms(noon + 2000)).ok());
  EXPECT_FALSE(chosen("a").paused);
  EXPECT_TRUE(chosen("b").paused) << "it has no end";
  EXPECT_EQ(store_->resume_pages(std::vector{b}, Keep::yes)->at(0).state, "active");
}

TEST_F(LivePages, settings_replace_each_other_and_have_a_bound) {
  const auto set = [&](const std::string& name, const OverrideRow& settings, std::size_t most) {
    return store_->set_pages({{chosen(name).id, {page_of(name, 5), settings}}}, most, Keep::yes);
  };
  ASSERT_TRUE(set("a", {.url = {}, .name = "A", .tags = R"(["x"])", .content = "{}"}, 1).ok());
  EXPECT_FALSE(set("b", {.url = {}, .name = "B"}, 1).ok());
  EXPECT_EQ(load(*store_).at("b").spec.importance, 1) << "nothing is half done";
  EXPECT_EQ(chosen("a").settings.content, "{}");
  ASSERT_TRUE(set("a", {.url = {}}, 1).ok());
  EXPECT_TRUE(store_->load_live()->empty());
}

TEST_F(LivePages, are_chosen_by_url_tag_and_pattern_once_each) {
  PageSpec tagged = page_of("t");
  tagged.tags = R"(["x","y z"])";
  ASSERT_TRUE(store_->reconcile({page_of("a"), tagged}, at_ms(noon)).ok());
  const auto count = [&](const PageChoice& choice) { return store_->choose_pages(choice)->size(); };
  EXPECT_EQ(count({.tags = {"y z"}}), 1U);
  EXPECT_EQ(count({.tags = {"y"}}), 0U);
  EXPECT_EQ(count({.globs = {"https://example.org/*"}}), 2U) << "not the removed one";
  EXPECT_EQ(count({.urls = {tagged.url}, .tags = {"x"}, .globs = {"*/t"}}), 1U);
}

TEST_F(LivePages, changes_are_read_once_and_all_or_none) {
  Batch batch;
  batch.polls.push_back(poll_of(chosen("a").id, 1, true));
  const auto written = store_->write(batch, "p");
  ASSERT_TRUE(written.ok());
  ASSERT_EQ(written->change_ids.size(), 1U);
  const std::int64_t id = written->change_ids[0].second;
  EXPECT_EQ(*store_->mark_read(std::vector<std::int64_t>{id}, at_ms(noon)), 1U);
  EXPECT_EQ(*store_->mark_read(std::vector<std::int64_t>{id}, at_ms(noon)), 0U);
  EXPECT_FALSE(store_->mark_read(std::vector<std::int64_t>{id, 77}, at_ms(noon)).ok());
  EXPECT_EQ(ask("SELECT read_at FROM change"), std::to_string(noon));
}

TEST_F(LivePages, masks_are_judged_and_stay_so) {
  const PageId a = chosen("a").id;
  Batch batch;
  batch.masks.push_back({.page = a, .mask = "m", .at = at_ms(noon)});
  ASSERT_TRUE(store_->write(batch, "p").ok());
  const auto state = [&] { return ask("SELECT state FROM mask"); };
  const auto decided = store_->decide_mask(1, MaskRow::State::refused);
  ASSERT_TRUE(decided.ok()) << decided.error().message;
  EXPECT_EQ(decided->row.page, a);
  EXPECT_TRUE(decided->slot);
  ASSERT_TRUE(store_->write(batch, "p").ok());
  EXPECT_EQ(state(), "refused") << "learning it again changes nothing";
  ASSERT_TRUE(store_->decide_mask(1, MaskRow::State::accepted).ok());
  batch.masks[0].what = MaskRow::What::dropped;
  batch.masks.push_back(batch.masks[0]);
  batch.masks[1].what = MaskRow::What::expired;
  ASSERT_TRUE(store_->write(batch, "p").ok());
  EXPECT_EQ(state(), "accepted");
  EXPECT_FALSE(store_->decide_mask(9, MaskRow::State::accepted).ok());
}

}  // namespace
}  // namespace pollux::store
