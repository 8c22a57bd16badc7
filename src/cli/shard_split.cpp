// One brain becomes several: its list, its database, what it keeps in private, its configuration.
#include "cli/live_entries.hpp"
#include "cli/shard_files.hpp"
#include "cli/shard_learnt.hpp"
#include "cli/shard_work.hpp"
#include "engine/private_file.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/brains/shard.hpp"
#include "pollux/config/export.hpp"
#include "pollux/report/daemon_figures.hpp"
#include "pollux/store/reader.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t room_to_leave = 64u << 20;

struct Parts {
  std::uint32_t count;
  std::vector<std::string> names;
  std::vector<std::size_t> listed;  // pages that files list, by part
};

std::uintmax_t bytes_of(const std::string& database) {
  std::uintmax_t bytes = 0;
  for (const char* file : {"", "-wal", "-content", "-content-wal"}) {
    std::error_code problem;
    const std::uintmax_t size = fs::file_size(database + file, problem);
    if (!problem) bytes += size;
  }
  return bytes;
}

// A brain without a page would not start.
Status check_none_is_empty(const Parts& parts) {
  for (std::uint32_t part = 0; part < parts.count; ++part) {
    if (parts.listed[part] > 0) continue;
    return Error{fmt::format("{} would have no page: pages of one domain stay together, and this "
                             "list has too few of them for {} brains; write a smaller --split",
                             parts.names[part], parts.count),
                 ExitCode::usage};
  }
  return success();
}

Status write_lists(const std::string& config, const std::vector<config::LiveEntry>& live,
                   const Unfinished* unfinished, Parts& parts, double& budget,
                   std::vector<std::string>& left_out) {
  std::optional<GrowingFiles> files;
  std::string brain = "brain";
  std::vector<fs::path> lists;
  if (unfinished != nullptr) {
    for (std::uint32_t part = 0; part < parts.count; ++part)
      lists.push_back(unfinished->scratch() / fmt::format("pages-{}.yaml", part + 1));
    files.emplace(lists);
  }
  Result<config::ListToDivide> list =
      config::export_each_page(config, live, [&](const std::string& url, std::string_view yaml) {
        const std::uint32_t part = brains::shard_of(url, parts.count);
        ++parts.listed[part];
        if (files) files->add(part, yaml);
      });
  if (!list) return list.error();
  if (!list->brain.empty()) brain = list->brain;
  for (std::uint32_t part = 0; part < parts.count; ++part)
    parts.names.push_back(fmt::format("{}-{}", brain, part + 1));
  budget = list->budget;
  left_out = std::move(list->exported.left_out);
  if (Status good = check_none_is_empty(parts); !good) return good;
  if (!files) return success();
  if (Status written = files->finish(); !written) return written;
  std::error_code problem;
  const fs::perms rights = fs::status(config, problem).permissions();
  for (std::uint32_t part = 0; part < parts.count; ++part) {
    const fs::path folder = unfinished->folder() / parts.names[part];
    fs::create_directory(folder, problem);
    fs::rename(lists[part], folder / "pages.yaml", problem);
    if (problem) {
      return Error{"cannot write to " + printable(folder.string()) + ": " + problem.message(),
                   ExitCode::io};
    }
    const Result<std::string> text = config::brain_configuration(
        config, {.name = parts.names[part],
                 .pages_file = "pages.yaml",
                 .database = "pollux.db",
                 .has_host = [&](std::string_view host) {
                   return brains::shard_of_host(host, parts.count) == part;
                 }});
    if (!text) return text.error();
    std::ofstream file(folder / "pollux.yaml", std::ios::binary);
    file << *text;
    file.close();
    if (!file) {
      return Error{"cannot write " + printable((folder / "pollux.yaml").string()) +
                       "; make room on the disk and try again",
                   ExitCode::io};
    }
    for (const char* name : {"pages.yaml", "pollux.yaml"})
      fs::permissions(folder / name, rights, problem);
  }
  return success();
}

Status write_secrets_of(const engine::Secrets& secrets, const Parts& parts, std::uint32_t part,
                        const std::string& database) {
  if (secrets.key.empty()) return success();
  engine::Secrets own{.key = secrets.key, .jars = {}};
  for (const auto& [url, jar] : secrets.jars)
    if (brains::shard_of(url, parts.count) == part) own.jars.emplace(url, jar);
  return engine::write_secrets(engine::private_file(database), own);
}

// Each has a part of the budget until it is lent one.
std::string budget_of(const std::string& all, std::uint64_t pages, std::uint64_t of) {
  double number = 0;
  const auto [stop, problem] = std::from_chars(all.data(), all.data() + all.size(), number);
  if (problem != std::errc{} || stop != all.data() + all.size() || of == 0) return all;
  return fmt::format("{}", number * static_cast<double>(pages) / static_cast<double>(of));
}

