#include "config/notify_rules.hpp"

#include "loaded.hpp"

#include <gtest/gtest.h>

namespace pollux::config {
namespace {

using namespace std::chrono_literals;

const std::string page = "budget: 1\npages: [http://a.example/]\n";

Result<Loaded> rules(const std::string& text, const TempFolder& folder) {
  return load_text(page + "notify:\n" + text, folder.file("pollux.yaml"));
}

std::string error_of(const std::string& text) {
  const TempFolder folder;
  const auto read = rules(text, folder);
  return read.ok() ? "nothing is wrong" : read.error().message;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(NotifyRules, are_read_as_written) {
  const TempFolder folder;
  folder.write("hook.url", "https://hooks.example/T0/B0\n");
  folder.write("token", "Bearer x\n");
  const auto read = rules(
      "  - name: team\n"
      "    when: { tags: [releases, b], match: \"https://*\", events: [change, failing], "
      "min_importance: 2 }\n"
      "    to: { webhook: { file: hook.url }, headers: { Authorization: { file: token } }, "
      "body: slack, allow: [10.0.0.0/8] }\n"
      "    digest: 1h\n"
      "    quiet: { from: \"22:00\", to: \"07:30\", zone: Europe/Berlin }\n"
      "    limit: 20/h\n"
      "    failing_after: 2h\n",
      folder);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->config.notify.size(), 1u);
  const notify::Rule& rule = read->config.notify.front();
  EXPECT_EQ(rule.name, "team");
  EXPECT_EQ(rule.when.tags, (std::vector<std::string>{"releases", "b"}));
  EXPECT_EQ(rule.when.match, "https://*");
  EXPECT_TRUE(rule.when.events.has(notify::Event::failing));
  EXPECT_FALSE(rule.when.events.has(notify::Event::system));
  EXPECT_EQ(rule.when.min_importance, 2);
  const auto& to = std::get<notify::Webhook>(rule.to);
  EXPECT_EQ(to.url, "https://hooks.example/T0/B0");
  EXPECT_EQ(to.headers, std::vector<std::string>{"Authorization: Bearer x"});
  EXPECT_EQ(to.body, notify::Body::slack);
  EXPECT_EQ(to.allow, std::vector<std::string>{"10.0.0.0/8"});
  EXPECT_EQ(rule.digest, 1h);
  EXPECT_EQ(rule.quiet, (notify::Quiet{22 * 60, 7 * 60 + 30, "Europe/Berlin"}));
  EXPECT_EQ(rule.limit->messages, 20);
  EXPECT_EQ(rule.limit->within, 1h);
  EXPECT_EQ(rule.failing_after, 2h);
}

TEST(NotifyRules, every_target_can_be_written) {
  const TempFolder folder;
  folder.write("login", "me:secret\n");
  const auto read = rules(
      "  - { name: a, to: { mail: { to: [x@example.org], from: p@example.org, server: "
      "\"smtps://mail.example:465\", login_file: login } } }\n"
      "  - { name: b, to: { program: [./on-change, --quiet] } }\n"
      "  - { name: c, to: { file: changes.jsonl } }\n"
      "  - { name: d, to: { atom: /srv/changes.xml } }\n"
      "  - { name: e, to: { webhook: \"https://x.example/\", body: '{\"t\": \"${title}\"}' } }\n",
      folder);
  ASSERT_TRUE(read) << read.error().message;
  const notify::Rules& all = read->config.notify;
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(std::get<notify::Mail>(all[0].to).login, "me:secret");
  EXPECT_EQ(std::get<notify::ToProgram>(all[1].to).argv,
            (std::vector<std::string>{folder.file("./on-change"), "--quiet"}));
  EXPECT_EQ(std::get<notify::ToFile>(all[2].to).path, folder.file("changes.jsonl"));
  EXPECT_EQ(std::get<notify::ToAtom>(all[3].to).path, "/srv/changes.xml");
  EXPECT_EQ(std::get<notify::Webhook>(all[4].to).body, notify::Body::own);
}

TEST(NotifyRules, what_people_read_has_a_limit_unless_they_want_none) {
  const TempFolder folder;
  const auto read = rules(
      "  - { name: a, to: { webhook: \"https://x.example/\" } }\n"
      "  - { name: b, to: { webhook: \"https://x.example/\", body: gotify } }\n"
      "  - { name: c, to: { webhook: \"https://x.example/\", body: gotify }, limit: none }\n",
      folder);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->config.notify[0].limit);
  EXPECT_EQ(read->config.notify[1].limit->messages, 60);
  EXPECT_FALSE(read->config.notify[2].limit);
}

TEST(NotifyRules, mistakes_are_named_with_their_line_and_cure) {
  EXPECT_TRUE(
      has(error_of("  - { to: { file: x } }\n"), "pollux.yaml:4: a rule of notify without"));
  EXPECT_TRUE(has(error_of("  - { name: \"a b\", to: { file: x } }\n"), "does not do"));
  EXPECT_TRUE(has(error_of("  - { name: a }\n"), "there is no target"));
  EXPECT_TRUE(has(error_of("  - { name: a, to: { file: x, atom: y } }\n"), "more than one target"));
  EXPECT_TRUE(has(error_of("  - { name: a, to: { file: x } }\n  - { name: a, to: { file: y } }\n"),
                  "two rules called 'a'"));
  EXPECT_TRUE(has(error_of("  - { name: a, when: { events: [chnge] }, to: { file: x } }\n"),
                  "no event 'chnge'"));
  EXPECT_TRUE(has(error_of("  - { name: a, to: { file: x }, quiet: { from: \"25:00\", to: \"7:00\" "
                           "} }\n"),
                  "no time of day"));
  EXPECT_TRUE(has(error_of("  - { name: a, to: { file: x }, quiet: { from: \"22:00\", to: "
                           "\"7:00\", zone: Mars/Base } }\n"),
                  "no time zone 'Mars/Base'"));
  EXPECT_TRUE(has(error_of("  - { name: a, to: { file: x }, limit: 20/y }\n"), "no limit"));
  EXPECT_TRUE(has(error_of("  - { name: a, to: { webhook: \"ftp://x/\" } }\n"), "no address"));
  EXPECT_TRUE(has(
      error_of("  - { name: a, to: { webhook: \"https://x.example/\", body: slak } }\n"), "slack"));
  EXPECT_TRUE(
      has(error_of("  - { name: a, to: { webhook: \"https://x.example/\", body: \"${no}\" } "
                   "}\n"),
          "no placeholder ${no}"));
  EXPECT_TRUE(has(error_of("  - { name: a, to: { webhook: \"https://x.example/\", body: telegram } "
                           "}\n"),
                  "chat_id"));
  EXPECT_TRUE(has(error_of("  - { name: a, to: { webhook: \"https://x.example/\", headers: { "
                           "Authorization: abc } } }\n"),
                  "Authorization is a secret"));
  EXPECT_TRUE(has(error_of("  - { name: a, to: { program: on-change } }\n"), "as a list"));
}

TEST(NotifyRules, nothing_gets_into_the_headers_of_a_mail_that_breaks_them) {
  const auto mail = [](const std::string& to, const std::string& from) {
    return error_of("  - { name: a, to: { mail: { to: [" + to + "], from: " + from +
                    ", server: \"smtps://mail.example\" } } }\n");
  };
  EXPECT_EQ(mail("a@example.org", "b@example.org"), "nothing is wrong");
  EXPECT_TRUE(
      has(mail("\"a@example.org\\r\\nBcc: c@example.org\"", "b@example.org"), "no mail address"));
  EXPECT_FALSE(has(mail("a@example.org", "\"b@example.org\\nX: y\""), "nothing is wrong"));
  EXPECT_TRUE(has(mail("\"a@example.org>, <c@example.org\"", "b@example.org"), "no mail address"));
}

TEST(NotifyRules, an_open_address_of_a_webhook_is_warned_of_and_never_repeated) {
  const TempFolder folder;
  const auto read =
      rules("  - { name: a, to: { webhook: \"https://hooks.example/T0SECRET\", body: slack } }\n",
            folder);
  ASSERT_TRUE(read) << read.error().message;
  bool warned = false;
  for (const Warning& warning : read->warnings) {
    warned = warned || has(warning.message, "whoever knows this address");
    EXPECT_FALSE(has(warning.message, "T0SECRET"));
  }
  EXPECT_TRUE(warned);
  EXPECT_FALSE(
      has(error_of("  - { name: a, to: { webhook: \"http://T0SECRET bad/\" } }\n"), "T0SECRET"));
}

}  // namespace
}  // namespace pollux::config
