#include "store/share_notes.hpp"

#include "fixture.hpp"

namespace pollux::store {
namespace {

using namespace std::chrono_literals;

class ShareNotesTest : public StoreTest {
 protected:
  void SetUp() override { store_ = open(); }
  void have(const std::vector<PageSpec>& pages) {
    ASSERT_TRUE(store_->reconcile(pages, at_ms(noon)).ok());
    store_.reset();
    connection_.emplace(std::move(Connection::open(path(), SQLITE_OPEN_READWRITE).value()));
    execute("UPDATE page SET share = 1");
  }
  void execute(const std::string& sql) { ASSERT_TRUE(connection_->execute(sql).ok()); }
  // The parts of one pass, if one begins then.
  int pass(std::int64_t at) {
    for (int parts = 1;; ++parts) {
      const Result<bool> more = notes_.step(*connection_, at_ms(at), 10min);
      EXPECT_TRUE(more.ok()) << (more.ok() ? "" : more.error().message);
      if (!more.ok() || !*more) return parts;
    }
  }
  std::string share_of(const std::string& prefix) {
    return ask("SELECT share FROM share_history WHERE prefix = '" + prefix + "'");
  }
  std::unique_ptr<Store> store_;
  std::optional<Connection> connection_;
  ShareNotes notes_;
};

TEST_F(ShareNotesTest, are_of_hosts_and_their_first_directories) {
  have(pages_of({"", "news/", "news/today", "news/old/1", "about"}));
  execute("UPDATE page SET share = 0.25 WHERE url LIKE '%today'");
  EXPECT_EQ(pass(noon), 1);
  EXPECT_EQ(share_of("https://example.org/"), "4.25");
  EXPECT_EQ(share_of("https://example.org/news/"), "2.25");
  EXPECT_EQ(ask("SELECT count(*) FROM share_history"), "2");
}

TEST_F(ShareNotesTest, come_every_ten_minutes_also_after_a_clock_was_set_back) {
  have(pages_of({"a"}));
  pass(noon);
  pass(noon + 9 * 60'000);
  EXPECT_EQ(ask("SELECT count(DISTINCT at) FROM share_history"), "1");
  notes_ = {};  // a start later
  pass(noon + 9 * 60'000);
  EXPECT_EQ(ask("SELECT count(DISTINCT at) FROM share_history"), "1");
  pass(noon + 10 * 60'000);
  EXPECT_EQ(ask("SELECT count(DISTINCT at) FROM share_history"), "2");
  pass(noon - 60'000);
  EXPECT_EQ(ask("SELECT count(DISTINCT at) FROM share_history"), "3");
}

TEST_F(ShareNotesTest, of_a_long_list_are_made_in_parts_and_count_a_bounded_number_of_directories) {
  constexpr int pages = 2 * ShareNotes::ids_a_step + 1;
  std::vector<PageSpec> all;
  for (int i = 0; i < pages; ++i) all.push_back(page_of("d" + std::to_string(i) + "/x"));
  have(all);
  execute("UPDATE page SET share = 100 WHERE id IN (1, 2, (SELECT max(id) FROM page))");
  EXPECT_EQ(pass(noon), 3);
  EXPECT_EQ(ask("SELECT count(*) FROM share_history WHERE share = 100"), "3");
  EXPECT_EQ(ask("SELECT count(*) FROM share_history"), std::to_string(ShareNotes::most_noted + 1));
  EXPECT_EQ(share_of("https://example.org/"), std::to_string(pages - 3 + 300) + ".0");
}

}  // namespace
}  // namespace pollux::store
