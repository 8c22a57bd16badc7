#include "config/keys.hpp"

#include "config/value_readers.hpp"
#include "loaded.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

namespace pollux::config {
namespace {

const std::string documented = POLLUX_SOURCE_DIR "/config/pollux.yaml";
const std::string of_agent = POLLUX_SOURCE_DIR "/config/agent.yaml";

std::string slurp(const std::string& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

// The file with every key that is commented out put back: a line whose '#' is followed at once by
// a key, a list entry or a deeper line of one ("#  - url: …"); prose has a space and a capital.
std::string with_commented_keys(const std::string& file = documented) {
  static const std::regex key(R"(^( *)#( *)((- )?["+a-z_.:0-9]+:( .*)?|- https?:.*)$)");
  std::istringstream in(slurp(file));
  std::string out;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    const bool prose =
        line.find("# ") != std::string::npos && line.find("#  ") == std::string::npos;
    if (!prose && std::regex_match(line, match, key)) {
      line = match[1].str() + match[2].str() + match[3].str();
    }
    out += line + "\n";
  }
  return out;
}

void collect(const Node& node, const std::string& prefix, std::set<std::string>& out) {
  if (node.kind() == Kind::list) {
    for (const Node entry : node) collect(entry, prefix + "[]", out);
  } else if (node.kind() == Kind::mapping) {
    for (auto at = node.begin(); at != node.end(); ++at) {
      const std::string word = prefix == "hosts.overrides" ? "*" : std::string((*at).text());
      const std::string path = prefix.empty() ? word : prefix + "." + word;
      if (word != "*") out.insert(path);
      const bool free_keys = path.ends_with(".headers") || path.ends_with(".webhook");
      // Its keys stand in the table once, wherever it may be written.
      const bool content = path.ends_with(".content") && path != "storage.content";
      if (++at; !free_keys) collect(*at, content ? "content" : path, out);
    }
  }
}

TEST(Keys, the_annotated_file_documents_every_key_and_no_other) {
  const auto document = Document::parse(with_commented_keys(), documented, ExitCode::configuration);
  ASSERT_TRUE(document.ok()) << document.error().message;
  std::set<std::string> in_file, in_table;
  collect(document->root(), "", in_file);
  // What an agent is stands in a file of its own.
  const auto agent =
      Document::parse(with_commented_keys(of_agent), of_agent, ExitCode::configuration);
  ASSERT_TRUE(agent.ok()) << agent.error().message;
  std::set<std::string> of_agents;
  collect(agent->root(), "", of_agents);
  for (const std::string& path : of_agents) {
    if (path.starts_with("agent")) in_file.insert(path);
  }
  for (const Key& key : keys()) in_table.emplace(key.path);
  EXPECT_EQ(in_file, in_table);
}

TEST(Keys, the_annotated_file_loads_as_it_is_and_with_all_its_comments) {
  const auto plain = load(documented);
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_EQ(plain->config.pages.size(), 3u);
  // The secrets it names must be there.
  const TempFolder folder;
  folder.write("urls.example.yaml", slurp(POLLUX_SOURCE_DIR "/config/urls.example.yaml"));
  for (const char* name : {"example.login", "example.key", "example.token"}) {
    folder.write(name, "user:password\n");
  }
  folder.write("hook.url", "https://hooks.example/secret\n");
  folder.write("hook.token", "Bearer token\n");
  folder.write("mail.login", "user:password\n");
  for (const char* name : {"web.password", "prometheus.token", "web.crt", "web.key"})
    folder.write(name, "0123456789abcdef0123456789abcdef\n");
  const auto full = load_text(with_commented_keys(), folder.file("pollux.yaml"));
  ASSERT_TRUE(full.ok()) << full.error().message;
  EXPECT_EQ(full->config.pages.size(), 6u);
}

