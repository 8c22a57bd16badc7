#include "engine/live_changes.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"

#include <unordered_map>
#include <unordered_set>

#include <spdlog/fmt/fmt.h>

namespace pollux::engine {
namespace {

constexpr std::size_t most_live = Steering::most_live_pages;
constexpr std::size_t most_patterns = 1'000'000;  // of one command: some megabytes, a second

std::vector<PageId> ids_of(const std::vector<store::ChosenPage>& pages) {
  std::vector<PageId> ids;
  ids.reserve(pages.size());
  for (const store::ChosenPage& page : pages) ids.push_back(page.id);
  return ids;
}

}  // namespace

void Tally::note(std::vector<Steered>& list, Steered one) {
  if (list.size() < SteeringResult::most_told) list.push_back(std::move(one));
}

void Tally::done(const std::string& url, const char* what) {
  ++counts_.done;
  note(others_, {url, what});
}

void Tally::unchanged(const std::string& url, std::string why) {
  ++counts_.unchanged;
  note(others_, {url, "unchanged", std::move(why)});
}

void Tally::refused(const std::string& url, std::string why) {
  ++counts_.refused;
  note(refused_, {url, "refused", std::move(why)});
}

void Tally::refused_too() {
  ++counts_.refused;
}

SteeringResult Tally::result() const {
  SteeringResult result = counts_;
  result.pages = refused_;
  for (const Steered& one : others_) {
    if (result.pages.size() == SteeringResult::most_told) break;
    result.pages.push_back(one);
  }
  return result;
}

Result<Chosen> choose(store::Store& store, const Selection& selection) {
  if (selection.empty())
    return Error{"no page is named; name URLs, a tag or a pattern", ExitCode::usage};
  // Each of them is held against every page, on the writer's thread.
  constexpr std::size_t most_patterns = 100;
  if (selection.tags.size() + selection.globs.size() > most_patterns) {
    return Error{fmt::format("more than {} tags and patterns at once; name fewer", most_patterns),
                 ExitCode::usage};
  }
  constexpr std::size_t longest_patterns = 16u << 10;
  std::size_t length = 0;
  for (const std::string& glob : selection.globs) length += glob.size();
  if (length > longest_patterns) {
    return Error{"the patterns are longer than 16 KiB together; name fewer, or shorter ones",
                 ExitCode::usage};
  }
  Chosen chosen;
  store::PageChoice choice{.tags = selection.tags, .globs = selection.globs};
  for (const std::string& text : selection.urls) {
    const Result<Url> url = parse_url(text);
    if (url.ok()) {
      choice.urls.push_back(url->text);
    } else {
      chosen.tally.refused(text, url.error().message);
    }
  }
  Result<std::vector<store::ChosenPage>> pages = store.choose_pages(choice);
  if (!pages.ok()) return pages.error();
  chosen.pages = std::move(*pages);
  if (choice.urls.empty()) return chosen;
  std::unordered_set<std::string_view> found;
  for (const store::ChosenPage& page : chosen.pages) found.insert(page.url);
  for (const std::string& url : choice.urls) {
    if (!found.contains(url))
      chosen.tally.refused(url, "it is not in the list; `pollux add` adds it");
  }
  return chosen;
}

Chosen pollable(Chosen chosen) {
  Chosen fit{.pages = {}, .tally = std::move(chosen.tally)};
  for (store::ChosenPage& page : chosen.pages) {
    if (page.paused) {
      fit.tally.refused(page.url, paused_first);
    } else if (fit.pages.size() == Steering::most_polls) {
      fit.tally.refused(
          page.url, fmt::format("more than {} pages at once; name fewer", Steering::most_polls));
    } else {
      fit.pages.push_back(std::move(page));
    }
  }
  return fit;
}

AddPlan plan_add(const Book& book, const std::vector<LivePage>& pages) {
  AddPlan plan;
  std::vector<config::LiveEntry> entries;
  std::unordered_set<std::string> known;
  for (const LivePage& page : pages) {
    Result<Url> url = parse_url(page.url);
    if (!url.ok()) {
      plan.change.tally.refused(page.url, url.error().message);
    } else if (!known.insert(url->text).second) {
      plan.change.tally.unchanged(url->text, "it is named twice");
    } else {
      entries.push_back({std::move(url->text), page.settings, false});
    }
  }
  auto fragment = std::make_shared<config::Config>(config::fragment_of(book));
  std::vector<bool> wrong(entries.size());
  for (const config::LiveProblem& problem : config::add_live(*fragment, entries, most_patterns)) {
    plan.change.tally.refused(entries[problem.entry].url, problem.why);
    wrong[problem.entry] = true;
  }
  WantedPages wanted(*fragment);
  std::size_t at = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (wrong[i]) continue;
    wanted.specs[at].source = "live";
    plan.specs.push_back(
        {std::move(wanted.specs[at]), row_of(entries[i].url, entries[i].settings)});
    plan.settings.push_back(wanted.settings[at++]);
  }
  plan.change.fragment = std::move(fragment);
  return plan;
}

