// One database becomes several: what goes where is worked out once, for all tables.
#include "pollux/base/text.hpp"
#include "pollux/store/shard.hpp"
#include "store/node_rows.hpp"
#include "store/patience.hpp"
#include "store/shard_rows.hpp"
#include "store/shard_source.hpp"
#include "store/shard_target.hpp"
#include "store/sqlite.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::store {
namespace {

constexpr char divide_rows[] =
    // Every host's part and domain, asked once.
    "CREATE TABLE plan.home (host TEXT PRIMARY KEY, part INTEGER NOT NULL, domain TEXT NOT NULL) "
    "STRICT, WITHOUT ROWID;"
    "INSERT INTO plan.home SELECT host, part_of(host), domain_of(host) FROM "
    "(SELECT host FROM source.page UNION SELECT host FROM source.host "
    "UNION SELECT host FROM source.robots UNION SELECT host FROM source.placement);"
    "INSERT INTO plan.page SELECT page.id, home.part, CASE WHEN page.slot IS NOT NULL THEN "
    "row_number() OVER (PARTITION BY home.part, page.slot IS NULL ORDER BY page.slot) - 1 END "
    "FROM source.page AS page JOIN plan.home AS home ON home.host = page.host ORDER BY page.id;"
    "INSERT INTO plan.host SELECT part, host FROM plan.home ORDER BY part, host;"
    // Whose redirect led to a block minds it as well.
    "INSERT OR IGNORE INTO plan.host SELECT part_of(blocked_by), host FROM source.host "
    "WHERE blocked_by IS NOT NULL;"
    // What is about no page is told once, by the first.
    "INSERT INTO plan.notification SELECT row.id, coalesce((SELECT part FROM plan.page WHERE "
    "id = row.page_id), CASE WHEN row.url IS NULL THEN 0 ELSE part_of(row.url) END) "
    "FROM source.notification AS row ORDER BY row.id;"
    "INSERT INTO plan.share SELECT part_of(prefix), at, prefix FROM source.share_history "
    "ORDER BY 1, 2, 3;";
constexpr char divide_versions[] =
    "INSERT INTO plan.url SELECT part_of(url), id FROM content.url ORDER BY 1, 2";

std::string_view argument(sqlite3_value** values) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(values[0]))};
}
const Division& division_of(sqlite3_context* context) {
  return *static_cast<const Division*>(sqlite3_user_data(context));
}
void sql_part_of(sqlite3_context* context, int, sqlite3_value** values) {
  const Division& division = division_of(context);
  sqlite3_result_int64(context, division.part_of(division.domain(argument(values))));
}
void sql_domain_of(sqlite3_context* context, int, sqlite3_value** values) {
  const std::string domain = division_of(context).domain(argument(values));
  sqlite3_result_text(context, domain.data(), static_cast<int>(domain.size()), SQLITE_TRANSIENT);
}

}  // namespace

struct Divider::State {
  Division division;
  ShardWork work;
  ShardSource source;
  std::string plan;       // the file
  Connection connection;  // with source and plan; an empty database of its own
};

Divider::Divider(std::unique_ptr<State> state) : state_(std::move(state)) {}
Divider::~Divider() = default;

Result<std::unique_ptr<Divider>> Divider::open(const std::string& database, Division division,
                                               ShardWork work) {
  if (work.told) work.told("checking the database", 0);
  Result<ShardSource> source = ShardSource::open(database, 0, work);
  if (!source) return source.error();
  const std::string plan = work.scratch + "/plan.db";
  Result<Connection> opened =
      Connection::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI);
  if (!opened) return opened.error();
  auto state = std::make_unique<State>(
      State{std::move(division), std::move(work), std::move(*source), plan, std::move(*opened)});
  const Connection& connection = state->connection;
  for (const auto& [name, function] :
       {std::pair{"part_of", &sql_part_of}, {"domain_of", &sql_domain_of}}) {
    if (sqlite3_create_function(connection.handle(), name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                &state->division, function, nullptr, nullptr) != SQLITE_OK) {
      return connection.last_error("divide");
    }
  }
  if (Status done = attach_as(connection, read_only_uri(state->source.database), "source"); !done)
    return done.error();
  if (Status done = attach_as(connection, plan, "plan"); !done) return done.error();
  const Patience patience(connection, state->work.cancelled);
  if (Status done = connection.execute("PRAGMA temp_store = FILE; PRAGMA plan.journal_mode = OFF; "
                                       "PRAGMA plan.synchronous = OFF");
      !done) {
    return done.error();
  }
  if (Status done = make_plan_tables(connection); !done) return done.error();
  if (state->work.told) state->work.told("dividing the pages", 0);
  if (Status done = connection.execute(divide_rows); !done) return done.error();
  if (!state->source.content.empty()) {
    if (Status done = attach_as(connection, read_only_uri(state->source.content), "content"); !done)
      return done.error();
    if (Status done = connection.execute(divide_versions); !done) return done.error();
  }
  return std::unique_ptr<Divider>(new Divider(std::move(state)));
}

