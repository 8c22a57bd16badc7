#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/page_choice.hpp"
#include "cli/steering.hpp"
#include "cli/wrapped.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/masks.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/web/facts.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pollux::cli {
namespace {

struct MaskListOptions {
  DatabaseOption database;
  std::string url;
  bool json = false;
};

void print_masks(const std::vector<std::string>& lines) {
  constexpr std::size_t hang = 6;
  for (const std::string& line : lines) {
    // What is there to be pasted stays whole.
    const bool yaml = line.find("ignore: ") != std::string::npos;
    const std::optional<std::size_t> width = yaml ? std::nullopt : terminal_width(stdout);
    std::puts(word_wrapped(line, width, hang).c_str());
  }
}

int list_masks(const MaskListOptions& options) {
  const Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  std::optional<PageId> page;
  if (!options.url.empty()) {
    const Result<store::PageRow> chosen = choose_page(*database->reader, options.url);
    if (!chosen) return report(chosen.error());
    page = chosen->id;
  }
  const Result<std::vector<store::MaskView>> masks = database->reader->masks(page);
  if (!masks) return report(masks.error());
  if (options.json) {
    boost::json::array all;
    web::for_each_masked_page(database->path, *masks, [&](const auto& of_page, const auto& text) {
      for (boost::json::value& mask : report::masks_json(of_page, text))
        all.push_back(std::move(mask));
    });
    show_json(all);
  } else if (masks->empty()) {
    std::puts(page ? "This page has no mask." : "No page has a mask.");
  } else {
    web::for_each_masked_page(database->path, *masks, [](const auto& of_page, const auto& text) {
      print_masks(report::masks_text(of_page, text, SystemClock().wall()));
    });
  }
  return 0;
}

std::function<int()> setup_mask_list(CommandLine& line) {
  auto options = std::make_shared<MaskListOptions>();
  line.option("URL", options->url, std::string("Only of this page: ") + page_words);
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON");
  line.footer(
      "Each page comes with the line that says the same in the configuration, below\n"
      "`content:`.");
  return [options] { return list_masks(*options); };
}

struct DecisionOptions {
  SteeringOptions common;
  std::int64_t mask = 0;
};

std::function<int()> setup_decision(CommandLine& line, const std::string& decision) {
  auto options = std::make_shared<DecisionOptions>();
  line.option("ID", options->mask, "Its number, as `pollux mask list` has it")
      .range(std::int64_t{1}, INT64_MAX)
      .required();
  line.flag("--json", options->common.json, "Print JSON");
  add_database_options(line, options->common.database);
  return [options, decision] {
    return steer_message(options->common,
                         "/masks/" + std::to_string(options->mask) + "/" + decision);
  };
}

std::function<int()> setup_mask_accept(CommandLine& line) {
  return setup_decision(line, "accept");
}

std::function<int()> setup_mask_refuse(CommandLine& line) {
  return setup_decision(line, "refuse");
}

}  // namespace

std::function<int()> setup_mask(CommandLine& line) {
  static constexpr Command table[] = {
      {"list", "Which places of pages are not compared, and why", &setup_mask_list},
      {"accept", "Keep a mask for good", &setup_mask_accept},
      {"refuse", "Compare what a mask hides, from now on", &setup_mask_refuse},
  };
  line.subcommands(table);
  line.footer(
      "What differs between two looks in a row, a token or a counter, is masked: not\n"
      "compared from then on. A mask expires when what it hides stops differing, and\n"
      "is dropped when it fits nowhere any more.");
  return {};
}

}  // namespace pollux::cli