Result<LiveChange> carry_out(AddPlan& plan, store::Store& store, WallTime now, store::Keep keep) {
  LiveChange change = std::move(plan.change);
  Result<store::AddedLive> added = store.add_live_pages(plan.specs, now, most_live, keep);
  if (!added.ok()) return added.error();
  std::size_t row = 0;
  for (std::size_t i = 0; i < added->what.size(); ++i) {
    const std::string& url = plan.specs[i].spec.url;
    switch (added->what[i]) {
      case store::AddedLive::What::added:
        change.tally.done(url, "added");
        change.change.fresh.emplace_back(std::move(added->rows[row++]), plan.settings[i]);
        break;
      case store::AddedLive::What::listed:
        change.tally.unchanged(url, "a configuration file lists it");
        break;
      case store::AddedLive::What::live_already:
        change.tally.unchanged(url, "it was added before");
        break;
      case store::AddedLive::What::too_many:
        change.tally.refused(
            url, fmt::format("there are {} pages that no file lists already, the most there may "
                             "be; list pages in a file, or remove some",
                             most_live));
        break;
    }
  }
  if (keep == store::Keep::no) return change;
  if (const Status read = read_masks(store, change.change); !read.ok()) return read.error();
  return change;
}

SetPlan plan_set(const Book& book, Chosen chosen, const std::optional<LiveSettings>& settings) {
  SetPlan plan;
  plan.change.tally = std::move(chosen.tally);
  std::vector<config::LiveEntry> entries;
  std::vector<const store::ChosenPage*> pages;
  for (const store::ChosenPage& page : chosen.pages) {
    const LiveSettings before = settings_of(page.settings);
    LiveSettings after = settings ? merged(before, *settings) : LiveSettings{};
    if (after == before) {
      plan.change.tally.unchanged(page.url, settings ? "" : "nothing is set of it");
      continue;
    }
    entries.push_back({page.url, std::move(after), !page.live});
    pages.push_back(&page);
  }
  auto fragment = std::make_shared<config::Config>(config::fragment_of(book));
  std::vector<bool> wrong(entries.size());
  for (const config::LiveProblem& problem : config::add_live(*fragment, entries, most_patterns)) {
    plan.change.tally.refused(entries[problem.entry].url, problem.why);
    wrong[problem.entry] = true;
  }
  WantedPages wanted(*fragment);
  std::size_t at = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (wrong[i]) continue;
    const store::ChosenPage& page = *pages[i];
    plan.change.tally.done(page.url, settings ? "set" : "reset");
    if (page.live) wanted.specs[at].source = "live";
    // One that is paused is not in memory.
    if (!page.paused) plan.change.change.kept.emplace_back(page.slot, wanted.settings[at]);
    plan.specs.emplace_back(page.id, store::LivePageSpec{std::move(wanted.specs[at++]),
                                                         row_of(page.url, entries[i].settings)});
  }
  plan.change.fragment = std::move(fragment);
  return plan;
}

Result<LiveChange> carry_out(SetPlan& plan, store::Store& store, store::Keep keep) {
  if (const Status set = store.set_pages(plan.specs, most_live, keep); !set.ok())
    return set.error();
  return std::move(plan.change);
}

