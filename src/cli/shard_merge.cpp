// Several brains become one again: their databases, and what they keep in private.
#include "cli/shard_files.hpp"
#include "cli/shard_learnt.hpp"
#include "cli/shard_work.hpp"
#include "engine/private_file.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t room_for_the_rest = 64u << 20;

// A folder stands for the database in it, or for those one level below, as --split writes them.
Result<std::vector<std::string>> databases_of(const std::vector<std::string>& sources) {
  std::vector<std::string> databases;
  for (const std::string& source : sources) {
    std::error_code problem;
    if (!fs::is_directory(source, problem)) {
      databases.push_back(source);
      continue;
    }
    const fs::path own = fs::path(source) / "pollux.db";
    if (fs::exists(own, problem)) {
      databases.push_back(own.string());
      continue;
    }
    std::vector<std::string> below;
    for (fs::directory_iterator at(source, problem), end; !problem && at != end;
         at.increment(problem)) {
      std::error_code none;
      const fs::path database = at->path() / "pollux.db";
      if (fs::exists(database, none)) below.push_back(database.string());
    }
    if (below.empty()) {
      return Error{printable(source) +
                       ": no pollux.db in it, nor in a folder of it; name the "
                       "databases",
                   ExitCode::missing_input};
    }
    std::sort(below.begin(), below.end());
    databases.insert(databases.end(), below.begin(), below.end());
  }
  if (databases.size() < 2) {
    return Error{"--merge needs two databases or more, or a folder with them", ExitCode::usage};
  }
  return databases;
}

// What brains have of the budget is a number, or their daemons have never run.
Result<double> sum_of_budgets(const store::Merger& merger) {
  double sum = 0;
  for (std::uint32_t source = 0; source < merger.sources(); ++source) {
    const Result<std::string> text = merger.meta(source, "budget");
    if (!text) return text.error();
    double number = 0;
    const auto [stop, problem] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (problem == std::errc{} && stop == text->data() + text->size()) sum += number;
  }
  return sum;
}

// Marks of requests are made with the key: pages of others begin with a baseline.
Result<bool> merge_secrets(const std::vector<std::string>& databases, const std::string& out) {
  engine::Secrets all;
  bool several_keys = false;
  for (const std::string& database : databases) {
    Result<engine::Secrets> secrets = engine::read_secrets(engine::private_file(database));
    if (!secrets) return secrets.error();
    if (secrets->key.empty()) continue;
    if (all.key.empty()) all.key = secrets->key;
    several_keys = several_keys || all.key != secrets->key;
    all.jars.merge(secrets->jars);
  }
  if (all.key.empty()) return false;
  if (Status written = engine::write_secrets(engine::private_file(out), all); !written)
    return written.error();
  return several_keys;
}

}  // namespace

Result<MergeReport> merge_brains(const MergeOrder& order, const ShardTalk& talk) {
  Result<std::vector<std::string>> databases = databases_of(order.sources);
  if (!databases) return databases.error();
  std::uintmax_t size = 0;
  for (const std::string& database : *databases) {
    for (const char* file : {"", "-wal", "-content"}) {
      std::error_code problem;
      const std::uintmax_t bytes = fs::file_size(database + file, problem);
      if (!problem) size += bytes;
    }
  }
  Result<Unfinished> unfinished =
      Unfinished::beside(order.out, Unfinished::Makes::file, size + size / 4 + room_for_the_rest);
  if (!unfinished) return unfinished.error();
  Result<std::unique_ptr<store::Merger>> merger = store::Merger::open(
      *databases, order.rule,
      {.scratch = unfinished->scratch().string(), .cancelled = talk.cancelled, .told = talk.told});
  if (!merger) return merger.error();
  const Result<double> budget = sum_of_budgets(**merger);
  if (!budget) return budget.error();
  Result<std::vector<store::NodeRow>> nodes = merged_nodes(**merger, *budget > 0 ? *budget : 1);
  if (!nodes) return nodes.error();
  store::ShardExtras extras{.nodes = std::move(*nodes), .meta = {}};
  extras.meta["config_file"] = "";  // that is one brain's
  if (*budget > 0) extras.meta["budget"] = fmt::format("{}", *budget);
  const std::string database = (unfinished->folder() / "merged.db").string();
  Result<store::ShardCounts> written = (*merger)->write(database, extras);
  if (!written) return written.error();
  MergeReport report{.databases = *databases,
                     .counts = *written,
                     .left_out = (*merger)->left_out(),
                     .several_keys = false};
  const Result<bool> several_keys = merge_secrets(*databases, database);
  if (!several_keys) return several_keys.error();
  report.several_keys = *several_keys;
  if (Status same = (*merger)->check_sources(); !same) return same.error();
  if (talk.cancelled && talk.cancelled())
    return Error{"stopped; nothing was written", ExitCode::temporary};
  unfinished->give_to_owner_of(databases->front());
  std::error_code problem;
  const std::string out = unfinished->out().string();
  if (fs::exists(engine::private_file(database), problem))
    fs::rename(engine::private_file(database), engine::private_file(out), problem);
  if (Status named = store::name_database(database, out); !named) return named.error();
  return report;
}

}  // namespace pollux::cli
