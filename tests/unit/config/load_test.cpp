#include "loaded.hpp"

#include <cmath>

namespace pollux::config {
namespace {

using namespace std::chrono_literals;

constexpr learn::PolicyInfo policies[] = {
    {"htraa", "", false}, {"uniform", "", false}, {"optimal", "", true}};

TEST(Load, the_contract_of_keys_is_read) {
  const Config config = loaded(R"yaml(
budget: 300/min
database: state/watch.db
pages:
  - https://example.org/
  - { url: "https://example.org/news", importance: 3, min_interval: 30s, max_interval: 6h }
defaults: { importance: 2, min_interval: 10s, max_interval: 2d, timeout: 5s, max_body: 1MiB,
            user_agent: "me (a@b.example)" }
hosts:
  delay: 500ms
  connections: 2
  overrides: { "Example.org": { delay: 0s, connections: 4 }, "example.org:8080": { delay: 3s } }
network: { allow: [127.0.0.0/8, "::1"] }
learner: { policy: uniform, explore: 0.1, seed: 7 }
storage: { keep_changes: 30d, keep_minutes: 1d, backup_every: 6h, backup_keep: 5,
           backup_directory: copies }
log: { level: debug, format: json }
)yaml",
                               {.policies = policies})
                            .config;
  EXPECT_DOUBLE_EQ(config.schedule.budget, 5);
  EXPECT_EQ(config.database, "state/watch.db");
  ASSERT_EQ(config.pages.size(), 2u);
  EXPECT_EQ(config.pages[0].host, "example.org:443");
  ASSERT_EQ(config.settings.size(), 2u);
  const PageSettings& plain = config.settings[config.pages[0].settings];
  EXPECT_EQ(plain.importance, 2);
  EXPECT_EQ(plain.limits.max_interval, 48h);
  EXPECT_EQ(plain.timeout, 5s);
  EXPECT_EQ(plain.max_body, 1u << 20);
  EXPECT_EQ(plain.user_agent, "me (a@b.example)");
  const PageSettings& news = config.settings[config.pages[1].settings];
  EXPECT_EQ(news.importance, 3);
  EXPECT_EQ(news.limits.min_interval, 30s);
  EXPECT_EQ(news.timeout, 5s) << "what a page does not say comes from the defaults";
  EXPECT_EQ(config.host_default.delay, 500ms);
  EXPECT_EQ(config.politeness("example.org:443").connections, 4);
  EXPECT_EQ(config.politeness("example.org:8080").delay, 3s);
  EXPECT_EQ(config.politeness("example.org:8080").connections, 2) << "inherited from hosts";
  EXPECT_EQ(config.politeness("www.example.org:443").connections, 2);
  EXPECT_EQ(config.fetch.allow, (std::vector<std::string>{"127.0.0.0/8", "::1"}));
  EXPECT_EQ(config.learner.policy, "uniform");
  EXPECT_EQ(config.learner.seed, 7u);
  EXPECT_EQ(config.schedule.seed, 7u);
  EXPECT_DOUBLE_EQ(config.schedule.explore, 0.1);
  EXPECT_EQ(config.storage.keep.changes, 30 * 24h);
  EXPECT_EQ(config.storage.keep.minutes, 24h);
  EXPECT_EQ(config.storage.backup.every, 6h);
  EXPECT_EQ(config.storage.backup.keep, 5);
  EXPECT_EQ(config.storage.backup.directory, "copies");
  EXPECT_EQ(config.log.level, "debug");
  EXPECT_EQ(config.log.format, "json");
}

TEST(Load, politeness_towards_hosts_can_be_set_for_all_and_for_one) {
  const Config config = loaded(
                            "pages: [http://a.example/]\n"
                            "hosts:\n  robots: ignore\n  max_crawl_delay: 5m\n"
                            "  adaptive_delay: 0.5\n  max_adaptive_delay: 10s\n"
                            "  overrides: { a.example: { robots: obey, adaptive_delay: 0 } }\n")
                            .config;
  EXPECT_FALSE(config.host_default.obey_robots);
  EXPECT_EQ(config.host_default.max_crawl_delay, 5min);
  EXPECT_EQ(config.host_default.adaptive_delay, 0.5);
  EXPECT_EQ(config.host_default.max_adaptive_delay, 10s);
  EXPECT_TRUE(config.politeness("a.example:80").obey_robots);
  EXPECT_EQ(config.politeness("a.example:80").adaptive_delay, 0);
  EXPECT_EQ(config.politeness("a.example:80").max_crawl_delay, 5min) << "inherited from hosts";
  EXPECT_FALSE(config.politeness("b.example:80").obey_robots);
}

TEST(Load, robots_txt_is_obeyed_unless_the_file_says_otherwise) {
  const Config config = loaded("pages: [http://a.example/]").config;
  EXPECT_TRUE(config.host_default.obey_robots);
  EXPECT_EQ(config.host_default.max_crawl_delay, 60s);
  EXPECT_NE(load_text("budget: 1\npages: [http://a.example/]\nhosts: { robots: maybe }", "f")
                .error()
                .message.find("write obey or ignore"),
            std::string::npos);
}

TEST(Load, a_contact_stands_in_every_user_agent) {
  const Config config = loaded(
                            "contact: me@example.org\n"
                            "pages: [http://a.example/, {url: http://b.example/, user_agent: x/1},"
                            " {url: http://c.example/, user_agent: 'y (me@example.org)'}]")
                            .config;
  EXPECT_EQ(config.settings[0].user_agent, PageSettings().user_agent + " (+me@example.org)");
  EXPECT_EQ(config.settings[1].user_agent, "x/1 (+me@example.org)");
  EXPECT_EQ(config.settings[2].user_agent, "y (me@example.org)") << "it is there already";
  EXPECT_FALSE(load_text("budget: 1\npages: [http://a.example/]\ncontact: 'a) b'", "f").ok());
}

TEST(Load, the_cache_is_respected_by_default_or_by_page) {
  const Config config = loaded(
                            "defaults: { respect_cache: true }\n"
                            "pages: [http://a.example/, {url: http://b.example/, respect_cache: "
                            "false}]")
                            .config;
  EXPECT_TRUE(config.settings[config.pages[0].settings].respect_cache);
  EXPECT_FALSE(config.settings[config.pages[1].settings].respect_cache);
  EXPECT_FALSE(
      load_text("budget: 1\npages: [http://a.example/]\ndefaults: { respect_cache: maybe }", "f")
          .ok());
}

TEST(Load, defaults_count_wherever_they_stand_in_the_file) {
  const Config config = loaded(
                            "pages: [http://a.example/, {url: http://b.example/, timeout: 1s}]\n"
                            "defaults: {importance: 9}\n")
                            .config;
  for (const Page& page : config.pages) EXPECT_EQ(config.settings[page.settings].importance, 9);
}

TEST(Load, equal_settings_are_stored_once) {
  std::string text = "pages:\n";
  for (int i = 0; i < 100; ++i) {
    text += "  - {url: 'http://a.example/" + std::to_string(i) +
            "', importance: " + std::to_string(1 + i % 2) + "}\n";
  }
  EXPECT_EQ(loaded(text).config.settings.size(), 2u);
}

TEST(Load, empty_sections_are_as_good_as_absent_ones) {
  const Config config =
      loaded("hosts:\nlog:\ndefaults:\nnetwork: {}\npages: [http://a.example]").config;
  EXPECT_EQ(config.host_default.delay, 1s);
  EXPECT_EQ(config.schedule.budget, 1);
}

TEST(Load, bom_crlf_and_comments_are_accepted) {
  const Config config =
      loaded("\xEF\xBB\xBF# comment\r\nbudget: 2\r\npages:\r\n  - http://a.example/\r\n  # x\r\n")
          .config;
  EXPECT_EQ(config.schedule.budget, 2);
  EXPECT_EQ(config.pages.at(0).url, "http://a.example/");
}

TEST(Load, unlimited_is_a_budget) {
  EXPECT_TRUE(
      std::isinf(loaded("budget: unlimited\npages: [http://a.example]").config.schedule.budget));
}

TEST(Load, paths_are_relative_to_the_configuration_file) {
  const TempFolder folder;
  folder.write("urls.txt", "http://a.example/\n");
  const auto result =
      load(folder.write("p.yaml", "budget: 1\ndatabase: x.db\npages_file: urls.txt\n"));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->config.database, folder.file("x.db"));
  const auto absolute =
      load(folder.write("q.yaml", "budget: 1\ndatabase: /v/x.db\npages_file: urls.txt\n"));
  EXPECT_EQ(absolute->config.database, "/v/x.db");
  const auto silent = load(folder.write("r.yaml", "budget: 1\npages_file: urls.txt\n"));
  EXPECT_EQ(silent->config.database, folder.file("pollux.db"));
}

