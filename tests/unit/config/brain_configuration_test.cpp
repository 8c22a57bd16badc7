// A configuration as one of several brains has it.
#include "pollux/config/config.hpp"
#include "pollux/config/export.hpp"
#include "support/temp_folder.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace pollux::config {
namespace {

TEST(BrainConfiguration, means_the_same_in_another_folder) {
  const test::TempFolder folder;
  folder.write("token", "secret\n");
  folder.write("login", "user:password\n");
  const std::string source = folder.write("pollux.yaml", R"(
budget: 7
database: there.db
network: { allow: [127.0.0.0/8] }
storage: { backup_directory: copies }
learner: { seed: 3, objective: changes }
hosts:
  delay: 1s
  overrides:
    a.example: { delay: 2s }
    b.example: { delay: 3s, auth: { basic_file: login } }
defaults: { headers: { X-Token: { file: token } }, max_interval: 2h }
notify:
  - { name: lines, to: { file: out.jsonl } }
  - { name: mine, to: { program: [./tell, "-x", "a: b"] } }
pages:
  - https://a.example/
  - { url: https://b.example/, name: "it's \"b\": #1", tags: [x], headers: { Y: { file: token } } }
)");
  std::map<std::string, std::string> pages;
  const auto list = export_each_page(
      source, {}, [&](const std::string& url, std::string_view yaml) { pages[url] = yaml; });
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_EQ(list->budget, 7);
  EXPECT_EQ(pages.size(), 2u);
  const auto text = brain_configuration(
      source, {.name = "brain-2",
               .pages_file = "pages.yaml",
               .database = "pollux.db",
               .has_host = [](std::string_view host) { return host == "b.example"; }});
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(text->find("a.example"), std::string::npos) << *text;

  const test::TempFolder elsewhere;
  elsewhere.write("pages.yaml", pages["https://b.example/"]);
  const std::string nats = "nats: { servers: [\"nats://127.0.0.1:4222\"] }\n";
  const std::string made = elsewhere.write("pollux.yaml", *text + nats);
  const Result<Loaded> was = load(source), is = load(made);
  ASSERT_TRUE(was.ok()) << was.error().message;
  ASSERT_TRUE(is.ok()) << is.error().message << "\n" << *text;
  EXPECT_EQ(is->config.brain, "brain-2");
  EXPECT_EQ(is->config.database, elsewhere.file("pollux.db"));
  EXPECT_EQ(is->config.storage.backup.directory, folder.file("copies"));
  EXPECT_EQ(is->config.schedule.budget, was->config.schedule.budget);
  EXPECT_EQ(is->config.learner.seed, was->config.learner.seed);
  ASSERT_EQ(is->config.pages.size(), 1u);
  EXPECT_EQ(is->config.pages[0].url, "https://b.example/");
  EXPECT_NE(pages["https://b.example/"].find(folder.file("token")), std::string::npos);
  EXPECT_NE(text->find(folder.file("out.jsonl")), std::string::npos) << *text;
  EXPECT_NE(text->find(folder.file("tell")), std::string::npos) << *text;
  EXPECT_NE(text->find(folder.file("login")), std::string::npos) << *text;
  EXPECT_EQ(is->config.host_overrides.size(), 1u);
}

}  // namespace
}  // namespace pollux::config
