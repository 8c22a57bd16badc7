// The architecture, as far as includes can tell: who may see whom.
#include "unit/tree/tree.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::tree {
namespace {

namespace fs = std::filesystem;

// A whole module ("base") or one header of it ("learn/policy.hpp"). Every module sees itself.
const std::map<std::string, std::set<std::string>> may_see = {
    {"base", {}},
    {"fetch", {"base"}},
    {"render",
     {"base", "fetch/fetcher.hpp", "fetch/resolver.hpp", "fetch/address_gate.hpp",
      "fetch/answer_head.hpp"}},
    {"detect", {"base"}},
    {"robots_txt", {"base"}},
    {"extract", {"base", "diff/diff.hpp"}},
    {"diff", {"base"}},
    {"learn", {"base"}},
    {"schedule", {"base", "learn/policy.hpp"}},
    {"concurrency", {"base"}},
    {"placement", {"base"}},
    {"bus", {"base"}},
    {"leases", {"base", "schedule/budget.hpp"}},
    {"brains", {"base", "bus", "leases", "learn/page_tree.hpp"}},
    {"store", {"base"}},
    {"notify",
     {"base", "diff", "report", "store/rows.hpp", "store/views.hpp", "store/reader.hpp",
      "store/fresh_reader.hpp", "fetch/fetcher.hpp", "fetch/curl_fetcher.hpp", "fetch/mail.hpp",
      "extract/program.hpp"}},
    {"config",
     {"base", "notify/options.hpp", "notify/quiet_hours.hpp", "notify/render.hpp", "fetch/mail.hpp",
      "fetch/fetcher.hpp", "bus/bus.hpp", "learn/policy.hpp", "schedule/scheduler.hpp",
      "placement/placement.hpp", "store/options.hpp", "web/options.hpp", "render/options.hpp",
      "extract/extract.hpp", "extract/rules.hpp"}},
    {"report",
     {"base", "store/rows.hpp", "store/views.hpp", "store/page_columns.hpp", "learn/policy.hpp",
      "diff/diff.hpp", "extract/masks.hpp", "extract/ignore_rules.hpp",
      "extract/significance.hpp"}},
    {"import",
     {"base", "config/document.hpp", "config/headers.hpp", "extract/rules.hpp",
      "extract/extract.hpp", "extract/xml_walk.hpp", "extract/decode.hpp", "report/text.hpp"}},
    {"lab", {"base", "learn", "schedule", "concurrency", "placement", "brains/division.hpp"}},
    {"http", {"base"}},
    {"demo", {"base", "http"}},
    {"web",
     {"base", "http", "report", "store", "engine/steering.hpp", "engine/snapshot.hpp",
      "lab/advice.hpp", "learn/policy.hpp", "extract/masks.hpp", "extract/program.hpp",
      "notify/render.hpp"}},
    {"agent", {"base", "bus", "leases", "fetch", "extract", "detect"}},
    {"engine",
     {"base", "bus", "brains", "agent", "fetch", "detect", "robots_txt", "learn", "schedule",
      "concurrency", "placement", "extract", "diff", "store", "config", "notify", "render"}},
    {"cli",
     {"base",
      "bus",
      "agent",
      "fetch",
      "extract",
      "diff",
      "detect",
      "learn",
      "schedule",
      "concurrency",
      "placement",
      "store",
      "config",
      "engine",
      "report",
      "import",
      "lab",
      "demo",
      "notify",
      "web",
      "render",
      "http/client.hpp",
      "brains/shard.hpp",
      "brains/messages.hpp"}},
};

// Libraries that stand behind one module each, so that they can be replaced there.
const std::map<std::string, std::string> only_user = {
    {"<curl/", "fetch"}, {"<sqlite3", "store"}, {"<yaml-cpp/", "config"},
    {"<nats/", "bus"},   {"<libpsl", "brains"}, {"<boost/beast/", "http"}};

std::string module_of(const fs::path& file) {
  auto part = file.begin();  // src/fetch/x.cpp or include/pollux/fetch/x.hpp
  std::advance(part, *part == "src" ? 1 : 2);
  return part->string();
}

struct Include {
  fs::path file;
  std::string text;  // "pollux/base/time.hpp" or <vector>, with its quotes
};

std::vector<fs::path> sources() {
  auto all = files("src", {".cpp", ".hpp"});
  const auto headers = files("include", {".hpp"});
  all.insert(all.end(), headers.begin(), headers.end());
  return all;
}

std::vector<Include> includes() {
  std::vector<Include> all;
  for (const fs::path& file : sources()) {
    for (const std::string& line : lines(file)) {
      const auto start = line.find_first_of("\"<");
      if (line.starts_with("#include") && start != std::string::npos) {
        all.push_back({file, line.substr(start)});
      }
    }
  }
  return all;
}

// "learn/policy.hpp" for "pollux/learn/policy.hpp" and "learn/policy.hpp"; empty for a system
// header and for a neighbour in the same folder.
std::string target_of(const Include& include) {
  if (!include.text.starts_with('"')) return "";
  std::string target = include.text.substr(1, include.text.find('"', 1) - 1);
  if (target.starts_with("pollux/")) target.erase(0, std::string("pollux/").size());
  return target.find('/') == std::string::npos ? "" : target;
}

TEST(IncludeGraph, the_source_tree_is_found) {
  EXPECT_GT(includes().size(), 50u) << "nothing to check below " << root;
}

TEST(IncludeGraph, every_module_has_a_rule) {
  for (const auto& entry : fs::directory_iterator(root / "src")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(may_see.contains(entry.path().filename().string()))
        << entry.path() << ": say in this test what the module may see";
  }
}

TEST(IncludeGraph, modules_see_only_what_the_architecture_allows) {
  for (const Include& include : includes()) {
    const std::string target = target_of(include);
    if (target.empty()) continue;
    const std::string to = target.substr(0, target.find('/'));
    if (include.file == fs::path("src/main.cpp")) {
      EXPECT_EQ(to, "cli") << "main.cpp includes " << include.text;
      continue;
    }
    const std::string from = module_of(include.file);
    ASSERT_TRUE(may_see.contains(from)) << include.file;
    const auto& allowed = may_see.at(from);
    EXPECT_TRUE(to == from || allowed.contains(to) || allowed.contains(target))
        << include.file << " includes " << include.text << ", which " << from << " must not see";
  }
}

// Only the table of policies knows that there are others than the daemon's own.
TEST(IncludeGraph, the_production_path_of_learn_sees_neither_papers_nor_peers) {
  int policies_from_papers = 0;
  for (const Include& include : includes()) {
    const std::string target = target_of(include);
    const bool paper = target.starts_with("learn/papers/");
    if (!paper && !target.starts_with("learn/peers/")) continue;
    const std::string folder = include.file.parent_path().string();
    if (include.file == fs::path("src/learn/policies.cpp")) policies_from_papers += paper ? 1 : 0;
    EXPECT_TRUE(include.file == fs::path("src/learn/policies.cpp") ||
                folder == (paper ? "src/learn/papers" : "src/learn/peers"))
        << include.file << " includes " << include.text;
  }
  EXPECT_GT(policies_from_papers, 0) << "no paper is found: has the folder moved?";
}

TEST(IncludeGraph, public_headers_do_not_include_private_ones) {
  for (const Include& include : includes()) {
    if (*include.file.begin() != "include" || !include.text.starts_with('"')) continue;
    EXPECT_TRUE(include.text.starts_with("\"pollux/"))
        << include.file << " includes " << include.text << " from src";
  }
}

TEST(IncludeGraph, a_library_has_one_user) {
  for (const Include& include : includes()) {
    for (const auto& [library, user] : only_user) {
      if (include.text.starts_with(library)) {
        EXPECT_EQ(module_of(include.file), user)
            << include.file << " includes " << include.text << "; only " << user << " may";
      }
    }
  }
}

// It takes longer to compile than most of our libraries.
TEST(IncludeGraph, one_file_sees_the_parser_of_command_lines) {
  int users = 0;
  for (const Include& include : includes()) {
    if (!include.text.starts_with("<CLI/")) continue;
    EXPECT_EQ(include.file, fs::path("src/cli/cli.cpp")) << include.text;
    ++users;
  }
  EXPECT_EQ(users, 1);
}

// It overflows the stack on long input; RE2 does not.
TEST(IncludeGraph, nobody_uses_the_standard_regex) {
  for (const Include& include : includes()) {
    EXPECT_FALSE(include.text.starts_with("<regex>")) << include.file;
  }
  for (const fs::path& file : sources()) {
    for (const std::string& line : lines(file)) {
      EXPECT_EQ(line.substr(0, line.find("//")).find("std::regex"), std::string::npos) << file;
    }
  }
}

}  // namespace
}  // namespace pollux::tree