TEST(Load, a_budget_must_be_written) {
  const Error error = refused("database: x.db\n");
  EXPECT_EQ(load_text("pages: [http://a.example/]\n", "f.yaml").error().message,
            "f.yaml:1: there is no budget; write 'budget: 1' for one request per second, or "
            "300/min, 5000/h");
  EXPECT_EQ(error.exit_code, ExitCode::configuration);
}

TEST(Load, the_part_of_a_list_that_a_reload_may_remove_is_a_percentage) {
  const auto part = [](const std::string& text) {
    return loaded("pages: [http://a.example/]\nreload: {max_removed: " + text + "}\n")
        .config.reload_max_removed;
  };
  EXPECT_DOUBLE_EQ(loaded("pages: [http://a.example/]").config.reload_max_removed, 0.5);
  EXPECT_DOUBLE_EQ(part("100%"), 1);
  EXPECT_DOUBLE_EQ(part("2.5%"), 0.025);
  EXPECT_DOUBLE_EQ(part("0%"), 0);
  for (const std::string bad : {"0.5", "50 %", "101%", "-1%", "'%'", "half", "''", "nan%"}) {
    const Error error = refused("pages: [http://a.example/]\nreload: {max_removed: " + bad + "}\n");
    EXPECT_TRUE(contains(error.message, "test.yaml:2: reload.max_removed")) << error.message;
    EXPECT_TRUE(contains(error.message, "0% to 100%")) << error.message;
  }
}

