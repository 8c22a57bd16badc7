// Databases that are divided, and put together again.
#include "pollux/store/shard.hpp"

#include "full_database.hpp"
#include "store/migrations.hpp"
#include "store/shard_rows.hpp"
#include "support/small_disk.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace pollux::store {
namespace {

namespace fs = std::filesystem;

// "w1.s7.example:443" and "https://w1.s7.example/3" → "s7".
std::string site_of(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme != text.npos) text.remove_prefix(scheme + 3);
  const std::size_t dot = text.find('.');
  return std::string(text.substr(dot + 1, text.find('.', dot + 1) - dot - 1));
}

class Shards : public StoreTest {
 protected:
  std::string scratch(const std::string& name) const {
    const std::string folder = path("scratch-" + name);
    fs::create_directory(folder);
    return folder;
  }
  static Division into(std::uint32_t parts) {
    return {.parts = parts, .domain = &site_of, .part_of = [parts](std::string_view site) {
              std::uint32_t sum = 0;
              for (const char c : site) sum = sum * 31 + static_cast<unsigned char>(c);
              return sum % parts;
            }};
  }
  Result<std::unique_ptr<Divider>> divider(const std::string& database, std::uint32_t parts) {
    return Divider::open(database, into(parts), {.scratch = scratch("d" + std::to_string(parts))});
  }
  std::vector<std::string> split(const std::string& database, std::uint32_t parts) {
    const auto divided = divider(database, parts);
    EXPECT_TRUE(divided.ok()) << (divided ? "" : divided.error().message);
    std::vector<std::string> made;
    if (!divided) return made;
    const Result<std::vector<NodeRow>> nodes = (*divided)->nodes("htraa");
    for (std::uint32_t part = 0; part < parts; ++part) {
      made.push_back(path(fmt::format("part-{}-of-{}.db", part, parts)));
      ShardExtras extras;
      for (const NodeRow& node : *nodes)
        if (into(parts).part_of(site_of(node.first_url)) == part) extras.nodes.push_back(node);
      const Result<ShardCounts> written = (*divided)->write(part, made.back(), extras);
      EXPECT_TRUE(written.ok()) << (written ? "" : written.error().message);
    }
    EXPECT_TRUE((*divided)->check_source().ok());
    return made;
  }
  Result<std::unique_ptr<Merger>> merger(const std::vector<std::string>& databases,
                                         SameUrl rule = SameUrl::refuse) {
    return Merger::open(databases, rule, {.scratch = scratch("m" + std::to_string(++merges_))});
  }
  Result<ShardCounts> merge(const std::vector<std::string>& databases, const std::string& to,
                            SameUrl rule = SameUrl::refuse) {
    const auto merged = merger(databases, rule);
    if (!merged) return merged.error();
    ShardExtras extras;
    for (std::uint32_t source = 0; source < (*merged)->sources(); ++source) {
      const Result<std::vector<NodeRow>> nodes = (*merged)->nodes(source, "htraa");
      for (const NodeRow& node : *nodes)
        if (!node.first_url.empty()) extras.nodes.push_back(node);
    }
    return (*merged)->write(to, extras);
  }
  static void expect_same(const std::string& a, const std::string& b) {
    for (const std::string& table : tables_of(a))
      EXPECT_EQ(rows_of(a, table), rows_of(b, table)) << table;
    EXPECT_EQ(versions_of(a), versions_of(b));
  }

 private:
  int merges_ = 0;
};

TEST_F(Shards, every_table_has_a_way) {
  fill_every_table(path(), 2, "s");
  std::set<std::string> known(std::begin(made_tables), std::end(made_tables));
  known.insert(copied_tables().begin(), copied_tables().end());
  for (const std::string& table : tables_of(path())) {
    EXPECT_TRUE(known.contains(table)) << "say in shard_rows.cpp what becomes of " << table;
    EXPECT_FALSE(rows_of(path(), table).empty()) << "full_database.hpp has no rows of " << table;
  }
}

TEST_F(Shards, what_was_split_and_merged_is_what_it_was) {
  fill_every_table(path(), 12, "s");
  for (const std::uint32_t parts : {2u, 3u, 7u}) {
    const std::vector<std::string> made = split(path(), parts);
    const std::string back = path(fmt::format("back-{}.db", parts));
    const Result<ShardCounts> merged = merge(made, back);
    ASSERT_TRUE(merged.ok()) << merged.error().message;
    EXPECT_EQ(merged->pages, 72u);
    EXPECT_EQ(merged->listed, 69u);
    expect_same(path(), back);
    // It is a database as any other: the daemon opens it.
    const auto store = Store::open(back);
    ASSERT_TRUE(store.ok()) << store.error().message;
    int pages = 0;
    ASSERT_TRUE((*store)->load_pages([&](PageRow&&) { ++pages; }).ok());
    EXPECT_EQ(pages, 69);
  }
}