struct Opened {
  std::string database, config;
  std::vector<config::LiveEntry> live;
};

// The database may be of an older schema, which has no live pages.
Result<Opened> find_sources(const SplitOrder& order) {
  const Result<std::string> path = database_path(order.database);
  if (!path) return path.error();
  Opened opened{.database = *path, .config = order.database.config, .live = {}};
  const Result<std::unique_ptr<store::Reader>> reader = store::Reader::open(*path);
  if (reader) {
    const auto meta = (*reader)->meta();
    if (!meta) return meta.error();
    if (opened.config.empty()) opened.config = report::figures_of(*meta).config_file;
    Result<std::vector<config::LiveEntry>> live = live_entries(**reader);
    if (!live) return live.error();
    opened.live = std::move(*live);
  }
  if (opened.config.empty() && !reader && reader.error().exit_code == ExitCode::missing_input)
    return reader.error();
  if (opened.config.empty()) {
    return Error{
        "the configuration is not known; name it with --config FILE in place of the "
        "database",
        ExitCode::usage};
  }
  return opened;
}

}  // namespace

Result<SplitReport> split_brain(const SplitOrder& order, const ShardTalk& talk) {
  const Result<Opened> from = find_sources(order);
  if (!from) return from.error();
  const std::uintmax_t size = bytes_of(from->database);
  Result<Unfinished> unfinished = order.out.empty()
                                      ? Unfinished::somewhere()
                                      : Unfinished::beside(order.out, Unfinished::Makes::folder,
                                                           size + size / 4 + room_to_leave);
  if (!unfinished) return unfinished.error();
  const bool writes = !order.out.empty();
  const std::uint32_t count = order.parts;
  // First what says whether a daemon runs on it.
  Result<std::unique_ptr<store::Divider>> divider = store::Divider::open(
      from->database,
      {.parts = count,
       .domain = &brains::domain_of_text,
       .part_of =
           [count](std::string_view domain) { return brains::shard_of_domain(domain, count); }},
      {.scratch = unfinished->scratch().string(), .cancelled = talk.cancelled, .told = talk.told});
  if (!divider) return divider.error();
  Parts parts{.count = count, .names = {}, .listed = std::vector<std::size_t>(count)};
  SplitReport report;
  double budget = 1;
  if (Status lists = write_lists(from->config, from->live, writes ? &*unfinished : nullptr, parts,
                                 budget, report.left_out);
      !lists) {
    return lists.error();
  }
  Result<std::vector<store::ShardCounts>> counts = (*divider)->counts();
  if (!counts) return counts.error();
  for (std::uint32_t part = 0; part < count; ++part) {
    report.brains.push_back({.name = parts.names[part],
                             .folder = (unfinished->out() / parts.names[part]).string(),
                             .counts = (*counts)[part]});
  }
  if (!writes) return report;

  Result<DividedLearning> learning = DividedLearning::of(**divider, count, budget);
  if (!learning) return learning.error();
  const Result<std::string> all_budget = (*divider)->meta("budget");
  if (!all_budget) return all_budget.error();
  const Result<engine::Secrets> secrets =
      engine::read_secrets(engine::private_file(from->database));
  if (!secrets) return secrets.error();
  std::uint64_t pages = 0;
  for (const store::ShardCounts& each : *counts) pages += each.listed;
  for (NewBrain& brain : report.brains) {
    const auto part = static_cast<std::uint32_t>(&brain - report.brains.data());
    const std::string database = (unfinished->folder() / brain.name / "pollux.db").string();
    store::ShardExtras extras{.nodes = learning->nodes(part), .meta = {}};
    extras.meta["budget"] = budget_of(*all_budget, brain.counts.listed, pages);
    extras.meta["config_file"] =
        (fs::absolute(unfinished->out()) / brain.name / "pollux.yaml").string();
    const Result<store::ShardCounts> written = (*divider)->write(part, database, extras);
    if (!written) return written.error();
    brain.counts.bytes = written->bytes;
    if (Status kept = write_secrets_of(*secrets, parts, part, database); !kept) return kept.error();
  }
  if (Status same = (*divider)->check_source(); !same) return same.error();
  if (talk.cancelled && talk.cancelled())
    return Error{"stopped; nothing was written", ExitCode::temporary};
  divider->reset();  // its plan goes with the scratch
  unfinished->give_to_owner_of(from->database);
  if (Status named = unfinished->become_folder(); !named) return named.error();
  return report;
}

}  // namespace pollux::cli