TEST(Load, anchors_aliases_and_merge_keys_work) {
  const Config config = loaded(
                            "pages:\n"
                            "  - &news { url: http://a.example/, importance: 3, timeout: 5s,\n"
                            "            headers: &h { Accept-Language: de } }\n"
                            "  - { <<: *news, url: http://b.example/, importance: 2 }\n"
                            "  - { url: http://c.example/, headers: *h }\n")
                            .config;
  ASSERT_EQ(config.pages.size(), 3u);
  const auto settings = [&](std::size_t page) {
    return config.settings[config.pages[page].settings];
  };
  EXPECT_EQ(settings(0).importance, 3);
  EXPECT_EQ(settings(1).importance, 2);
  EXPECT_EQ(settings(1).timeout, 5s);
  EXPECT_EQ(settings(2).importance, 1);
  EXPECT_NE(settings(2).headers, 0u);
  EXPECT_EQ(settings(1).headers, settings(2).headers);
}

TEST(Load, the_database_is_known_whatever_else_is_wrong) {
  const TempFolder folder;
  const auto named = [&](const std::string& text) {
    const auto result = database_of(folder.write("p.yaml", text));
    return result.ok() ? result.value() : result.error().message;
  };
  EXPECT_EQ(named("budget: nonsense\ndatabase: x.db\npages: [not a url]\n"), folder.file("x.db"));
  EXPECT_EQ(named("budget: 1\n  pages: [\ndatabase: 'my state.db' # here\n"),
            folder.file("my state.db"));
  EXPECT_EQ(named("pages:\n\t- tab\ndatabase: x.db\n"), folder.file("x.db"));
  EXPECT_EQ(named("budget: ]"), folder.file("pollux.db"));
  EXPECT_EQ(named(""), folder.file("pollux.db"));
  EXPECT_EQ(named("database: /v/x.db\n"), "/v/x.db");
  EXPECT_TRUE(contains(named("database: [1]\n"), "p.yaml:1: 'database' is no path"));
  EXPECT_EQ(database_of(folder.file("no.yaml")).error().exit_code, ExitCode::missing_input);
}