TEST_F(Shards, each_part_has_its_own_pages_and_what_belongs_to_them) {
  fill_every_table(path(), 12, "s");
  const std::vector<std::string> made = split(path(), 3);
  for (std::uint32_t part = 0; part < 3; ++part) {
    const std::string& database = made[part];
    const auto pages = texts_in(database, "SELECT url FROM page");
    ASSERT_FALSE(pages.empty());
    for (const std::string& url : pages) EXPECT_EQ(into(3).part_of(site_of(url)), part) << url;
    for (const char* nothing_of_others :
         {"SELECT url FROM page_override WHERE url NOT IN (SELECT url FROM page)",
          "SELECT id FROM change WHERE page_id NOT IN (SELECT id FROM page)",
          "SELECT id FROM delivery WHERE notification_id NOT IN (SELECT id FROM notification)",
          "SELECT host FROM robots WHERE host NOT IN (SELECT host FROM page) AND host NOT IN "
          "(SELECT host FROM host WHERE blocked_by IS NOT NULL)",
          "SELECT first_url FROM learner_node WHERE first_url NOT IN (SELECT url FROM page)",
          "SELECT key FROM meta WHERE key = 'pid'"}) {
      EXPECT_TRUE(texts_in(database, nothing_of_others).empty()) << nothing_of_others;
    }
    // Slots without gaps: they are indices.
    EXPECT_EQ(texts_in(database, "SELECT max(slot) + 1 = count(slot) FROM page"),
              std::vector<std::string>{"1"});
    EXPECT_EQ(texts_in(database, "SELECT count(*) FROM budget_minute").front(),
              part == 0 ? "2" : "0");
  }
  // Databases of their own: copies in one folder for backups are told apart.
  EXPECT_NE(texts_in(made[0], "SELECT value FROM meta WHERE key = 'database_id'"),
            texts_in(made[1], "SELECT value FROM meta WHERE key = 'database_id'"));
}

TEST_F(Shards, the_block_of_a_host_goes_with_the_page_that_was_redirected_there) {
  fill_every_table(path(), 6, "s");
  run_in(path(),
         "UPDATE host SET blocked_until = 5, blocked_by = 'https://w0.s0.example/0' "
         "WHERE host = 'w0.s1.example:443'");
  const std::vector<std::string> made = split(path(), 5);
  const std::uint32_t whose = into(5).part_of("s0"), home = into(5).part_of("s1");
  ASSERT_NE(whose, home);
  for (const std::uint32_t part : {whose, home}) {
    EXPECT_EQ(texts_in(made[part],
                       "SELECT blocked_until FROM host WHERE host = "
                       "'w0.s1.example:443'"),
              std::vector<std::string>{"5"});
  }
}

