// Several databases become one: who has which page is worked out first, then they are copied one
// after the other.
#include "pollux/base/text.hpp"
#include "pollux/store/shard.hpp"
#include "store/node_rows.hpp"
#include "store/patience.hpp"
#include "store/shard_rows.hpp"
#include "store/shard_source.hpp"
#include "store/shard_target.hpp"
#include "store/sqlite.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::store {
namespace {

// Of each URL the page that was polled last, and of those the one that is listed.
constexpr char enter_pages[] =
    "INSERT INTO owners.owner (url, source, polled) SELECT url, ?1, "
    "2 * coalesce(last_polled_at, 0) + (state <> 'removed') FROM source.page WHERE true "
    "ON CONFLICT (url) DO UPDATE SET source = excluded.source, polled = excluded.polled "
    "WHERE excluded.polled > owner.polled";
constexpr char find_same[] =
    "SELECT row.url, owner.source, count(*) OVER () FROM source.page AS row "
    "JOIN owners.owner AS owner ON owner.url = row.url LIMIT 1";

constexpr char plan_rows[] =
    "INSERT INTO plan.page SELECT row.id, 0, CASE WHEN row.slot IS NOT NULL THEN row_number() "
    "OVER (PARTITION BY row.slot IS NULL ORDER BY row.slot) - 1 END FROM source.page AS row "
    "JOIN owners.owner AS owner ON owner.url = row.url AND owner.source = ?1 ORDER BY row.id";
// Of messages with a key the first that comes counts: it is told once at most.
constexpr char plan_notifications[] =
    "INSERT INTO plan.notification SELECT row.id, 0 FROM source.notification AS row "
    "WHERE (row.page_id IS NULL OR row.page_id IN (SELECT id FROM plan.page) OR "
    "row.page_id NOT IN (SELECT id FROM source.page)) AND (row.key IS NULL OR row.key NOT IN "
    "(SELECT key FROM owners.told)) ORDER BY row.id";
constexpr char remember_told[] =
    "INSERT INTO owners.told SELECT row.key FROM source.notification AS row JOIN "
    "plan.notification AS chosen ON chosen.id = row.id WHERE row.key IS NOT NULL";
constexpr char plan_others[] =
    "INSERT INTO plan.host SELECT 0, host FROM (SELECT host FROM source.host UNION "
    "SELECT host FROM source.robots UNION SELECT host FROM source.placement) ORDER BY 2;"
    "INSERT INTO plan.share SELECT 0, at, prefix FROM source.share_history";
// Versions of a page that is no row any more are taken from the first that has them.
constexpr char plan_versions[] =
    "INSERT INTO plan.url SELECT 0, row.id FROM content.url AS row LEFT JOIN owners.owner AS owner "
    "ON owner.url = row.url WHERE coalesce(owner.source, ?1) = ?1 AND row.url NOT IN "
    "(SELECT url FROM owners.kept) ORDER BY row.id";
constexpr char remember_kept[] =
    "INSERT INTO owners.kept SELECT row.url FROM content.url AS row JOIN plan.url AS chosen "
    "ON chosen.id = row.id";

Status run_for(const Connection& connection, const char* sql, std::uint32_t source) {
  Result<Statement> statement = connection.prepare(sql);
  if (!statement) return statement.error();
  statement->bind(1, std::int64_t{source});
  return statement->run();
}

}  // namespace

struct Merger::State {
  ShardWork work;
  std::vector<ShardSource> sources;
  Connection connection;  // with `owners`
  std::uint64_t left_out = 0;

  std::string plan_of(std::uint32_t source) const {
    return fmt::format("{}/plan-{}.db", work.scratch, source);
  }
  Status enter(std::uint32_t source, SameUrl rule);
  Status plan(std::uint32_t source);
};

Merger::Merger(std::unique_ptr<State> state) : state_(std::move(state)) {}
Merger::~Merger() = default;

Status Merger::State::enter(std::uint32_t source, SameUrl rule) {
  if (Status done = attach_as(connection, read_only_uri(sources[source].database), "source"); !done)
    return done;
  const Patience patience(connection, work.cancelled);
  Result<Statement> same = connection.prepare(find_same);
  if (!same) return same.error();
  const Result<bool> any = same->step();
  if (!any) return any.error();
  if (*any) {
    const auto count = same->integer(2);
    if (rule == SameUrl::refuse) {
      return Error{
          fmt::format("{} and {} both have {}{}; with --newest the page that was polled last is "
                      "taken, with its history, and the other is left out",
                      printable(sources[static_cast<std::size_t>(same->integer(1))].path),
                      printable(sources[source].path), printable_url(same->text(0)),
                      count > 1 ? fmt::format(" and {} more pages", count - 1) : ""),
          ExitCode::bad_data};
    }
    left_out += static_cast<std::uint64_t>(count);
  }
  same->reset();
  *same = Statement();
  if (Status done = run_for(connection, enter_pages, source); !done) return done;
  return connection.execute("DETACH source");
}