TEST(Load, the_control_socket_is_a_path_or_none) {
  EXPECT_EQ(loaded("pages: [http://a.example/]").config.control_socket, "");
  EXPECT_EQ(loaded("control:\npages: [http://a.example/]").config.control_socket, "");
  EXPECT_EQ(loaded("control: { socket: none }\npages: [http://a.example/]").config.control_socket,
            no_control_socket);
  EXPECT_EQ(loaded("control: { socket: /run/x }\npages: [http://a.example/]").config.control_socket,
            "/run/x");
  EXPECT_TRUE(contains(refused("control: { socket: [1] }").message, "'control.socket'") ||
              contains(refused("control: { socket: [1] }").message, "'socket'"));
}

TEST(Load, the_control_socket_is_found_in_a_file_that_is_wrong_elsewhere) {
  const test::TempFolder folder;
  const auto named = [&](const std::string& text) {
    const auto result = control_socket_of(folder.write("p.yaml", text));
    return result.ok() ? result.value() : result.error().message;
  };
  EXPECT_EQ(named("budget: nonsense\ncontrol: { socket: x.socket }\n"), folder.file("x.socket"));
  EXPECT_EQ(named("control:\n  socket: /run/x\n"), "/run/x");
  EXPECT_EQ(named("budget: [\ncontrol: { socket: /run/x }\n"), "/run/x");
  EXPECT_EQ(named("control: { socket: none }\n"), "none");
  EXPECT_EQ(named("control:\n"), "");
  EXPECT_EQ(named("budget: 1\n"), "");
  EXPECT_TRUE(contains(named("control: { socket: [1] }\n"), "p.yaml:1: 'socket' is no path"));
}

TEST(Load, unknown_keys_are_refused_with_the_nearest_known_one) {
  const Error error = refused("budget: 1\nbudgit: 2\n");
  EXPECT_EQ(
      error.message,
      "test.yaml:2: unknown key 'budgit' at the top level; did you mean 'budget'? (and 1 more "
      "error; `pollux check` lists all)");
  EXPECT_EQ(error.exit_code, ExitCode::configuration);
  EXPECT_TRUE(contains(refused("hosts: {dealy: 1s}").message, "did you mean 'delay'?"));
  EXPECT_TRUE(contains(refused("hosts: {zzzzzz: 1s}").message, "known here: delay, connections"));
  EXPECT_TRUE(contains(refused("max_interval: 1h").message, "it belongs under 'defaults'"));
  EXPECT_TRUE(contains(refused("pages:\n - url: http://a.example\n   weight: 3\n").message,
                       "test.yaml:3: unknown key 'weight' of an entry in 'pages'"));
  EXPECT_TRUE(contains(refused("hosts: {overrides: {a.example: {dely: 1s}}}").message,
                       "did you mean 'delay'?"));
}

TEST(Load, values_of_the_wrong_kind_are_refused) {
  EXPECT_TRUE(contains(refused("budget: [1]").message, "test.yaml:1: 'budget' is a list"));
  EXPECT_TRUE(contains(refused("a: 1\nbudget:\n").message, "test.yaml:1: unknown key 'a'"));
  EXPECT_TRUE(contains(refused("budget:\n").message, "'budget' is empty"));
  EXPECT_TRUE(contains(refused("log: info").message, "write 'key: value'"));
  EXPECT_TRUE(contains(refused("pages: http://a.example").message, "write a list"));
  EXPECT_TRUE(contains(refused("pages: [[http://a.example]]").message, "write a URL or"));
  EXPECT_TRUE(contains(refused("pages: [~]").message, "write a URL or"));
  EXPECT_TRUE(contains(refused("pages: [{importance: 2}]").message, "add 'url: "));
  EXPECT_TRUE(contains(refused("pages: [{url: [a]}]").message, "write one URL"));
  EXPECT_TRUE(contains(refused("network: {allow: 10.0.0.0/8}").message, "write a list"));
  EXPECT_TRUE(contains(refused("just text").message, "write 'key: value'"));
  EXPECT_TRUE(contains(refused("- a\n- b").message, "write 'key: value'"));
}

