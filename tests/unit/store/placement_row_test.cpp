#include "fixture.hpp"

namespace pollux::store {
namespace {

class PlacementRows : public StoreTest {};

TEST_F(PlacementRows, come_back_as_they_were_written_last) {
  auto store = open();
  ASSERT_TRUE(store->reconcile(pages_of({"a"}), at_ms(noon)).ok());
  Batch batch;
  batch.access_points = {{"dsl", "interface eth1", 9}, {"far", "proxy http://p:1", 0}};
  batch.placements = {{"example.org:443", "dsl", true, 3, 0.25},
                      {"example.org:443", "far", false, 0, 0}};
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  Batch later;
  later.placements = {{"example.org:443", "dsl", false, 0, 0.5},
                      {"example.org:443", "far", true, 1, 0.125}};
  ASSERT_TRUE(store->write(later, "htraa").ok());
  store.reset();
  store = open();
  const auto rows = store->load_placements();
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].access_point, "dsl");
  EXPECT_FALSE((*rows)[0].placed);
  EXPECT_EQ((*rows)[0].seconds, 0.5);
  EXPECT_TRUE((*rows)[1].placed);
  EXPECT_EQ((*rows)[1].depth, 1);
  EXPECT_EQ(ask("SELECT access_point || hosts || ' ' || mean_ms FROM access_point_report"),
            "far1 125.0");
}

TEST_F(PlacementRows, at_an_access_point_that_is_gone_are_kept_but_unplaced_and_not_shown) {
  auto store = open();
  ASSERT_TRUE(store->reconcile(pages_of({"a"}), at_ms(noon)).ok());
  Batch batch;
  batch.access_points = {{"dsl", "interface eth1", 0}};
  batch.placements = {{"example.org:443", "dsl", true, 3, 0.25},
                      {"elsewhere.org:443", "dsl", true, 3, 0.25}};
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  {
    const auto reader = Reader::open(path());
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ((*reader)->placements()->size(), 1u);
  }
  Batch gone;
  gone.access_points.emplace();
  ASSERT_TRUE(store->write(gone, "htraa").ok());
  EXPECT_EQ(ask("SELECT sum(placed) || ' ' || count(*) FROM placement"), "0 2");
  const auto reader = Reader::open(path());
  EXPECT_TRUE((*reader)->placements()->empty());
  EXPECT_TRUE((*reader)->access_points()->empty());
}

}  // namespace
}  // namespace pollux::store
