#include "loaded.hpp"
#include "pollux/extract/extract.hpp"

#include <algorithm>
#include <filesystem>

namespace pollux::config {
namespace {

using extract::Alert;
using extract::As;
using extract::MinChange;
using extract::Number;
using extract::Rules;
using extract::Selector;
using Language = extract::Selector::Language;

const Rules& rules_of_page(const Config& config, std::size_t page) {
  return extract::rules_of(
      *config.contents.at(config.settings[config.pages.at(page).settings].content));
}

// The rules of one page that says this.
Rules rules_for(const std::string& content) {
  const Loaded read = loaded("pages:\n - url: http://a.example/\n   content: " + content + "\n");
  return read.config.pages.empty() ? Rules{} : rules_of_page(read.config, 0);
}

std::string refusal_of(const std::string& content) {
  return refused("pages:\n - url: http://a.example/\n   content: " + content + "\n").message;
}

std::vector<std::string> texts(const std::vector<Selector>& selectors) {
  std::vector<std::string> out;
  for (const Selector& selector : selectors) out.push_back(selector.text);
  return out;
}

using Texts = std::vector<std::string>;

TEST(Content, pages_that_say_nothing_have_the_rules_of_the_defaults) {
  const Config plain = loaded("pages: [http://a.example/]").config;
  ASSERT_EQ(plain.contents.size(), 1u);
  EXPECT_EQ(rules_of_page(plain, 0), Rules{});
  const Config config =
      loaded("defaults: { content: { as: text, remove: [.ad] } }\npages: [http://a.example/]")
          .config;
  ASSERT_EQ(config.contents.size(), 1u);
  EXPECT_EQ(rules_of_page(config, 0).as, As::text);
  EXPECT_EQ(texts(rules_of_page(config, 0).remove), Texts{".ad"});
}

// One line in the defaults takes footers off pages, whatever else is in the list.
TEST(Content, what_the_defaults_remove_is_passed_over_where_there_is_no_markup) {
  const Config config = loaded(R"(
defaults: { content: { remove: [footer, { css: .ad }, "//time"] } }
pages:
  - url: http://a.example/1
  - { url: http://a.example/2, content: { as: json } }
  - { url: http://a.example/3, content: { as: feed } }
  - { url: http://a.example/4, content: { as: raw } }
)")
                            .config;
  EXPECT_EQ(texts(rules_of_page(config, 0).remove), (Texts{"footer", ".ad", "//time"}));
  for (const std::size_t page : {1u, 2u, 3u})
    EXPECT_EQ(texts(rules_of_page(config, page).remove), Texts{}) << page;
  EXPECT_NE(refusal_of("{ as: json, remove: [{ css: footer }] }").find("takes jq"),
            std::string::npos)
      << "what the page says itself is a mistake";
}

TEST(Content, every_key_of_it_is_read) {
  const Rules rules = rules_for(R"({ as: text, select: ["main article", "//h2[@id]"],
     remove: [".ad", time, "#related"], ignore: ["updated \\d+ (minutes|hours) ago"],
     ignore_lines: ["^Views:"], keep_lines: [a, b], min_change: 2%, alert: { appears: "sold out" },
     number: { below: 100 }, pipe: [cat, "-"], sort_lines: true, unique_lines: true })");
  Rules wanted;
  wanted.as = As::text;
  wanted.select = {{Language::css, "main article"}, {Language::xpath, "//h2[@id]"}};
  wanted.remove = {{Language::css, ".ad"}, {Language::css, "time"}, {Language::css, "#related"}};
  wanted.ignore = {"updated \\d+ (minutes|hours) ago"};
  wanted.ignore_lines = {"^Views:"};
  wanted.keep_lines = {"a", "b"};
  wanted.min_change = MinChange{MinChange::Unit::words_percent, 2};
  wanted.alert = Alert{Alert::When::appears, "sold out"};
  wanted.number = Number{Number::When::below, {100, false}};
  wanted.pipe = {"cat", "-"};
  wanted.sort_lines = true;
  wanted.unique_lines = true;
  EXPECT_EQ(rules, wanted);
  EXPECT_NE(extract::fingerprint(rules), extract::fingerprint({}));
}

TEST(Content, amounts_are_read_as_people_write_them) {
  EXPECT_EQ(rules_for("{ min_change: 3 lines }").min_change,
            (MinChange{MinChange::Unit::lines, 3}));
  EXPECT_EQ(rules_for("{ min_change: 1 line }").min_change, (MinChange{MinChange::Unit::lines, 1}));
  EXPECT_EQ(rules_for("{ min_change: 0.5% }").min_change,
            (MinChange{MinChange::Unit::words_percent, 0.5}));
  EXPECT_EQ(rules_for("{ number: { changes_by: 5 } }").number,
            (Number{Number::When::changes_by, {5, false}}));
  EXPECT_EQ(rules_for("{ number: { changes_by: 2.5% } }").number,
            (Number{Number::When::changes_by, {2.5, true}}));
  EXPECT_EQ(rules_for("{ number: { above: -3.5 } }").number,
            (Number{Number::When::above, {-3.5, false}}));
  EXPECT_EQ(rules_for("{ alert: { disappears: in stock } }").alert,
            (Alert{Alert::When::disappears, "in stock"}));
  for (const char* bad : {"{ min_change: 2 }", "{ min_change: 101% }", "{ min_change: -1% }",
                          "{ min_change: 1.5 lines }", "{ min_change: lines }",
                          "{ min_change: nan% }", "{ min_change: [2%] }"}) {
    EXPECT_TRUE(contains(refusal_of(bad), "write a part of the words as 2%, or \"3 lines\""))
        << bad;
  }
  for (const char* bad : {"5 %", "-5", "0", "x", "[5]", "inf", "1e99"}) {
    EXPECT_TRUE(contains(refusal_of(std::string("{ number: { changes_by: ") + bad + " } }"),
                         "test.yaml:3: content.number.changes_by"))
        << bad;
  }
  EXPECT_TRUE(contains(refusal_of("{ number: { below: 5% } }"),
                       "content.number.below: '5%' does not do; write a number"));
}

TEST(Content, a_bare_selector_is_xpath_jq_or_css_by_its_start_and_by_as) {
  EXPECT_EQ(
      rules_for("{ select: [h2, /html/body, '(//h2)[1]'] }").select,
      (std::vector<Selector>{
          {Language::css, "h2"}, {Language::xpath, "/html/body"}, {Language::xpath, "(//h2)[1]"}}));
  EXPECT_EQ(rules_for("{ as: json, select: .price }").select,
            (std::vector<Selector>{{Language::jq, ".price"}}));
  EXPECT_EQ(rules_for("{ as: html, select: .price }").select,
            (std::vector<Selector>{{Language::css, ".price"}}));
  EXPECT_EQ(rules_for("{ select: { jq: .price } }").select,
            (std::vector<Selector>{{Language::jq, ".price"}}));
  EXPECT_EQ(rules_for("{ select: [{ xpath: h2 }, { css: h3 }] }").select,
            (std::vector<Selector>{{Language::xpath, "h2"}, {Language::css, "h3"}}));
}

TEST(Content, what_a_bare_selector_is_goes_by_the_as_that_counts_in_the_end) {
  const Config config = loaded(R"(
rules:
  - match: "http://a.example/*"
    content: { select: [.price] }
pages:
  - { url: http://a.example/1, content: { as: json } }
  - http://a.example/2
)")
                            .config;
  EXPECT_EQ(rules_of_page(config, 0).select.at(0).language, Language::jq);
  EXPECT_EQ(rules_of_page(config, 1).select.at(0).language, Language::css);
}

TEST(Content, a_page_is_stronger_than_rules_and_the_first_rule_stronger_than_the_next) {
  const Config config = loaded(R"(
defaults:
  content: { as: html, min_change: 1%, select: [d] }
rules:
  - match: "*/shop/*"
    content: { as: text, number: { below: 1 } }
  - tag: prices
    content: { as: json, number: { below: 2 }, min_change: 2%, alert: { appears: x } }
pages:
  - { url: http://a.example/shop/, tags: prices, content: { alert: { appears: y } } }
  - { url: http://a.example/else, tags: [other, prices], content: { as: text } }
  - http://a.example/shop/more
)")
                            .config;
  const Rules& first = rules_of_page(config, 0);
  EXPECT_EQ(first.as, As::text) << "the earlier rule";
  EXPECT_EQ(first.number->amount.value, 1);
  EXPECT_EQ(first.min_change->value, 2) << "the later rule, stronger than the defaults";
  EXPECT_EQ(first.alert->pattern, "y") << "the page itself";
  EXPECT_EQ(texts(first.select), Texts{"d"}) << "the defaults";
  EXPECT_EQ(rules_of_page(config, 1).number->amount.value, 2);
  EXPECT_EQ(rules_of_page(config, 1).as, As::text);
  EXPECT_EQ(rules_of_page(config, 2).number->amount.value, 1);
  EXPECT_EQ(rules_of_page(config, 2).min_change->value, 1);
}

TEST(Content, lists_replace_unless_they_are_written_with_a_plus) {
  const Config config = loaded(R"(
defaults:
  content: { select: [a], remove: [b], ignore: [c], ignore_lines: [d], keep_lines: [e] }
rules:
  - match: "*strong*"
    content: { +select: [s], remove: [t], +keep_lines: [u] }
  - match: "*"
    content: { +select: [w], +remove: [x], +ignore: [y], +ignore_lines: [z] }
pages:
  - url: http://a.example/strong
    content: { +select: [p1, p2], ignore: [p3], +remove: [p4] }
  - url: http://a.example/weak
    content: { select: [] }
  - http://a.example/strong/plain
)")
                            .config;
  const Rules& strong = rules_of_page(config, 0);
  EXPECT_EQ(texts(strong.select), (Texts{"a", "w", "s", "p1", "p2"}));
  EXPECT_EQ(texts(strong.remove), (Texts{"t", "p4"}));
  EXPECT_EQ(strong.ignore, Texts{"p3"});
  EXPECT_EQ(strong.ignore_lines, (Texts{"d", "z"}));
  EXPECT_EQ(strong.keep_lines, (Texts{"e", "u"}));
  EXPECT_TRUE(rules_of_page(config, 1).select.empty()) << "an empty list takes back";
  EXPECT_EQ(texts(rules_of_page(config, 1).remove), (Texts{"b", "x"}));
  EXPECT_EQ(texts(rules_of_page(config, 2).select), (Texts{"a", "w", "s"}));
}

TEST(Content, an_empty_value_takes_back_what_a_weaker_one_says) {
  const Config config = loaded(R"(
defaults:
  content: { min_change: 2%, alert: { appears: x }, number: { below: 1 }, pipe: [cat] }
pages:
  - { url: http://a.example/, content: { min_change: , alert: {}, number: , pipe: [] } }
  - { url: http://b.example/, content: }
)")
                            .config;
  EXPECT_EQ(rules_of_page(config, 0), Rules{});
  EXPECT_EQ(rules_of_page(config, 1).alert->pattern, "x");
}

TEST(Content, a_rendered_page_needs_a_browser_and_the_error_says_how_to_get_one) {
  const auto read = load_text(
      "budget: 1\npages:\n  - { url: http://a.example/, content: { render: true } }\n", "p.yaml");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().exit_code, ExitCode::configuration);
  EXPECT_EQ(
      read.error().message,
      "p.yaml:3: render: there is no browser; write 'render: { chromium: true }' at the top "
      "level of the configuration and install chromium-headless-shell, or name an agent that has "
      "one under access_points");
  for (const char* where : {"defaults:\n  content: { render: true }\n",
                            "rules:\n  - { match: '*', content: { render: true } }\n"}) {
    const auto of_all =
        load_text("budget: 1\n" + std::string(where) + "pages: [http://a.example/]\n", "p.yaml");
    ASSERT_FALSE(of_all.ok());
    EXPECT_TRUE(of_all.error().message.starts_with("p.yaml:3: render: there is no browser"))
        << of_all.error().message;
  }
}

TEST(Content, a_page_is_rendered_where_it_says_so_or_a_weaker_layer_does) {
  const Config config = loaded(R"(
render: { chromium: true, pages: 3, price: 7, wait: 2s, memory: 512MiB, refused_addresses: skip }
rules:
  - { match: "http://b.example/*", content: { render: true } }
pages:
  - { url: http://a.example/, content: { render: true } }
  - http://b.example/
  - { url: http://b.example/plain, content: { render: false } }
  - http://c.example/
)")
                            .config;
  EXPECT_TRUE(rules_of_page(config, 0).render);
  EXPECT_TRUE(rules_of_page(config, 1).render);
  EXPECT_FALSE(rules_of_page(config, 2).render);
  EXPECT_FALSE(rules_of_page(config, 3).render);
  EXPECT_NE(extract::fingerprint(rules_of_page(config, 0)), extract::fingerprint({}));
  EXPECT_EQ(config.render.pages, 3u);
  EXPECT_EQ(config.render.price, 7);
  EXPECT_EQ(config.render.wait, Duration(std::chrono::seconds(2)));
  EXPECT_EQ(config.render.memory, 512u << 20);
  EXPECT_EQ(config.render.refused_addresses, render::Refused::skip);
}

// Whether an agent renders is known when it says so.
TEST(Content, a_rendered_page_needs_no_browser_here_where_there_are_agents) {
  const std::string text =
      "nats: { servers: ['tls://n.example:4222'] }\n"
      "access_points: [{ name: far, agent: far-1 }, { name: p, proxy: 'http://127.0.0.1:8080' }]\n"
      "pages: [{ url: http://a.example/, content: { render: true } }]\n";
  EXPECT_TRUE(rules_of_page(loaded("budget: 1\n" + text).config, 0).render);
  const auto with_own = load_text("budget: 1\nrender: { chromium: true }\n" + text, "p.yaml");
  ASSERT_FALSE(with_own.ok()) << "its own would go round the proxy";
}

TEST(Content, a_rendered_page_does_not_pass_by_a_proxy_unseen) {
  for (const char* proxied : {"network: { proxy: 'http://127.0.0.1:8080' }\n",
                              "access_points: [{ name: a, proxy: 'http://127.0.0.1:8080' }]\n"}) {
    const auto read =
        load_text("budget: 1\nrender: { chromium: true }\n" + std::string(proxied) +
                      "pages: [{ url: http://a.example/, content: { render: true } }]\n",
                  "p.yaml");
    ASSERT_FALSE(read.ok());
    EXPECT_NE(
        read.error().message.find("p.yaml:4: render: a rendered page would pass by the proxy"),
        std::string::npos)
        << read.error().message;
  }
}

TEST(Content, a_program_may_lie_beside_the_file) {
  const TempFolder folder;
  const std::string program = folder.write("mine.sh", "#!/bin/sh\ncat\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto read = load(folder.write(
      "p.yaml",
      "budget: 1\npages: [{ url: http://a.example/, content: { pipe: [./mine.sh, ./x] } }]\n"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const std::vector<std::string>& pipe = rules_of_page(read->config, 0).pipe;
  ASSERT_EQ(pipe.size(), 2u);
  EXPECT_TRUE(std::filesystem::equivalent(pipe[0], program)) << pipe[0];
  EXPECT_TRUE(pipe[0].starts_with('/')) << pipe[0];
  EXPECT_EQ(pipe[1], "./x") << "arguments are the program's";
}

TEST(Content, each_rule_of_a_page_is_told_with_where_it_is_written) {
  const auto told = [](const std::string& url) {
    std::vector<std::string> all;
    for (const ContentSource& source : loaded(R"(budget: 1
defaults:
  content: { as: text, ignore: [a, b] }
rules:
  - match: "http://a.example/*"
    content: { +ignore: [c], number: { below: 100 } }
  - tag: prices
    content: { select: [".price"] }
pages:
  - url: http://a.example/1
    tags: [prices]
    content:
      min_change: 2%
      +select: [{ xpath: "//h2" }]
  - http://b.example/
)",
                                              {.told = url})
                                           .content_sources)
      all.push_back(source.rule + " | " + source.where);
    return all;
  };
  EXPECT_EQ(told("http://a.example/1"),
            (Texts{"as: text | defaults, test.yaml:3",
                   "select: ['.price'] | the rule for the tag prices, test.yaml:8",
                   "select: [{ xpath: '//h2' }] | the page, test.yaml:14",
                   "ignore: ['a', 'b'] | defaults, test.yaml:3",
                   "ignore: ['c'] | the rule for http://a.example/*, test.yaml:6",
                   "min_change: 2% | the page, test.yaml:13",
                   "number: { below: 100 } | the rule for http://a.example/*, test.yaml:6"}));
  EXPECT_EQ(told("http://b.example/"), (Texts{"as: text | defaults, test.yaml:3",
                                              "ignore: ['a', 'b'] | defaults, test.yaml:3"}));
  EXPECT_TRUE(told("").empty());
}

TEST(Content, equal_rules_are_kept_once) {
  const Config config = loaded(R"(
defaults: { content: { as: text } }
rules:
  - match: "*/r/*"
    content: { select: [h1] }
pages:
  - { url: http://a.example/1, content: { select: [h1] } }
  - { url: http://a.example/2, content: { select: [{ css: h1 }] } }
  - { url: http://a.example/r/3, content: { as: text } }
  - { url: http://a.example/4, content: { as: text } }
  - http://a.example/r/5
  - http://a.example/r/6
)")
                            .config;
  EXPECT_EQ(config.contents.size(), 2u);
  EXPECT_EQ(config.settings.size(), 2u);
  EXPECT_EQ(config.pages[3].settings, 0u) << "the same as the defaults";
  for (const std::size_t page : {0, 1, 2, 4, 5}) EXPECT_EQ(config.pages[page].settings, 1u);
}

TEST(Content, rules_reach_the_pages_of_a_pages_file_on_either_way) {
  const TempFolder folder;
  for (const char* name : {"u.txt", "u.yaml"}) {
    const bool lines = std::string_view(name).ends_with("txt");
    folder.write(name, lines ? "http://a.example/x\nhttp://b.example/\n"
                             : "- http://a.example/x\n- { url: http://b.example/, tags: t }\n");
    const auto read = load(folder.write("p.yaml", std::string("budget: 1\npages_file: ") + name +
                                                      "\nrules:\n - match: '*a.example*'\n   "
                                                      "content: { as: raw }\n"));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(rules_of_page(read->config, 0).as, As::raw);
    EXPECT_EQ(rules_of_page(read->config, 1).as, As::automatic);
  }
}

TEST(Content, a_glob_covers_the_normalised_url) {
  const Config config = loaded(R"(
rules:
  - match: "http://a.example/?/*"
    content: { as: raw }
pages: ["HTTP://A.example:80/x/y#z", http://a.example/xy/z]
)")
                            .config;
  EXPECT_EQ(rules_of_page(config, 0).as, As::raw);
  EXPECT_EQ(rules_of_page(config, 1).as, As::automatic);
}

TEST(Content, a_rule_that_fits_no_page_gives_a_warning) {
  const Loaded read = loaded(R"(budget: 1/d
rules:
  - match: "shop.example/*"
    content: { as: raw }
  - tag: relaeses
    content: { as: raw }
  - tag: releases
    content: { as: raw }
pages:
  - { url: "http://shop.example/", tags: [releases] }
)");
  std::vector<std::string> messages;
  for (const Warning& warning : read.warnings) {
    if (contains(warning.message, "no page matches")) messages.push_back(warning.message);
  }
  EXPECT_EQ(
      messages,
      (Texts{"test.yaml:3: rules: no page matches 'shop.example/*'; is it misspelt? A pattern "
             "covers the whole URL, for example https://example.org/*",
             "test.yaml:5: rules: no page matches the tag 'relaeses'; is it misspelt?"}));
}

TEST(Content, pages_of_a_long_list_share_what_rules_make_of_them) {
  std::string text = "budget: unlimited\nrules:\n";
  for (const char* part : {"1", "2", "3"}) {
    text += std::string(" - match: '*/") + part + "*'\n   content: { +ignore: ['" + part + "'] }\n";
  }
  const TempFolder folder;
  std::string list;
  for (int i = 0; i < 20'000; ++i) list += "http://a.example/" + std::to_string(i) + "\n";
  folder.write("u.txt", list);
  const auto read = load(folder.write("p.yaml", text + "pages_file: u.txt\n"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->config.pages.size(), 20'000u);
  EXPECT_EQ(read->config.contents.size(), 4u);
  EXPECT_EQ(read->config.settings.size(), 4u);
}

TEST(Content, a_page_that_is_not_listed_gets_what_the_rules_say_of_it) {
  const std::string text =
      "budget: 1\nrules:\n - match: \"*/shop/*\"\n   content: { select: [.price] }\n"
      "pages: [http://a.example/]\n";
  const auto read = [&](const std::string& also) {
    LoadOptions options;
    options.also = also;
    return load_text(text, "pollux.yaml", options);
  };
  const Result<Loaded> more = read("http://a.example/shop/1");
  ASSERT_TRUE(more.ok()) << more.error().message;
  ASSERT_EQ(more->config.pages.size(), 2u);
  EXPECT_EQ(more->config.pages[1].url, "http://a.example/shop/1");
  EXPECT_EQ(texts(rules_of_page(more->config, 1).select), Texts{".price"});
  const Result<Loaded> same = read("http://a.example/");
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->config.pages.size(), 1u) << "it is there already";
}

}  // namespace
}  // namespace pollux::config
