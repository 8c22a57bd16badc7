// `pollux shard`: one brain's list and database become several, and the way back.
#include "pollux/brains/shard.hpp"

#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/shard_work.hpp"
#include "cli/stop_signal.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include <boost/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

struct ShardOptions {
  DatabaseOption database;
  std::uint32_t split = 0;
  bool merge = false, newest = false, dry_run = false, json = false;
  std::vector<std::string> sources;
  std::string out;
};

// How far it is: one line that is written over on a terminal, else one now and then.
class ProgressLine {
 public:
  void show(std::string_view doing, double done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < (terminal_ ? between_looks : between_lines)) return;
    shown_ = now;
    const std::string line = fmt::format("{:3.0f} %  {}", 100 * done, doing);
    if (terminal_) {
      std::fprintf(stderr, "\r\033[K%s", line.c_str());
    } else {
      std::fprintf(stderr, "%s\n", line.c_str());
    }
    std::fflush(stderr);
    any_ = true;
  }
  void clear() {
    if (any_ && terminal_) std::fputs("\r\033[K", stderr);
    any_ = false;
  }
  ~ProgressLine() { clear(); }

 private:
  static constexpr std::chrono::milliseconds between_looks{100}, between_lines{10'000};
  const bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool any_ = false;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

boost::json::object json_of(const store::ShardCounts& counts) {
  return {{"pages", counts.pages},     {"listed", counts.listed},     {"hosts", counts.hosts},
          {"changes", counts.changes}, {"versions", counts.versions}, {"waiting", counts.waiting},
          {"bytes", counts.bytes}};
}

void show_split(const SplitReport& report, const ShardOptions& options) {
  if (options.json) {
    boost::json::array brains;
    for (const NewBrain& brain : report.brains) {
      boost::json::object row = json_of(brain.counts);
      row["name"] = brain.name;
      row["domains"] = brain.counts.domains;
      if (!options.dry_run) row["folder"] = brain.folder;
      brains.push_back(std::move(row));
    }
    boost::json::array left_out(report.left_out.begin(), report.left_out.end());
    show_json(boost::json::object{{"dry_run", options.dry_run},
                                  {"brains", std::move(brains)},
                                  {"left_out", std::move(left_out)}});
    return;
  }
  Table table({{"BRAIN"},
               {"PAGES", Align::right},
               {"DOMAINS", Align::right},
               {"HOSTS", Align::right, report::Fit::whole, 2},
               {"CHANGES", Align::right, report::Fit::whole, 1},
               {"VERSIONS", Align::right, report::Fit::whole, 3},
               {"SIZE", Align::right, report::Fit::whole, 4}});
  for (const NewBrain& brain : report.brains) {
    const store::ShardCounts& counts = brain.counts;
    table.add({brain.name, std::to_string(counts.listed), std::to_string(counts.domains),
               std::to_string(counts.hosts), std::to_string(counts.changes),
               std::to_string(counts.versions),
               options.dry_run ? "-" : format_bytes(counts.bytes)});
  }
  table.print(stdout);
  if (options.dry_run) {
    std::puts("Nothing was written.");
  } else {
    std::puts(
        fmt::format("Written to {}. Each pollux.yaml needs nats: (its servers with JetStream) "
                    "and, where it names agents, agents\nof its own: an agent serves one "
                    "brain. Put each folder on its machine, and start: pollux run --config "
                    "pollux.yaml",
                    printable(options.out))
            .c_str());
  }
}

void show_merge(const MergeReport& report, const ShardOptions& options) {
  if (options.json) {
    boost::json::object told = json_of(report.counts);
    told["file"] = options.out;
    told["databases"] = boost::json::array(report.databases.begin(), report.databases.end());
    told["left_out"] = report.left_out;
    told["several_keys"] = report.several_keys;
    show_json(told);
    return;
  }
  std::string text =
      fmt::format("{} of {} and {} written to {} ({})",
                  count_of(static_cast<std::int64_t>(report.counts.pages), "page"),
                  count_of(std::ssize(report.databases), "database"),
                  count_of(static_cast<std::int64_t>(report.counts.changes), "change"),
                  printable(options.out), format_bytes(report.counts.bytes));
  if (report.left_out > 0) {
    text += fmt::format("; {} left out, which another database polled later",
                        count_of(static_cast<std::int64_t>(report.left_out), "page"));
  }
  std::puts(text.c_str());
  if (report.several_keys) {
    std::puts(
        "The brains had keys of their own: pages with headers, logins or cookies begin with "
        "a baseline.");
  }
}

Status check_options(const ShardOptions& options) {
  const auto wrong = [](const char* message) { return Error{message, ExitCode::usage}; };
  if ((options.split > 0) == options.merge)
    return wrong("write --split N to divide, or --merge DATABASE... to put together");
  if (options.split > 0) {
    if (!options.sources.empty())
      return wrong("--split divides one database; name it with --database or --config");
    if (options.newest) return wrong("--newest belongs to --merge");
    if (options.out.empty() && !options.dry_run)
      return wrong("name a new folder with --out DIR, or look first with --dry-run");
    return success();
  }
  if (!options.database.database.empty() || !options.database.config.empty())
    return wrong("--merge takes databases, or folders with them, as arguments");
  if (options.dry_run) return wrong("--dry-run belongs to --split");
  if (options.out.empty()) return wrong("name the new database with --out FILE");
  return success();
}

int shard(const ShardOptions& options) {
  if (const Status good = check_options(options); !good) return report(good.error());
  const StopSignal stop;
  Status done = success();
  {
    ProgressLine progress;
    const ShardTalk talk{
        .cancelled = [&stop] { return stop.came(); },
        .told = [&](std::string_view doing, double part) { progress.show(doing, part); }};
    const auto finished = [&](auto result, auto show) {
      if (!result) {
        done = result.error();
        return;
      }
      progress.clear();
      if constexpr (requires { result->brains; }) {
        for (const std::string& header : result->left_out)
          std::fprintf(stderr,
                       "left out, because it looks like a secret: %s; write { file: PATH }\n",
                       header.c_str());
      }
      show(*result, options);
    };
    if (options.merge) {
      finished(
          merge_brains({.sources = options.sources,
                        .out = options.out,
                        .rule = options.newest ? store::SameUrl::newest : store::SameUrl::refuse},
                       talk),
          &show_merge);
    } else {
      finished(split_brain({.database = options.database,
                            .parts = options.split,
                            .out = options.dry_run ? "" : options.out},
                           talk),
               &show_split);
    }
  }
  if (done.ok()) return 0;
  if (stop.came()) return report(Error{"stopped; nothing was written", ExitCode::temporary});
  return report(done.error());
}

}  // namespace

std::function<int()> setup_shard(CommandLine& line) {
  auto options = std::make_shared<ShardOptions>();
  line.option("--split", options->split, "Divide the pages among so many brains, by domain")
      .range(std::int64_t{2}, std::int64_t{brains::most_shards})
      .called("N");
  line.flag("--merge", options->merge, "Put databases together that have different pages")
      .not_with("--split");
  line.option("databases", options->sources,
              "With --merge: databases, or folders that --split wrote")
      .called("DATABASE");
  line.option("--out", options->out,
              "The folder to make, with one in it for each brain; with --merge the database")
      .called("PATH");
  add_database_options(line, options->database);
  line.flag("--dry-run", options->dry_run, "With --split: say who would have what");
  line.flag("--newest", options->newest,
            "With --merge: of a page that several have take the one polled last");
  line.flag("--json", options->json, "Say as JSON what was written");
  line.footer(
      "Stop the daemon first. Each part wants nats: (JetStream) and agents of its own.\n"
      "  pollux shard --split 3 --config pollux.yaml --out brains\n"
      "  pollux shard --merge brains --out pollux.db");
  return [options] { return shard(*options); };
}

}  // namespace pollux::cli
