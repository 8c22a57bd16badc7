// A database in which every table has rows that refer to each other, and what it says whatever the
// numbers of its rows are.
#pragma once

#include "fixture.hpp"
#include "pollux/store/content.hpp"
#include "store/content_codec.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <spdlog/fmt/fmt.h>

namespace pollux::store {

using Rows = std::multiset<std::string>;

// `sql` in the file at `path`.
inline void run_in(const std::string& path, const std::string& sql) {
  const Result<Connection> connection = Connection::open(path, SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(connection.ok());
  const Status done = connection->execute(sql);
  ASSERT_TRUE(done.ok()) << done.error().message;
}

inline std::vector<std::string> texts_in(const std::string& path, const std::string& sql) {
  const Result<Connection> connection = Connection::open(path, SQLITE_OPEN_READWRITE);
  std::vector<std::string> texts;
  if (!connection) return texts;
  Result<Statement> rows = connection->prepare(sql);
  EXPECT_TRUE(rows.ok()) << sql;
  if (!rows) return texts;
  while (true) {
    const Result<bool> row = rows->step();
    EXPECT_TRUE(row.ok());
    if (!row || !*row) return texts;
    texts.emplace_back(rows->text(0));
  }
}

inline std::vector<std::string> tables_of(const std::string& path) {
  return texts_in(path, "SELECT name FROM sqlite_schema WHERE type = 'table'");
}

// Pages "https://wN.sM.example/K": `sites` of two hosts each. `name` makes what has no page and no
// host of two such databases differ.
inline void fill_every_table(const std::string& path, int sites, const std::string& name) {
  std::vector<PageSpec> pages;
  for (int site = 0; site < sites; ++site) {
    for (int page = 0; page < 6; ++page) {
      PageSpec spec = page_of("");
      const std::string host = fmt::format("w{}.{}{}.example", page % 2, name, site);
      spec.url = fmt::format("https://{}/{}", host, page);
      spec.host = host + ":443";
      spec.importance = 1 + page;
      pages.push_back(spec);
    }
  }
  {
    Result<std::unique_ptr<Store>> store = Store::open(path);
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->reconcile(pages, at_ms(noon)).ok());
    // A few leave the list and keep their history.
    pages.resize(pages.size() - 3);
    ASSERT_TRUE((*store)->reconcile(pages, at_ms(noon + 1)).ok());
    ASSERT_TRUE((*store)->finish().ok());
  }
  const std::string by_page =
      "SELECT 17 * id + 3 * n AS k, id, n, url FROM page, (SELECT 1 AS n UNION SELECT 2)";
  run_in(
      path,
      // Every column of pages that polls change has a value of its own.
      "UPDATE page SET polls = 7 * id, changes = id % 5, errors = id % 3, last_polled_at = "
      "1790000000000 + id, last_confirmed_at = 1790000000000 + id, slow_hits = id / 7.0, "
      "slow_hit_time = id * 11.5, slow_miss_time = 1000.0 / id, fast_hits = 1.0 / id, "
      "fast_hit_time = 5, fast_miss_time = id, streak = id % 4, position = id / 100.0, "
      "share = 1.0 / (id + 3), change_rate_per_day = id / 9.0, etag = 'e' || id, "
      "content_hash = printf('%064x', id), retry_at = id, moved_to = url || 'x', noise = '[1]', "
      "request_mark = 'm' || id, age_model = '[' || id || ']', health = 'ok';"
      "INSERT INTO change (id, page_id, found_at, previous_poll_at, old_hash, new_hash, "
      "body_bytes, status, summary, read_at) SELECT k, id, 1790000000000 + k, 5, 'old', "
      "'new' || k, 9, 200, 'sum' || k, k FROM (" +
          by_page +
          ");"
          "INSERT INTO suspicion SELECT k, id, k, 'why', 'h' || k, k + 1 FROM (" +
          by_page +
          ");"
          "INSERT INTO mask SELECT k, id, 'mask' || k, 'learnt', k, k FROM (" +
          by_page +
          ");"
          "INSERT INTO look SELECT id, 1000 + id, url || 'because' FROM page WHERE id % 2 = 0;"
          "INSERT INTO page_override SELECT url, 'called ' || id, '[\"a\"]', 2, 3, 4, '{}' "
          "FROM page WHERE id % 3 = 0;"
          "INSERT INTO host SELECT DISTINCT host, 1790000000000 + id, CASE WHEN id % 4 < 2 THEN "
          "id END, id * 10, id, id, id * 2, CASE WHEN id % 4 = 0 THEN (SELECT url FROM page AS "
          "other WHERE other.id <> page.id LIMIT 1) END, id FROM page GROUP BY host;"
          "INSERT INTO host (host) VALUES ('redirects.elsewhere-" +
          name +
          ".example:443');"
          "INSERT INTO robots SELECT DISTINCT host, 'rules', 1, 2, 3, 200, 'e', 4, 'pollux', "
          "'Disallow: /' || id FROM page GROUP BY host;"
          "INSERT INTO placement SELECT DISTINCT host, 'north', 1, 3, 0.25 FROM page;"
          "INSERT INTO placement SELECT DISTINCT host, 'south', 0, 1, 0.5 FROM page;"
          "INSERT INTO access_point VALUES ('north', 'interface eth0', 5), ('south', 'direct', "
          "NULL);"
          "INSERT INTO share_history SELECT n, 'https://' || substr(host, 1, instr(host, ':') - 1) "
          "|| '/', max(share) FROM page, (SELECT 600000 AS n UNION SELECT 1200000) GROUP BY n, "
          "host;"
          "INSERT INTO budget_minute VALUES (60000, 10, 60, 500, 480, 20, 450, 10, 5, 4, 3), "
          "(120000, 20, 60, 600, 480, 20, 450, 10, 5, 4, 3);"
          "INSERT INTO notification SELECT 2 * k, id, k, 'change', k, 5, 'n', url, '[]', 's', 'd', "
          "'w', 'l', '" +
          name + "' || k FROM (" + by_page +
          ");"
          "INSERT INTO notification (id, event, at, key) VALUES (1, 'system', 5, 'started " +
          name +
          "');"
          "INSERT INTO delivery SELECT 3 * id, id, 'mail', CASE id % 3 WHEN 0 THEN 'sent' ELSE "
          "'waiting' END, NULL, CASE id % 3 WHEN 0 THEN 3 * id END, 1, 2, 3, 4, 'x', 0 FROM "
          "notification;"
          "INSERT INTO delivery (id, notification_id, rule) SELECT 3 * id + 1, id, 'hook' FROM "
          "notification;"
          "INSERT INTO learner_value VALUES ('htraa', 0, 1, 0.5);"
          "INSERT INTO learner_node SELECT 'htraa', url, substr(url, 1, 12), 3, share, 1.5, 0.25, "
          "id, 2 FROM page;"
          "INSERT OR REPLACE INTO meta VALUES ('policy', 'htraa'), ('budget', '10'), "
          "('virtual_rate', '9'), ('pid', '17');");
  std::string note;
  Result<std::unique_ptr<Content>> content = Content::open(path, {}, note);
  ASSERT_TRUE(content.ok());
  std::vector<Content::Put> versions;
  for (const PageSpec& page : pages) {
    for (int number = 0; number < 3; ++number) {
      const std::string text = fmt::format("{} said {} and {} more words", page.url, number, name);
      versions.push_back({.url = page.url,
                          .hash = sha256_of(text),
                          .as = "text",
                          .text = text,
                          .seen_at = at_ms(noon + number)});
    }
  }
  for (const Content::Put& version : versions) ASSERT_TRUE((*content)->put({version}).ok());
}

// Rows of a table with everything in place of their numbers that these stand for.
inline Rows rows_of(const std::string& path, const std::string& table) {
  static const std::map<std::string, std::string> meaning = {
      {"page_id", "(SELECT url FROM page WHERE id = row.page_id)"},
      {"change_id",
       "(SELECT url || new_hash FROM change JOIN page ON page.id = page_id "
       "WHERE change.id = row.change_id)"},
      {"notification_id", "(SELECT key FROM notification WHERE id = row.notification_id)"},
      {"message",
       "(SELECT key || rule FROM delivery JOIN notification ON notification.id = "
       "notification_id WHERE delivery.id = row.message)"}};
  std::string columns;
  for (const std::string& column :
       texts_in(path, "SELECT name FROM pragma_table_info('" + table + "')")) {
    if (column == "id" || column == "slot") continue;
    const auto known = meaning.find(column);
    columns += (columns.empty() ? "quote(" : " || ' ' || quote(") +
               (known == meaning.end() ? "row." + column : known->second) + ")";
  }
  const std::vector<std::string> rows =
      texts_in(path, "SELECT " + columns + " FROM \"" + table + "\" AS row" +
                         (table == "meta" ? " WHERE key NOT IN ('database_id', 'pid')" : ""));
  return {rows.begin(), rows.end()};
}

inline Rows versions_of(const std::string& path) {
  const std::vector<std::string> rows = texts_in(
      path + "-content",
      "SELECT url || number || seen_at || quote(replaced_at) || hash || kind || bytes || full || "
      "quote(data) FROM version JOIN url ON url.id = url_id");
  return {rows.begin(), rows.end()};
}

}  // namespace pollux::store