Result<std::vector<ShardCounts>> Divider::counts() const {
  std::vector<ShardCounts> counts(state_->division.parts);
  struct Question {
    const char* sql;
    std::uint64_t ShardCounts::*into;
  };
  std::vector<Question> questions{
      {"SELECT part, count(*) FROM plan.page GROUP BY part", &ShardCounts::pages},
      {"SELECT chosen.part, count(*) FROM plan.page AS chosen JOIN source.page AS row "
       "ON row.id = chosen.id WHERE row.state <> 'removed' GROUP BY 1",
       &ShardCounts::listed},
      {"SELECT part, count(*) FROM plan.home WHERE host IN (SELECT host FROM source.page) "
       "GROUP BY part",
       &ShardCounts::hosts},
      {"SELECT part, count(DISTINCT domain) FROM plan.home WHERE host IN (SELECT host FROM "
       "source.page) GROUP BY part",
       &ShardCounts::domains},
      {"SELECT chosen.part, count(*) FROM source.change AS row JOIN plan.page AS chosen "
       "ON chosen.id = row.page_id GROUP BY 1",
       &ShardCounts::changes},
      {"SELECT chosen.part, count(*) FROM source.delivery AS row JOIN plan.notification AS chosen "
       "ON chosen.id = row.notification_id WHERE row.state = 'waiting' GROUP BY 1",
       &ShardCounts::waiting}};
  if (!state_->source.content.empty()) {
    questions.push_back(
        {"SELECT chosen.part, count(*) FROM plan.url AS chosen JOIN "
         "content.version AS row ON row.url_id = chosen.id GROUP BY 1",
         &ShardCounts::versions});
  }
  for (const auto& [sql, into] : questions) {
    Result<Statement> rows = state_->connection.prepare(sql);
    if (!rows) return rows.error();
    while (true) {
      const Result<bool> row = rows->step();
      if (!row) return row.error();
      if (!*row) break;
      counts[static_cast<std::size_t>(rows->integer(0))].*into =
          static_cast<std::uint64_t>(rows->integer(1));
    }
  }
  return counts;
}

Status Divider::each_learnt(const EachLearnt& each) const {
  const Patience patience(state_->connection, state_->work.cancelled);
  return each_learnt_of(state_->connection, each);
}

Result<std::vector<NodeRow>> Divider::nodes(const std::string& policy) const {
  const Result<Connection> connection =
      Connection::open(state_->source.database, SQLITE_OPEN_READONLY);
  if (!connection) return connection.error();
  return load_nodes(*connection, policy);
}

Result<std::string> Divider::meta(const std::string& key) const {
  Result<Statement> row =
      state_->connection.prepare("SELECT value FROM source.meta WHERE key = ?1");
  if (!row) return row.error();
  row->bind(1, std::string_view(key));
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return *there ? std::string(row->text(0)) : std::string();
}

Result<ShardCounts> Divider::write(std::uint32_t part, const std::string& path,
                                   const ShardExtras& extras) const {
  const double parts = state_->division.parts;
  Result<ShardTarget> target = ShardTarget::create(path, state_->source.rights);
  if (!target) return target.error();
  if (Status done = target->attach(state_->source, state_->plan); !done) return done.error();
  const Status copied = target->copy(part, part == 0, state_->work.cancelled,
                                     [&](std::string_view table, double done) {
                                       if (state_->work.told)
                                         state_->work.told(table, (part + 0.8 * done) / parts);
                                     });
  if (!copied) return copied.error();
  if (Status done = target->detach(); !done) return done.error();
  if (state_->work.told) state_->work.told("checking what was written", (part + 0.8) / parts);
  const Result<std::string> policy = meta("policy");
  if (!policy) return policy.error();
  return target->finish(*policy, extras, state_->work);
}

Status Divider::check_source() const {
  return state_->source.check();
}

}  // namespace pollux::store
