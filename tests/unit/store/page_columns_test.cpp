#include "pollux/store/page_columns.hpp"

#include "fixture.hpp"
#include "store/migrations.hpp"
#include "store/page_row.hpp"

#include <iterator>
#include <ostream>
#include <set>

namespace pollux::store {
namespace {

struct Declared {
  std::string type;
  bool nullable = false;
  bool operator==(const Declared&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Declared& declared) {
  return out << declared.type << (declared.nullable ? "" : " NOT NULL");
}

template <typename Value>
std::string sql_type() {
  if constexpr (std::is_same_v<Value, std::string>) return "TEXT";
  if constexpr (std::is_convertible_v<double, Value> && !std::is_integral_v<Value>) return "REAL";
  return "INTEGER";
}

// As the list of columns would have the table.
std::map<std::string, Declared> declared_columns() {
  std::map<std::string, Declared> all;
  for_each_page_column([&]<typename Part, typename Value>(const PageColumn<Part, Value>& column) {
    // What is bound as NULL and kept by coalesce needs no NULL in the table.
    const bool null_in_table =
        column.traits.unknown != nullptr && column.traits.write != Write::keep;
    const bool text_of_polls =
        PageColumn<Part, Value>::of_progress && std::is_same_v<Value, std::string>;
    all[column.name] = {sql_type<Value>(), is_optional<Value> || null_in_table || text_of_polls};
  });
  return all;
}

class PageColumns : public StoreTest {};

TEST_F(PageColumns, they_are_those_of_the_schema) {
  open().reset();
  Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READONLY);
  ASSERT_TRUE(connection.ok());
  Result<Statement> rows =
      connection->prepare("SELECT name, type, \"notnull\" OR pk FROM pragma_table_info('page')");
  ASSERT_TRUE(rows.ok());
  std::map<std::string, Declared> in_the_file;
  while (*rows->step()) {
    in_the_file[std::string(rows->text(0))] = {std::string(rows->text(1)), rows->integer(2) == 0};
  }
  // NULL for a removed page, whose slot is somebody else's.
  ASSERT_TRUE(in_the_file["slot"].nullable);
  in_the_file["slot"].nullable = false;
  EXPECT_EQ(declared_columns(), in_the_file);
}

TEST_F(PageColumns, each_is_declared_once) {
  std::multiset<std::string> names;
  for_each_page_column([&](const auto& column) { names.insert(column.name); });
  EXPECT_EQ(names.size(), declared_columns().size());
}

TEST_F(PageColumns, statements_are_made_from_them) {
  EXPECT_TRUE(page_column_list().starts_with("id, slot, url, host, state, importance, "));
  EXPECT_TRUE(update_progress().starts_with("UPDATE page SET polls = ?2, changes = ?3, "));
  for (const char* part :
       {"share = iif(state = 'active', ?", ", 0)", "next_due_at = iif(state = 'active', ?",
        ", NULL)", "slow_hits)", ", age_model)", ", change_rate_per_day)", " WHERE id = ?1"}) {
    EXPECT_NE(update_progress().find(part), std::string::npos) << part;
  }
  EXPECT_EQ(option_list(),
            "host, importance, min_interval_ms, max_interval_ms, name, tags, source");
  EXPECT_EQ(option_parameters(4), "?4, ?5, ?6, ?7, ?8, ?9, ?10");
  EXPECT_EQ(option_assignments(2),
            "host = ?2, importance = ?3, min_interval_ms = ?4, max_interval_ms = ?5, name = ?6, "
            "tags = ?7, source = ?8");
}

TEST_F(PageColumns, every_option_of_a_page_is_compared) {
  auto store = open();
  ASSERT_TRUE(store->reconcile({page_of("a")}, at_ms(noon)).ok());
  PageSpec spec = page_of("a");
  const auto updated = [&] { return store->reconcile({spec}, at_ms(noon))->updated; };
  EXPECT_EQ(updated(), 0U);
  spec.host = "example.org:8443";
  EXPECT_EQ(updated(), 1U);
  spec.importance = 2;
  EXPECT_EQ(updated(), 1U);
  spec.min_interval_ms = 1;
  EXPECT_EQ(updated(), 1U);
  spec.max_interval_ms = 2;
  EXPECT_EQ(updated(), 1U);
  spec.name = "News";
  EXPECT_EQ(updated(), 1U);
  spec.tags = R"(["news"])";
  EXPECT_EQ(updated(), 1U);
  spec.source = "live";
  EXPECT_EQ(updated(), 1U);
  EXPECT_EQ(updated(), 0U);
}

TEST(Migrations, each_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (const Migration& migration : migrations()) names.insert(migration.name);
  EXPECT_EQ(names.size(), migrations().size());
}

TEST(Migrations, the_readme_names_the_version_they_lead_to) {
  std::ifstream file(std::string(POLLUX_SOURCE_DIR) + "/src/store/README.md");
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  const std::string version = "Schema (version " + std::to_string(migrations().size()) + ";";
  EXPECT_NE(readme.find(version), std::string::npos) << version;
}

}  // namespace
}  // namespace pollux::store