Result<LiveChange> remove_pages(store::Store& store, Chosen chosen, store::Keep keep) {
  LiveChange change{.tally = std::move(chosen.tally)};
  std::vector<PageId> ids;
  for (const store::ChosenPage& page : chosen.pages) {
    if (!page.live) {
      // Nobody hears of more, so the engine need not carry them.
      if (change.of_files.size() < SteeringResult::most_told) {
        change.of_files.push_back(page.url);
      } else {
        change.tally.refused_too();
      }
      continue;
    }
    ids.push_back(page.id);
    if (!page.paused) change.change.gone.push_back(page.slot);
    change.tally.done(page.url, "removed");
  }
  if (const Status removed = store.remove_live_pages(ids, keep); !removed.ok())
    return removed.error();
  return change;
}

Result<LiveChange> pause_pages(store::Store& store, Chosen chosen, std::optional<WallTime> until,
                               store::Keep keep) {
  LiveChange change{.tally = std::move(chosen.tally)};
  std::vector<PageId> ids;
  for (const store::ChosenPage& page : chosen.pages) {
    if (page.paused && page.paused_until == until) {
      change.tally.unchanged(page.url, "it is paused already");
      continue;
    }
    ids.push_back(page.id);
    if (!page.paused) change.change.gone.push_back(page.slot);
    change.tally.done(page.url, "paused");
  }
  if (const Status paused = store.pause_pages(ids, until, keep); !paused.ok())
    return paused.error();
  return change;
}

Result<Resumed> resume_pages(store::Store& store, Chosen chosen, store::Keep keep) {
  Resumed resumed{.change = {.tally = std::move(chosen.tally)}};
  LiveChange& change = resumed.change;
  std::vector<store::ChosenPage> paused;
  for (store::ChosenPage& page : chosen.pages) {
    if (!page.paused) {
      change.tally.unchanged(page.url, "it is not paused");
      continue;
    }
    change.tally.done(page.url, "resumed");
    resumed.entries.push_back({page.url, settings_of(page.settings), !page.live});
    paused.push_back(std::move(page));
  }
  Result<std::vector<store::PageRow>> rows = store.resume_pages(ids_of(paused), keep);
  if (!rows.ok()) return rows.error();
  for (store::PageRow& row : *rows) change.change.fresh.emplace_back(std::move(row), 0);
  if (keep == store::Keep::no) return resumed;
  if (const Status read = read_masks(store, change.change); !read.ok()) return read.error();
  return resumed;
}

LiveChange resolve_resumed(const Book& book, Resumed resumed) {
  LiveChange change = std::move(resumed.change);
  Resolved pages = resolved(book, resumed.entries);
  change.fragment = std::make_shared<config::Config>(std::move(pages.list));
  const WantedPages wanted(*change.fragment);
  auto& fresh = change.change.fresh;
  if (fresh.empty()) return change;  // a dry run
  for (std::size_t i = 0; i < pages.entries.size(); ++i) {
    auto& [row, settings] = fresh[pages.entries[i]];
    settings = wanted.settings[i];
    if (pages.entries[i] != i) fresh[i] = std::move(fresh[pages.entries[i]]);
  }
  fresh.resize(pages.entries.size());
  return change;
}

std::vector<Steered> refusals_of(const std::string& config_file, std::vector<std::string> urls) {
  std::unordered_map<std::string, std::string> places;
  for (const std::string& url : urls) places.emplace(url, "");
  config::LoadOptions options;
  options.places = &places;
  // What is wrong with it is no matter here: pages are found as far as it can be read.
  static_cast<void>(config::load(config_file, options).ok());
  std::vector<Steered> refusals;
  for (std::string& url : urls) {
    const std::string& place = places[url];
    std::string why =
        place.empty()
            ? fmt::format("a file lists it, as {} was last read; reload it to drop the page",
                          printable(config_file))
            : fmt::format("{} lists it; delete it there and reload, or pause it", place);
    refusals.push_back({std::move(url), "refused", std::move(why)});
  }
  return refusals;
}

}  // namespace pollux::engine