TEST(Load, numbers_out_of_range_are_refused_with_file_and_line) {
  for (const std::string bad : {"budget: 0",
                                "budget: -1",
                                "budget: .nan",
                                "budget: nan",
                                "budget: 1e308",
                                "budget: .inf",
                                "budget: ''",
                                "defaults: {importance: 0}",
                                "defaults: {importance: -1}",
                                "defaults: {importance: nan}",
                                "defaults: {importance: 1e9}",
                                "defaults: {importance: 1x}",
                                "defaults: {min_interval: 5}",
                                "defaults: {max_interval: 99999999999999999d}",
                                "defaults: {max_interval: 0s}",
                                "defaults: {min_interval: 2h, max_interval: 1h}",
                                "defaults: {min_interval: -5s}",
                                "defaults: {timeout: 0s}",
                                "defaults: {timeout: 2h}",
                                "defaults: {max_body: 0}",
                                "defaults: {max_body: 99TiB}",
                                "hosts: {delay: 1}",
                                "hosts: {delay: 25h}",
                                "hosts: {connections: 0}",
                                "hosts: {connections: -1}",
                                "hosts: {connections: 1.5}",
                                "hosts: {connections: 99999999999999999999999}",
                                "fetch: {concurrency: 0}",
                                "fetch: {concurrency: -1}",
                                "fetch: {concurrency: 4097}",
                                "fetch: {concurrency: automatic}",
                                "fetch: {concurrency: [auto]}",
                                "fetch: {threads: 0}",
                                "fetch: {threads: 17}",
                                "fetch: {threads: {}}",
                                "learner: {explore: 0.6}",
                                "learner: {explore: -0.1}",
                                "learner: {explore: nan}",
                                "learner: {seed: -1}",
                                "learner: {seed: 18446744073709551616}",
                                "log: {level: loud}",
                                "log: {format: xml}",
                                "network: {allow: [300.0.0.0/8]}",
                                "network: {allow: [10.0.0.0/33]}",
                                "network: {allow: ['fd00::/129']}",
                                "network: {allow: [localhost]}",
                                "network: {allow: ['10.0.0.0/']}",
                                "defaults: {user_agent: ''}",
                                "defaults: {user_agent: \"a\\r\\nX: y\"}",
                                "hosts: {overrides: {'a b': {delay: 1s}}}",
                                "hosts: {overrides: {'http://a.example/': {delay: 1s}}}",
                                "hosts: {overrides: {A.example: {}, a.example: {}}}",
                                "database: ''"}) {
    const Error error = refused("# first line\n" + bad + "\npages: [http://a.example]\n");
    EXPECT_TRUE(error.message.starts_with("test.yaml:2: ")) << bad << " → " << error.message;
    EXPECT_EQ(error.exit_code, ExitCode::configuration);
  }
}

TEST(Load, concurrency_is_automatic_or_a_number) {
  const std::string pages = "\npages: [http://a.example]\n";
  EXPECT_EQ(loaded("log:" + pages).config.concurrency, 0u);
  EXPECT_EQ(loaded("fetch: {concurrency: auto}" + pages).config.concurrency, 0u);
  EXPECT_EQ(loaded("fetch: {concurrency: 40}" + pages).config.concurrency, 40u);
  EXPECT_TRUE(contains(refused("fetch: {concurrency: many}").message,
                       "is no whole number from 1 to 4096, nor auto"));
}

