// What the Reader tells of masks and of changes in words, also where a database has neither.
#include "fixture.hpp"

namespace pollux::store {
namespace {

class ContentViews : public StoreTest {
 protected:
  ContentViews() : store_(open()) {
    EXPECT_TRUE(store_->reconcile(pages_of({"b", "a"}), at_ms(noon)).ok());
    pages_ = load(*store_);
  }
  std::unique_ptr<Reader> reader() const {
    auto opened = Reader::open(path());
    EXPECT_TRUE(opened.ok());
    return std::move(*opened);
  }
  std::unique_ptr<Store> store_;
  std::map<std::string, PageRow> pages_;
};

TEST_F(ContentViews, masks_come_by_url_and_of_one_page_alone) {
  ask("CREATE TABLE IF NOT EXISTS mask (id INTEGER PRIMARY KEY, page_id INTEGER, mask TEXT, "
      "state TEXT, made_at INTEGER, last_matched_at INTEGER)");
  EXPECT_TRUE(reader()->masks(std::nullopt)->empty());
  for (const char* name : {"b", "a"}) {
    ask("INSERT INTO mask(page_id, mask, state, made_at) VALUES (" +
        std::to_string(value(pages_.at(name).id)) + ", 'of " + name + "', 'learnt', 5)");
  }
  const auto all = reader()->masks(std::nullopt);
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(all->front().url, "https://example.org/a");
  EXPECT_EQ(all->front().mask, "of a");
  EXPECT_EQ(all->front().state, "learnt");
  EXPECT_EQ(all->front().made_at, at_ms(5));
  EXPECT_FALSE(all->front().last_matched_at);
  const auto first = reader()->masks(std::nullopt, 1);
  ASSERT_TRUE(first.ok());
  ASSERT_EQ(first->size(), 1u);
  EXPECT_EQ(first->front().mask, "of a");
  const auto one = reader()->masks(pages_.at("b").id);
  ASSERT_TRUE(one.ok());
  ASSERT_EQ(one->size(), 1u);
  EXPECT_EQ(one->front().page, pages_.at("b").id);
}

TEST_F(ContentViews, a_mask_that_has_expired_is_listed_and_not_loaded_until_it_is_made_again) {
  const PageId page = pages_.at("a").id;
  const auto write = [&](MaskRow::What what, int mask = 0) {
    Batch batch;
    batch.masks.push_back({page, "mask " + std::to_string(mask), at_ms(noon), what});
    ASSERT_TRUE(store_->write(batch, "htraa").ok());
  };
  const auto loaded = [&] {
    int masks = 0;
    EXPECT_TRUE(store_->load_masks([&](MaskRow&&) { ++masks; }).ok());
    return masks;
  };
  write(MaskRow::What::made);
  EXPECT_EQ(loaded(), 1);
  write(MaskRow::What::expired);
  EXPECT_EQ(loaded(), 0);
  ASSERT_EQ(reader()->masks(page)->size(), 1u);
  EXPECT_EQ(reader()->masks(page)->front().state, "expired");
  write(MaskRow::What::made);
  EXPECT_EQ(loaded(), 1);
  EXPECT_EQ(reader()->masks(page)->front().state, "learnt");
  for (int i = 0; i < 50; ++i) {
    write(MaskRow::What::made, i);
    write(MaskRow::What::expired, i);
  }
  EXPECT_EQ(reader()->masks(page)->size(), 16u) << "the last ones are enough";
}

TEST_F(ContentViews, an_older_database_has_no_masks) {
  ask("DROP TABLE IF EXISTS mask");
  const auto none = reader()->masks(std::nullopt);
  ASSERT_TRUE(none.ok()) << none.error().message;
  EXPECT_TRUE(none->empty());
}

TEST_F(ContentViews, changes_are_told_in_words_by_the_time_they_were_found) {
  const PageId page = pages_.at("a").id;
  Batch batch;
  batch.polls.push_back(poll_of(page, 1, true));
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  ASSERT_TRUE(reader()->change_summaries(page).ok()) << "with the column or without";
  ask("ALTER TABLE change ADD COLUMN summary TEXT");  // refused where it is there
  ask("UPDATE change SET summary = 'price 1 → 2'");
  const auto words = reader()->change_summaries(page);
  ASSERT_TRUE(words.ok()) << words.error().message;
  ASSERT_EQ(words->size(), 1u);
  EXPECT_EQ(words->at(at_ms(noon + 1)), "price 1 → 2");
  EXPECT_TRUE(reader()->change_summaries(pages_.at("b").id)->empty());
}

}  // namespace
}  // namespace pollux::store
