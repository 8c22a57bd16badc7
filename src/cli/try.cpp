#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/output.hpp"
#include "cli/page_choice.hpp"
#include "cli/trial.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/base/url.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/config/live.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

struct TryOptions {
  std::string url, file, type, config;
  std::string content;  // JSON
  GivenRules given;
  bool render = false;
  bool twice = false;
  bool json = false;
};

// What is tried, and how.
struct Plan {
  std::string url;
  LookOptions look;
  extract::Rules rules;
  render::Options render = {};
};

void take_configuration(Plan& plan, const config::Config& config) {
  // The last one: rules that are tried make another page of the same URL.
  const auto page =
      std::find_if(config.pages.rbegin(), config.pages.rend(),
                   [&](const config::Page& candidate) { return candidate.url == plan.url; });
  plan.look.fetch = config.fetch;
  plan.render = config.render;
  plan.look.allow_downgrade = config.allow_downgrade;
  plan.look.page = config.settings[page != config.pages.rend() ? page->settings : 0];
  const std::uint32_t headers = plan.look.page.headers, content = plan.look.page.content;
  if (headers < config.header_sets.size()) plan.look.headers = config.header_sets[headers];
  if (content < config.contents.size()) plan.rules = extract::rules_of(*config.contents[content]);
}

// An address without a scheme is one on the web of today.
Result<std::string> normalised(const std::string& text) {
  const Result<Url> url =
      parse_url(text.find("://") == std::string::npos ? "https://" + text : text);
  if (!url) return Error{url.error().message, ExitCode::usage};
  return url->text;
}

// What the configuration says of the page, which need not be in its list. An exit code, or 0.
int plan_by_configuration(Plan& plan, const TryOptions& options) {
  std::vector<std::string> errors;
  Result<config::Loaded> loaded = load_configuration(options.config, &errors, {});
  if (!loaded) return report_configuration("pollux try", loaded.error(), errors);
  if (!options.url.empty()) {
    const Result<const config::Page*> page = choose_listed(loaded->config, options.url);
    if (!page) return report(page.error());
    const bool listed = *page != nullptr;
    if (listed) {
      plan.url = (*page)->url;
    } else {
      Result<std::string> url = normalised(options.url);
      if (!url) {
        return report({fmt::format("no page of {} has '{}' in its URL or as its name, and it is no "
                                   "URL either: {}",
                                   printable(options.config), printable(options.url, 200),
                                   url.error().message),
                       ExitCode::usage});
      }
      plan.url = std::move(*url);
      loaded = load_configuration(options.config, &errors, plan.url);
      if (!loaded) return report_configuration("pollux try", loaded.error(), errors);
    }
    if (!options.content.empty()) {
      const config::LiveEntry entry{
          .url = plan.url, .settings = {.content = options.content}, .listed = listed};
      const std::vector<config::LiveProblem> problems =
          config::add_live(loaded->config, std::span(&entry, 1));
      if (!problems.empty()) return report({problems.front().why, ExitCode::configuration});
    }
  }
  take_configuration(plan, loaded->config);
  return 0;
}