TEST(Keys, the_values_in_the_annotated_file_are_the_defaults) {
  const auto file = load(documented);
  ASSERT_TRUE(file.ok());
  const Config plain = loaded("pages: [http://a.example/]").config;
  EXPECT_EQ(file->config.settings[0], plain.settings[0]);
  EXPECT_EQ(file->config.host_default.delay, plain.host_default.delay);
  EXPECT_EQ(file->config.host_default.connections, plain.host_default.connections);
  EXPECT_EQ(file->config.learner.policy, plain.learner.policy);
  EXPECT_EQ(file->config.schedule.explore, plain.schedule.explore);
  EXPECT_EQ(file->config.storage.backup, plain.storage.backup);
  EXPECT_EQ(file->config.storage.keep, plain.storage.keep);
  EXPECT_EQ(file->config.storage.content, plain.storage.content);
  EXPECT_EQ(file->config.host_default.probe, plain.host_default.probe);
  EXPECT_EQ(extract::rules_of(*file->config.contents[0]), extract::Rules{});
  EXPECT_EQ(file->config.log.level, plain.log.level);
  EXPECT_EQ(file->config.log.format, plain.log.format);
  EXPECT_EQ(file->config.fetch.allow, plain.fetch.allow);
}

TEST(Keys, the_defaults_in_the_table_are_those_of_the_program) {
  std::string text = "pages: [http://a.example/]\n";
  std::string section;  // the one being written, with a dot at its end
  for (const Key& key : keys()) {
    if (key.fallback.empty() || key.path == "pages") continue;
    const std::string path(key.path);
    std::string indent;
    for (std::size_t from = 0, dot = 0; (dot = path.find('.', from)) != std::string::npos;) {
      const std::string inner = path.substr(0, dot + 1);
      if (!section.starts_with(inner)) {
        text += indent + path.substr(from, dot - from) + ":\n";
        section = inner;
      }
      indent += "  ";
      from = dot + 1;
    }
    text += indent + path.substr(path.rfind('.') + 1) + ": " + std::string(key.fallback) + "\n";
  }
  const Config written = loaded(text).config;
  const Config silent = loaded("pages: [http://a.example/]").config;
  EXPECT_EQ(written.settings, silent.settings);
  EXPECT_EQ(written.schedule.budget, silent.schedule.budget);
  EXPECT_EQ(written.schedule.explore, silent.schedule.explore);
  EXPECT_EQ(written.schedule.seed, silent.schedule.seed);
  EXPECT_EQ(written.learner.policy, silent.learner.policy);
  EXPECT_EQ(written.learner.objective, silent.learner.objective);
  EXPECT_EQ(written.learner.cost, silent.learner.cost);
  EXPECT_EQ(written.database, silent.database);
  EXPECT_EQ(written.host_default.delay, silent.host_default.delay);
  EXPECT_EQ(written.host_default.connections, silent.host_default.connections);
  EXPECT_EQ(written.storage.backup, silent.storage.backup);
  EXPECT_EQ(written.storage.keep, silent.storage.keep);
  EXPECT_EQ(written.storage.content, silent.storage.content);
  EXPECT_EQ(written.host_default.probe, silent.host_default.probe);
  EXPECT_EQ(written.reload_max_removed, silent.reload_max_removed);
  EXPECT_EQ(written.log.level, silent.log.level);
  EXPECT_EQ(written.log.format, silent.log.format);
}

TEST(Keys, every_row_is_complete_and_unique) {
  std::set<std::string_view> paths;
  for (const Key& key : keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    EXPECT_FALSE(key.help.empty()) << key.path;
    EXPECT_FALSE(key.type.empty()) << key.path;
    EXPECT_NE(key.read, nullptr) << key.path;
    const std::size_t dot = key.path.rfind('.');
    EXPECT_TRUE(std::all_of(key.path.begin(), key.path.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || c == '_' || c == '.' || c == '[' || c == ']' || c == '*' ||
             c == '+';
    })) << key.path;
    if (dot != std::string_view::npos) {
      EXPECT_FALSE(name_of(key).empty()) << key.path;
    }
  }
}

TEST(Keys, the_nearest_word_is_found_only_when_it_is_near) {
  const std::string_view known[] = {"delay", "connections", "overrides"};
  EXPECT_EQ(nearest("dealy", known), "delay");
  EXPECT_EQ(nearest("conections", known), "connections");
  EXPECT_EQ(nearest("xyz", known), "");
  EXPECT_EQ(nearest(std::string(100000, 'x'), known), "");
  EXPECT_EQ(joined(known), "delay, connections or overrides");
}

}  // namespace
}  // namespace pollux::config