TEST_F(Shards, nothing_of_the_source_is_changed) {
  fill_every_table(path(), 3, "s");
  const auto bytes = [&](const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string before = bytes(path()), versions = bytes(path() + "-content");
  split(path(), 2);
  EXPECT_EQ(bytes(path()), before);
  EXPECT_EQ(bytes(path() + "-content"), versions);
}

TEST_F(Shards, numbers_that_several_have_are_given_anew) {
  fill_every_table(path("a.db"), 3, "a");
  fill_every_table(path("b.db"), 4, "b");
  const Result<ShardCounts> merged = merge({path("a.db"), path("b.db")}, path("both.db"));
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  for (const std::string& table : tables_of(path("both.db"))) {
    if (table == "access_point" || table == "learner_value" || table == "meta" ||
        table == "budget_minute")
      continue;
    Rows both = rows_of(path("a.db"), table);
    both.merge(rows_of(path("b.db"), table));
    EXPECT_EQ(rows_of(path("both.db"), table), both) << table;
  }
  Rows both = versions_of(path("a.db"));
  both.merge(versions_of(path("b.db")));
  EXPECT_EQ(versions_of(path("both.db")), both);
  EXPECT_EQ(texts_in(path("both.db"), "SELECT requests || ' ' || budget FROM budget_minute"),
            (std::vector<std::string>{"1000 20.0", "1200 40.0"}));
  EXPECT_EQ(texts_in(path("both.db"),
                     "SELECT count(DISTINCT slot) = count(*) FROM page WHERE "
                     "state <> 'removed'"),
            std::vector<std::string>{"1"});
}

TEST_F(Shards, a_url_in_two_databases_is_refused_or_the_one_polled_last_is_taken) {
  fill_every_table(path("a.db"), 2, "s");
  fill_every_table(path("b.db"), 3, "s");
  run_in(path("b.db"),
         "UPDATE page SET last_polled_at = 5 WHERE id % 2 = 0;"
         "UPDATE page SET last_polled_at = 1900000000000 WHERE id % 2 = 1;"
         "UPDATE change SET summary = 'of b'; UPDATE notification SET key = 'b' || key");
  const Result<ShardCounts> refused = merge({path("a.db"), path("b.db")}, path("no.db"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().exit_code, ExitCode::bad_data);
  for (const std::string& named :
       {path("a.db"), path("b.db"), std::string("and 11 more pages"), std::string("--newest")})
    EXPECT_NE(refused.error().message.find(named), std::string::npos) << refused.error().message;
  EXPECT_FALSE(fs::exists(path("no.db")));

  const Result<ShardCounts> merged =
      merge({path("a.db"), path("b.db")}, path("both.db"), SameUrl::newest);
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(merged->pages, 18u);
  // All of a page comes from one of them.
  EXPECT_EQ(texts_in(path("both.db"),
                     "SELECT count(*) FROM page WHERE (last_polled_at = 1900000000000) <> "
                     "(EXISTS (SELECT 1 FROM change WHERE page_id = page.id AND summary = 'of b'))"
                     " AND last_polled_at <> 5"),
            std::vector<std::string>{"0"});
  EXPECT_EQ(texts_in(path("both.db"), "SELECT count(*) FROM change"),
            std::vector<std::string>{"36"});
}

TEST_F(Shards, one_file_twice_is_refused) {
  fill_every_table(path(), 2, "s");
  const auto merged = merger({path(), path()});
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.error().exit_code, ExitCode::usage) << merged.error().message;
}

TEST_F(Shards, a_daemon_that_runs_is_no_source) {
  fill_every_table(path(), 2, "s");
  const auto store = Store::open(path());
  ASSERT_TRUE(store.ok());
  const auto divided = divider(path(), 2);
  ASSERT_FALSE(divided.ok());
  EXPECT_EQ(divided.error().exit_code, ExitCode::temporary);
  EXPECT_NE(divided.error().message.find("stop it first"), std::string::npos);
}

TEST_F(Shards, a_source_that_was_written_to_meanwhile_is_noticed) {
  fill_every_table(path(), 2, "s");
  const auto divided = divider(path(), 2);
  ASSERT_TRUE(divided.ok());
  EXPECT_TRUE((*divided)->check_source().ok());
  run_in(path(), "UPDATE page SET polls = polls + 1");
  const Status same = (*divided)->check_source();
  ASSERT_FALSE(same.ok());
  EXPECT_EQ(same.error().exit_code, ExitCode::temporary);
}

TEST_F(Shards, a_damaged_database_is_refused) {
  fill_every_table(path(), 40, "s");
  run_in(path(), "PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 * 5);
    file << std::string(4096 * 8, 'x');
  }
  const auto divided = divider(path(), 2);
  ASSERT_FALSE(divided.ok());
  EXPECT_EQ(divided.error().exit_code, ExitCode::bad_data) << divided.error().message;
}

TEST_F(Shards, an_older_schema_is_brought_up_to_date_in_a_copy) {
  {
    const Result<Connection> old =
        Connection::open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(old.ok());
    ASSERT_TRUE(migrate(*old, {.empty = true, .version = 0}, migrations().first(4)).ok());
    ASSERT_TRUE(old->execute("INSERT INTO page (id, url, host, slot, state, importance, "
                             "min_interval_ms, max_interval_ms, added_at) VALUES "
                             "(1, 'https://a.s1.example/', 'a.s1.example:443', 0, 'active', 1, 1, "
                             "2, 3), (2, 'https://a.s2.example/', 'a.s2.example:443', 1, "
                             "'active', 1, 1, 2, 3)")
                    .ok());
  }
  const std::vector<std::string> made = split(path(), 2);
  EXPECT_EQ(texts_in(made[0], "PRAGMA user_version"),
            std::vector<std::string>{std::to_string(migrations().size())});
  EXPECT_EQ(texts_in(path(), "PRAGMA user_version"), std::vector<std::string>{"4"});
  EXPECT_EQ(texts_in(made[0], "SELECT url FROM page").size() +
                texts_in(made[1], "SELECT url FROM page").size(),
            2u);
}

TEST_F(Shards, whoever_cancels_it_is_obeyed) {
  fill_every_table(path(), 60, "s");
  bool over = false;
  const auto divided =
      Divider::open(path(), into(2), {.scratch = scratch("c"), .cancelled = [&] { return over; }});
  ASSERT_TRUE(divided.ok());
  over = true;
  const Result<ShardCounts> written = (*divided)->write(0, path("part.db"), {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().exit_code, ExitCode::temporary);
}

TEST_F(Shards, a_disk_that_fills_up_is_told) {
  fill_every_table(path(), 60, "s");
  const test::SmallDisk disk(path("disk"), "size=400k");
  if (!disk.mounted()) GTEST_SKIP() << "no mount namespace to be had";
  const auto divided = divider(path(), 2);
  ASSERT_TRUE(divided.ok());
  const Result<ShardCounts> written = (*divided)->write(0, path("disk/part.db"), {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().exit_code, ExitCode::io);
  EXPECT_NE(written.error().message.find("make room on the disk"), std::string::npos)
      << written.error().message;
}

TEST_F(Shards, a_name_that_is_taken_stays_whose_it_is) {
  folder_.write("there.db", "mine");
  folder_.write("new.db", "new");
  EXPECT_FALSE(name_database(path("new.db"), path("there.db")).ok());
  std::ifstream in(path("there.db"));
  std::string text;
  in >> text;
  EXPECT_EQ(text, "mine");
}

}  // namespace
}  // namespace pollux::store