TEST(Load, the_queue_of_detection_and_the_weight_of_starvation_are_numbers) {
  const std::string pages = "\npages: [http://x.example/]\n";
  EXPECT_EQ(loaded("log:" + pages).config.fetch_queue, 256u);
  const config::Config config = loaded("fetch: {queue: 64, starvation_weight: 1.4}" + pages).config;
  EXPECT_EQ(config.fetch_queue, 64u);
  EXPECT_EQ(config.starvation_weight, 1.4);
}

TEST(Load, fetch_threads_are_automatic_or_a_number) {
  const std::string pages = "\npages: [http://a.example]\n";
  EXPECT_EQ(loaded("log:" + pages).config.fetch_threads, 0u);
  EXPECT_EQ(loaded("fetch: {threads: auto}" + pages).config.fetch_threads, 0u);
  EXPECT_EQ(loaded("fetch: {threads: 16}" + pages).config.fetch_threads, 16u);
  EXPECT_TRUE(contains(refused("fetch: {threads: all}").message,
                       "is no whole number from 1 to 16, nor auto"));
}

TEST(Load, a_page_whose_limits_contradict_the_defaults_is_refused) {
  const Error error = refused("pages:\n  - {url: http://a.example, max_interval: 1s}\n");
  EXPECT_TRUE(contains(error.message, "test.yaml:2: min_interval (5 s) is longer than"))
      << error.message;
}

TEST(Load, policies_must_be_known_and_no_oracle) {
  const LoadOptions options{.policies = policies};
  EXPECT_TRUE(
      contains(refused("learner: {policy: magic}", options).message, "write htraa or uniform"));
  EXPECT_TRUE(contains(refused("learner: {policy: optimal}", options).message, "lab only"));
}

TEST(Load, objectives_and_costs_are_for_the_learner) {
  const std::string page = "pages: [http://a.example]\n";
  const Config plain = loaded(page).config;
  EXPECT_EQ(plain.learner.objective, learn::Objective::changes);
  EXPECT_EQ(plain.learner.cost, learn::CostOptions{});
  const Config config =
      loaded(page + "learner: {objective: age, cost: {by: time, bias_removal: 0.5}}").config;
  EXPECT_EQ(config.learner.objective, learn::Objective::age);
  EXPECT_TRUE(config.learner.cost.by_time);
  EXPECT_EQ(config.learner.cost.bias_removal, 0.5);
  EXPECT_TRUE(
      contains(refused(page + "learner: {objective: fun}").message, "changes, freshness or age"));
  EXPECT_TRUE(contains(refused(page + "learner: {objective: age, policy: uniform}").message,
                       "objective of its own"));
  EXPECT_TRUE(contains(refused(page + "learner: {cost: {bias_removal: 2}}").message, "0 to 1"));
}

TEST(Load, a_list_without_pages_is_refused_with_the_cure) {
  for (const std::string text :
       {"", "budget: 1", "pages:", "pages: []", "# nothing", "---\n...\n"}) {
    EXPECT_EQ(refused(text).exit_code, ExitCode::configuration);
    EXPECT_TRUE(contains(all_errors(text).back(), "list URLs under 'pages:'")) << text;
  }
}

TEST(Load, a_missing_file_a_directory_and_garbage_have_their_exit_codes) {
  const TempFolder folder;
  const auto missing = load(folder.file("no.yaml"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().exit_code, ExitCode::missing_input);
  EXPECT_TRUE(contains(missing.error().message, "does not exist"));
  const auto directory = load(folder.string());
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.error().exit_code, ExitCode::missing_input);
  EXPECT_TRUE(contains(directory.error().message, "is a directory"));
  const auto device = load("/dev/zero");
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().exit_code, ExitCode::missing_input);
  const auto garbage = load(folder.write("g.yaml", std::string("\x7f"
                                                               "ELF\x02\x00\xff\xfe",
                                                               8)));
  ASSERT_FALSE(garbage.ok());
  EXPECT_EQ(garbage.error().exit_code, ExitCode::configuration);
}

}  // namespace
}  // namespace pollux::config