Status Merger::State::plan(std::uint32_t source) {
  if (Status done = attach_as(connection, read_only_uri(sources[source].database), "source"); !done)
    return done;
  if (Status done = attach_as(connection, plan_of(source), "plan"); !done) return done;
  const bool versions = !sources[source].content.empty();
  if (versions) {
    if (Status done = attach_as(connection, read_only_uri(sources[source].content), "content");
        !done)
      return done;
  }
  const Patience patience(connection, work.cancelled);
  if (Status done =
          connection.execute("PRAGMA plan.journal_mode = OFF; PRAGMA plan.synchronous = OFF");
      !done) {
    return done;
  }
  if (Status done = make_plan_tables(connection); !done) return done;
  if (Status done = run_for(connection, plan_rows, source); !done) return done;
  if (Status done = connection.execute(plan_notifications); !done) return done;
  if (Status done = connection.execute(remember_told); !done) return done;
  if (Status done = connection.execute(plan_others); !done) return done;
  if (versions) {
    if (Status done = run_for(connection, plan_versions, source); !done) return done;
    if (Status done = connection.execute(remember_kept); !done) return done;
    if (Status done = connection.execute("DETACH content"); !done) return done;
  }
  return connection.execute("DETACH plan; DETACH source");
}

Result<std::unique_ptr<Merger>> Merger::open(const std::vector<std::string>& databases,
                                             SameUrl rule, ShardWork work) {
  Result<Connection> opened =
      Connection::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI);
  if (!opened) return opened.error();
  auto state = std::make_unique<State>(State{std::move(work), {}, std::move(*opened)});
  if (Status done = attach_as(state->connection, state->work.scratch + "/owners.db", "owners");
      !done)
    return done.error();
  if (Status done = state->connection.execute(
          "PRAGMA temp_store = FILE; PRAGMA owners.journal_mode = OFF; "
          "PRAGMA owners.synchronous = OFF;"
          "CREATE TABLE owners.owner (url TEXT PRIMARY KEY, source INTEGER NOT NULL, "
          "polled INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
          "CREATE TABLE owners.told (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;"
          "CREATE TABLE owners.kept (url TEXT PRIMARY KEY) STRICT, WITHOUT ROWID");
      !done) {
    return done.error();
  }
  for (std::uint32_t i = 0; i < databases.size(); ++i) {
    if (state->work.told) state->work.told("checking " + printable(databases[i]), 0);
    Result<ShardSource> source = ShardSource::open(databases[i], i, state->work);
    if (!source) return source.error();
    for (const ShardSource& other : state->sources) {
      std::error_code problem;
      if (std::filesystem::equivalent(other.path, source->path, problem)) {
        return Error{printable(other.path) + " and " + printable(source->path) +
                         " are one file; name each database once",
                     ExitCode::usage};
      }
    }
    state->sources.push_back(std::move(*source));
    if (Status done = state->enter(i, rule); !done) return done.error();
  }
  for (std::uint32_t i = 0; i < databases.size(); ++i)
    if (Status done = state->plan(i); !done) return done.error();
  return std::unique_ptr<Merger>(new Merger(std::move(state)));
}

std::uint32_t Merger::sources() const {
  return static_cast<std::uint32_t>(state_->sources.size());
}
std::uint64_t Merger::left_out() const {
  return state_->left_out;
}

Status Merger::each_learnt(std::uint32_t source, const EachLearnt& each) const {
  const Connection& connection = state_->connection;
  const ShardSource& of = state_->sources[source];
  if (Status done = attach_as(connection, read_only_uri(of.database), "source"); !done) return done;
  if (Status done = attach_as(connection, state_->plan_of(source), "plan"); !done) return done;
  {
    const Patience patience(connection, state_->work.cancelled);
    if (Status done = each_learnt_of(connection, each); !done) return done;
  }
  return connection.execute("DETACH plan; DETACH source");
}

Result<std::vector<NodeRow>> Merger::nodes(std::uint32_t source, const std::string& policy) const {
  const Result<Connection> connection =
      Connection::open(state_->sources[source].database, SQLITE_OPEN_READONLY);
  if (!connection) return connection.error();
  return load_nodes(*connection, policy);
}

Result<std::string> Merger::meta(std::uint32_t source, const std::string& key) const {
  const Result<Connection> connection =
      Connection::open(state_->sources[source].database, SQLITE_OPEN_READONLY);
  if (!connection) return connection.error();
  Result<Statement> row = connection->prepare("SELECT value FROM meta WHERE key = ?1");
  if (!row) return row.error();
  row->bind(1, std::string_view(key));
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return *there ? std::string(row->text(0)) : std::string();
}

Result<ShardCounts> Merger::write(const std::string& path, const ShardExtras& extras) const {
  const double all = static_cast<double>(state_->sources.size());
  Result<ShardTarget> target = ShardTarget::create(path, state_->sources.front().rights);
  if (!target) return target.error();
  for (std::uint32_t i = 0; i < state_->sources.size(); ++i) {
    if (Status done = target->attach(state_->sources[i], state_->plan_of(i)); !done)
      return done.error();
    const Status copied =
        target->copy(0, true, state_->work.cancelled, [&](std::string_view table, double done) {
          if (state_->work.told) state_->work.told(table, 0.8 * (i + done) / all);
        });
    if (!copied) return copied.error();
    if (Status done = target->detach(); !done) return done.error();
  }
  if (state_->work.told) state_->work.told("checking what was written", 0.8);
  const Result<std::string> policy = meta(0, "policy");
  if (!policy) return policy.error();
  return target->finish(*policy, extras, state_->work);
}

Status Merger::check_sources() const {
  for (const ShardSource& source : state_->sources)
    if (Status same = source.check(); !same) return same;
  return success();
}

}  // namespace pollux::store