Result<std::string> contents_of(const std::string& file, std::uint64_t most) {
  std::ifstream opened;
  if (file != "-") {
    opened.open(file, std::ios::binary);
    if (!opened.is_open()) return Error{"cannot read " + printable(file), ExitCode::missing_input};
  }
  std::istream& in = file == "-" ? std::cin : opened;
  std::string body;
  char piece[65536];
  while (body.size() <= most) {
    in.read(piece, sizeof piece);
    if (in.gcount() <= 0) break;
    body.append(piece, static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad() || (file != "-" && !in.eof() && body.size() <= most))
    return Error{"cannot read " + printable(file), ExitCode::io};
  if (body.size() > most) {
    return Error{fmt::format("{} is longer than {}, the most that is taken of a page (max_body)",
                             printable(file), format_bytes(most)),
                 ExitCode::bad_data};
  }
  return body;
}

// As long as the daemon leaves a host alone between two requests; and a clock has gone on by then.
constexpr auto between_looks = std::chrono::milliseconds(1100);

Result<std::vector<Look>> looks_of(const Plan& plan, const TryOptions& options) {
  std::vector<Look> looks;
  if (!options.file.empty()) {
    Result<std::string> body = contents_of(options.file, plan.look.page.max_body);
    if (!body) return body.error();
    looks.push_back({.body = std::move(*body), .content_type = {}, .final_url = plan.url});
  } else {
    const Result<std::unique_ptr<Looker>> looker = Looker::create(plan.look);
    if (!looker) return looker.error();
    for (int i = 0; i < (options.twice ? 2 : 1); ++i) {
      if (i > 0) std::this_thread::sleep_for(between_looks);
      Result<Look> look = (*looker)->look(plan.url);
      if (!look) return look.error();
      looks.push_back(std::move(*look));
    }
  }
  if (!options.type.empty()) {
    for (Look& look : looks) look.content_type = options.type;
  }
  return looks;
}

int finish(const Trial& trial, const TryOptions& options, ExitCode code) {
  if (options.json) {
    show_json(trial_json(trial));
  } else {
    std::fputs(trial_text(trial, screen_of(stdout)).c_str(), stdout);
  }
  return static_cast<int>(code);
}

// From the command line, which others can see, or from standard input.
Status read_content(TryOptions& options) {
  if (options.content != "-") return success();
  constexpr std::uint64_t longest_content = 64u << 10;  // as the configuration's
  Result<std::string> content = contents_of("-", longest_content);
  if (!content) return content.error();
  options.content = std::move(*content);
  if (!options.content.empty()) return success();
  return Error{"--content -: standard input is empty", ExitCode::usage};
}

int try_page(TryOptions options) {
  if (options.url.empty() && options.file.empty())
    return report({"what is to be tried? write a URL, or --file FILE", ExitCode::usage});
  if (!options.content.empty() && (options.config.empty() || options.url.empty()))
    return report({"--content is laid over a configuration: name a URL and --config FILE, too",
                   ExitCode::usage});
  if (const Status read = read_content(options); !read) return report(read.error());
  Plan plan;
  if (!options.config.empty()) {
    if (const int code = plan_by_configuration(plan, options); code != 0) return code;
  } else if (!options.url.empty()) {
    Result<std::string> url = normalised(options.url);
    if (!url) return report(url.error());
    plan.url = std::move(*url);
  }
  if (options.render) plan.rules.render = true;
  if (plan.rules.render) plan.look.render = plan.render;
  const Result<extract::Rules> rules = with(plan.rules, options.given);
  if (!rules) return report(rules.error());
  const Result<extract::SharedRules> compiled = extract::compile(*rules);
  if (!compiled) {
    const auto is_filter = [](const std::string& text) { return text.starts_with('.'); };
    const bool perhaps_jq = std::ranges::any_of(options.given.select, is_filter);
    return report(
        {compiled.error().message + (perhaps_jq ? "; a filter of jq takes --as json" : ""),
         ExitCode::usage});
  }

  Trial trial{.url = plan.url,
              .file = options.file,
              .rules = *rules,
              .given = options.given,
              .looks = {},
              .kept = {},
              .error = {},
              .seen_as = {},
              .noise = {},
              .suspect = {},
              .number = {},
              .conditions = {}};
  Result<std::vector<Look>> looks = looks_of(plan, options);
  if (!looks) {
    trial.error = looks.error().message;
    return options.json ? finish(trial, options, looks.error().exit_code) : report(looks.error());
  }
  trial.looks = std::move(*looks);
  judge(trial, **compiled);
  return finish(trial, options, trial.error.empty() ? ExitCode::ok : ExitCode::bad_data);
}

}  // namespace

std::function<int()> setup_try(CommandLine& line) {
  auto o = std::make_shared<TryOptions>();
  line.option(
      "URL", o->url,
      "The page to look at; with --config also its name, or a part of the URL that no other has");
  line.option("--file", o->file, "Take this file for the answer (- for standard input), ask nobody")
      .called("FILE");
  line.option("--type", o->type, "Its media type, whatever the server says: text/html")
      .called("MEDIA");
  line.option("--select", o->given.select,
              "Keep only what this selects: CSS, XPath (//h2) or, with --as json, jq; also css:…, "
              "xpath:…, jq:…; may be repeated, as the next two")
      .called("S");
  line.option("--remove", o->given.remove, "Leave out what this selects").called("S");
  line.option("--ignore", o->given.ignore, "Leave out what matches this regular expression (RE2)")
      .called("R");
  line.option("--as", o->given.as, "Keep it as auto, raw, text, html, json or feed")
      .one_of({"auto", "raw", "text", "html", "json", "feed"}, "MODE");
  line.option("--config", o->config, "Ask and keep as this configuration says of the page")
      .called("FILE");
  line.option("--content", o->content,
              "Rules as under content:, as JSON (- for standard input), in the place of the page's "
              "own; with --config")
      .called("JSON");
  line.flag("--render", o->render,
            "Run the page's scripts first, in a browser (chromium-headless-shell)")
      .not_with("--file");
  line.flag("--twice", o->twice, "Look twice: what differs is noise, and can be masked")
      .not_with("--file");
  line.flag("--json", o->json, "Print JSON");
  line.footer(
      "Writes nothing and needs no daemon. What you try comes as YAML to paste:\n"
      "  pollux try https://example.org/news --select main --remove .ad --twice\n"
      "Exit codes: 0 kept, 65 nothing could be kept, 74 no answer.");
  return [o] { return try_page(*o); };
}

}  // namespace pollux::cli
