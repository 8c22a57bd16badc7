// What would be kept of a page, on real files and a real origin.
#include "support/behaviours.hpp"
#include "support/chromium.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;
using test::Exchange;
using test::Step;

constexpr const char* release_notes =
    "<html><head><title>Release notes</title></head><body><nav>menu</nav><main><h2 id=a>One</h2>"
    "<p>Price <span class=price>99.90</span> EUR, <a href='/x'>more</a></p></main>"
    "<div class=ad>Buy!</div></body></html>";

class Try : public testing::Test {
 protected:
  test::Finished run(std::vector<std::string> words) {
    words.insert(words.begin(), "try");
    return test::Program(POLLUX_BINARY, folder_, std::move(words)).wait();
  }
  json::value run_json(std::vector<std::string> words) {
    words.emplace_back("--json");
    return json::parse(run(std::move(words)).out);
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_.file(name);
  }
  // One that may ask this machine; `more` stands below the only page, /listed.
  std::string configuration(const test::Origin& origin, const std::string& more = "") {
    return write("pollux.yaml",
                 "budget: 1\nnetwork: { allow: [\"127.0.0.1\"] }\n"
                 "rules:\n  - match: \"*/shop/*\"\n    content: { select: [\".price\"] }\n"
                 "pages:\n  - url: " +
                     origin.url("/listed") + "\n" + more);
  }
  test::TempFolder folder_;
};

TEST_F(Try, a_file_tells_what_would_be_kept_and_why) {
  const std::string file = write("page.html", release_notes);
  const test::Finished tried =
      run({"--file", file, "--select", "main", "--select", "//h2[@id]", "--remove", ".price"});
  EXPECT_EQ(tried.exit_code, 0) << tried.err;
  for (const char* said :
       {"media type   text/html", "encoding     ", "kept as      text: what a reader sees",
        "select       main: 1 node", "//h2[@id]: 1 node", "title        Release notes",
        "suspect      no", "\n  Price EUR, more </x>\n",
        "      select:\n        - 'main'\n        - '//h2[@id]'\n      remove:\n        - "
        "'.price'\n"}) {
    EXPECT_NE(tried.out.find(said), std::string::npos) << said << "\n" << tried.out;
  }
}

TEST_F(Try, json_has_these_fields_and_no_others) {
  const std::string file = write("page.html", release_notes);
  const json::value tried = run_json({"--file", file, "--select", ".price", "--select", "a"});
  std::string fields;
  for (const auto& member : tried.as_object()) fields += std::string(member.key()) + " ";
  EXPECT_EQ(fields,
            "media_type encoding as kept kept_sha256 matched masks suspect number conditions "
            "error ");
  EXPECT_EQ(tried.at("media_type"), "text/html");
  EXPECT_EQ(tried.at("as"), "text");
  EXPECT_EQ(tried.at("kept"), "99.90\nmore </x>");
  EXPECT_EQ(tried.at("kept_sha256").as_string().size(), 64u);
  EXPECT_EQ(tried.at("matched").at(1).at("selector"), "a");
  EXPECT_EQ(tried.at("matched").at(1).at("nodes").to_number<int>(), 1);
  EXPECT_TRUE(tried.at("masks").as_array().empty());
  EXPECT_TRUE(tried.at("suspect").is_null());
  EXPECT_TRUE(tried.at("error").is_null());
}

TEST_F(Try, what_matches_nothing_is_bad_data) {
  const std::string file = write("page.html", release_notes);
  const test::Finished tried = run({"--file", file, "--select", ".nothing", "--json"});
  EXPECT_EQ(tried.exit_code, 65);
  const json::value said = json::parse(tried.out);
  EXPECT_NE(said.at("error").as_string().find(".nothing"), std::string::npos);
  EXPECT_EQ(said.at("media_type"), "text/html") << "known all the same";
  EXPECT_TRUE(said.at("kept").is_null());
  EXPECT_EQ(run({"--file", file, "--select", ".nothing"}).exit_code, 65);
}

TEST_F(Try, the_type_and_the_mode_can_be_forced) {
  const std::string file = write("data", R"({"items": [{"price": 3, "id": 7}]})");
  EXPECT_EQ(run_json({"--file", file, "--type", "text/plain", "--as", "raw"}).at("as"), "raw");
  const json::value picked =
      run_json({"--file", file, "--as", "json", "--select", ".items[].price"});
  EXPECT_EQ(picked.at("kept"), "3");
  EXPECT_EQ(run_json({"--file", file, "--type", "application/json", "--select", "jq:.items[].id"})
                .at("kept"),
            "7");
  EXPECT_EQ(run_json({"--file", file, "--as", "raw", "--ignore", R"("id": \d+)"}).at("kept"),
            R"({"items": [{"price": 3, }]})");
}

TEST_F(Try, mistakes_are_usage_errors_and_missing_files_missing) {
  EXPECT_EQ(run({}).exit_code, 64);
  EXPECT_EQ(run({"--file", folder_.file("none")}).exit_code, 66);
  const std::string file = write("page.html", release_notes);
  const test::Finished hover = run({"--file", file, "--select", "a:hover"});
  EXPECT_EQ(hover.exit_code, 64);
  EXPECT_NE(hover.err.find(":hover"), std::string::npos) << hover.err;
  EXPECT_EQ(run({"--file", file, "--ignore", "("}).exit_code, 64);
  EXPECT_EQ(run({"--file", file, "--as", "music"}).exit_code, 64);
  EXPECT_EQ(run({"--file", file, "--twice"}).exit_code, 64);
  EXPECT_EQ(run({"ftp://example.org/"}).exit_code, 64);
}

TEST_F(Try, a_page_that_scripts_make_is_tried_in_a_browser) {
  POLLUX_NEEDS_CHROMIUM();
  test::Origin origin;
  origin.on("/p", test::serve::page("<p id=p></p><script>p.textContent = 'made ' + 'here'</script>",
                                    "Content-Type: text/html\r\n"));
  const std::string config = configuration(origin);
  const test::Finished plain = run({origin.url("/p"), "--config", config});
  EXPECT_EQ(plain.out.find("made here"), std::string::npos) << plain.out;
  const test::Finished rendered =
      run({origin.url("/p"), "--config", config, "--render", "--twice"});
  EXPECT_EQ(rendered.exit_code, 0) << rendered.err;
  EXPECT_NE(rendered.out.find("made here"), std::string::npos) << rendered.out;
  EXPECT_NE(rendered.out.find("      render: true"), std::string::npos) << rendered.out;
  // As its configuration says, without a word.
  const std::string of_page =
      write("rendered.yaml",
            "budget: 1\nnetwork: { allow: [\"127.0.0.1\"] }\nrender: { chromium: true "
            "}\npages:\n  - { url: \"" +
                origin.url("/p") + "\", content: { render: true } }\n");
  EXPECT_NE(run({origin.url("/p"), "--config", of_page}).out.find("made here"), std::string::npos);
}

TEST_F(Try, control_characters_do_not_reach_the_screen) {
  const std::string file = write("page.txt", "one\x1b[31m\n");
  const test::Finished tried = run({"--file", file, "--type", "text/plain"});
  EXPECT_EQ(tried.out.find('\x1b'), std::string::npos) << tried.out;
  EXPECT_NE(tried.out.find("one\\x1b[31m"), std::string::npos) << tried.out;
}

TEST_F(Try, a_private_address_is_refused_as_the_daemon_would) {
  test::Origin origin;
  origin.on("/", test::serve::page("hello"));
  const test::Finished refused = run({origin.url("/")});
  EXPECT_EQ(refused.exit_code, 74);
  EXPECT_NE(refused.err.find("--config"), std::string::npos) << refused.err;
  EXPECT_EQ(origin.requests(), 0u);
  EXPECT_NE(run_json({origin.url("/")}).at("error").as_string().find("not public"),
            std::string::npos);
}

TEST_F(Try, a_page_is_asked_for_with_its_headers_and_kept_by_its_rules) {
  test::Origin origin;
  origin.on("/listed", [](Exchange& x) -> Step {
    co_await x.respond(200, "Content-Type: text/html; charset=utf-8\r\n", release_notes);
  });
  origin.on("/shop/1", [](Exchange& x) -> Step {
    co_await x.respond(200, "Content-Type: text/html\r\n", release_notes);
  });
  const std::string config =
      configuration(origin, "    headers: { X-Colour: blue }\n    content: { select: [\"h2\"] }\n");
  const json::value listed = run_json({origin.url("/listed"), "--config", config});
  EXPECT_EQ(listed.at("kept"), "One");
  EXPECT_EQ(listed.at("encoding"), "UTF-8");
  EXPECT_EQ(origin.last_header("/listed", "x-colour"), "blue");
  EXPECT_TRUE(origin.last_header("/listed", "user-agent").starts_with("pollux/"));
  EXPECT_EQ(run_json({"listed", "--config", config}).at("kept"), "One") << "a part of its URL";
  // Not in the list: what the rules say of it.
  EXPECT_EQ(run_json({origin.url("/shop/1"), "--config", config}).at("kept"), "99.90");
  EXPECT_EQ(run_json({origin.url("/listed"), "--config", config, "--select", "nav"}).at("kept"),
            "menu");
  EXPECT_EQ(origin.requests("/robots.txt"), 0u);
}

TEST_F(Try, a_page_of_the_configuration_is_found_by_its_name_or_a_part_of_its_url) {
  test::Origin origin;
  for (const char* path : {"/listed", "/news/today", "/news/archive"})
    origin.on(path, test::serve::page(path));
  const std::string config =
      configuration(origin, "    name: Release notes\n  - " + origin.url("/news/today") + "\n  - " +
                                origin.url("/news/archive") + "\n");
  const auto kept = [&](const std::string& text) {
    return run_json({text, "--config", config}).at("kept");
  };
  EXPECT_EQ(kept("release NOTES"), "/listed");
  EXPECT_EQ(kept("News/Arch"), "/news/archive");
  EXPECT_EQ(kept(origin.url("/news/today").substr(7)), "/news/today") << "no scheme";
  const test::Finished several = run({"news/", "--config", config});
  EXPECT_EQ(several.exit_code, 64);
  EXPECT_NE(several.err.find(origin.url("/news/archive")), std::string::npos) << several.err;
  const test::Finished none = run({"no such page", "--config", config});
  EXPECT_EQ(none.exit_code, 64);
  EXPECT_NE(none.err.find("has 'no such page' in its URL or as its name"), std::string::npos)
      << none.err;
}

TEST_F(Try, redirects_are_followed_and_answers_without_content_are_not_kept) {
  test::Origin origin;
  origin.on("/listed",
            [](Exchange& x) -> Step { co_await x.respond(302, "Location: /new\r\n", ""); });
  origin.on("/new", test::serve::page("moved here"));
  origin.on("/loop",
            [](Exchange& x) -> Step { co_await x.respond(302, "Location: /loop\r\n", ""); });
  const std::string config = configuration(origin);
  const test::Finished moved = run({origin.url("/listed"), "--config", config});
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_NE(moved.out.find("redirected   1 time to " + origin.url("/new")), std::string::npos)
      << moved.out;
  EXPECT_EQ(run({origin.url("/loop"), "--config", config}).exit_code, 65);
  const test::Finished gone = run({origin.url("/none"), "--config", config});
  EXPECT_EQ(gone.exit_code, 65);
  EXPECT_NE(gone.err.find("answered 404"), std::string::npos) << gone.err;
}

TEST_F(Try, two_looks_show_the_noise_and_how_to_leave_it_out) {
  test::Origin origin;
  origin.on("/listed", [](Exchange& x) -> Step {
    const std::string token = "a81f" + std::to_string(1000 + x.nth * 37) + "bc9e44";
    co_await x.respond(200, "Content-Type: text/html\r\n",
                       "<html><body><h1>News of today</h1><p>Session token " + token +
                           " given out</p><p>End of it</p></body></html>");
  });
  const std::string config = configuration(origin);
  const json::value tried = run_json({origin.url("/listed"), "--twice", "--config", config});
  EXPECT_EQ(origin.requests("/listed"), 2u);
  ASSERT_EQ(tried.at("masks").as_array().size(), 1u) << tried;
  EXPECT_EQ(tried.at("masks").at(0).at("kind"), "hex");
  const std::string pattern(tried.at("masks").at(0).at("ignore").as_string());
  const test::Finished text = run({origin.url("/listed"), "--twice", "--config", config});
  EXPECT_NE(text.out.find("[-a81f"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("A mask would be made: hex"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("      ignore:\n        - '"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("both looks are equal."), std::string::npos) << text.out;
  // What is to be pasted does it.
  const test::Finished quiet =
      run({origin.url("/listed"), "--twice", "--config", config, "--ignore", pattern});
  EXPECT_NE(quiet.out.find("Two looks, one after the other, are equal."), std::string::npos)
      << quiet.out;
}

TEST_F(Try, lines_that_rotate_are_shown_as_what_can_be_left_out) {
  test::Origin origin;
  origin.on("/listed", [](Exchange& x) -> Step {
    const std::string ad =
        x.nth % 2 == 0 ? "Sunny holidays by the sea" : "Fresh coffee at your door";
    std::string rest;
    for (int i = 0; i < 30; ++i) rest += "<p>Paragraph " + std::to_string(i) + " stays</p>";
    co_await x.respond(
        200, "Content-Type: text/html\r\n",
        "<h1>News of today</h1><div>" + ad + "</div><p>What stands below</p>" + rest);
  });
  const std::string config = configuration(origin);
  const json::value tried = run_json({origin.url("/listed"), "--twice", "--config", config});
  ASSERT_EQ(tried.at("masks").as_array().size(), 1u) << tried;
  EXPECT_EQ(tried.at("masks").at(0).at("kind"), "lines");
  const test::Finished text = run({origin.url("/listed"), "--twice", "--config", config});
  EXPECT_NE(text.out.find("both looks are equal."), std::string::npos) << text.out;
  const test::Finished quiet =
      run({origin.url("/listed"), "--twice", "--config", config, "--ignore",
           std::string(tried.at("masks").at(0).at("ignore").as_string())});
  EXPECT_NE(quiet.out.find("are equal."), std::string::npos) << quiet.out;
}

TEST_F(Try, the_number_that_is_read_and_what_the_rules_say_of_it_are_told) {
  const std::string file = write("page.html", release_notes);
  const std::string config =
      write("pollux.yaml",
            "budget: 1\npages:\n  - url: https://shop.example/1\n    content:\n"
            "      select: [.price]\n      number: { below: 100 }\n"
            "      alert: { appears: \"sold out\" }\n      min_change: 2%\n");
  const std::vector<std::string> asked = {"https://shop.example/1", "--file", file, "--config",
                                          config};
  const test::Finished text = run(asked);
  for (const char* said :
       {"number       below 100: already true (99.9); fires when it becomes true again after being "
        "false\n",
        "alert        appears \"sold out\": not true now (it is not there); fires when it becomes "
        "true\n",
        "min_change   2 % of the words: cannot be told (nothing to compare with)\n"}) {
    EXPECT_NE(text.out.find(said), std::string::npos) << said << text.out;
  }
  const json::value tried = run_json(asked);
  EXPECT_EQ(tried.at("number").to_number<double>(), 99.9);
  ASSERT_EQ(tried.at("conditions").as_array().size(), 3u);
  EXPECT_EQ(tried.at("conditions").at(0).at("holds"), true);
  EXPECT_EQ(tried.at("conditions").at(1).at("rule"), "alert");
  EXPECT_EQ(tried.at("conditions").at(1).at("holds"), false);
  EXPECT_TRUE(tried.at("conditions").at(2).at("holds").is_null());
}

// As the daemon has it: a condition looks at what stands there.
TEST_F(Try, nothing_is_masked_where_a_condition_says_what_is_news) {
  test::Origin origin;
  origin.on("/listed", [](Exchange& x) -> Step {
    const std::string body =
        "<h1>In stock</h1><p>This page was read " + std::to_string(x.nth) + " times by people</p>";
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  const std::string config = write(
      "pollux.yaml",
      "budget: 1\nnetwork: { allow: [127.0.0.0/8] }\npages:\n  - url: " + origin.url("/listed") +
          "\n    content: { alert: { appears: sold out } }\n");
  const std::vector<std::string> asked = {origin.url("/listed"), "--twice", "--config", config};
  EXPECT_TRUE(run_json(asked).at("masks").as_array().empty());
  const test::Finished text = run(asked);
  EXPECT_NE(text.out.find("only what makes them hold is a change; nothing is masked."),
            std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("A mask would be made"), std::string::npos) << text.out;
}

TEST_F(Try, a_selector_that_matches_nothing_behind_a_login_is_told_as_a_wall) {
  test::Origin origin;
  origin.on("/listed",
            [](Exchange& x) -> Step { co_await x.respond(302, "Location: /login\r\n", ""); });
  origin.on("/login", [](Exchange& x) -> Step {
    co_await x.respond(200, "Content-Type: text/html\r\n",
                       "<title>Sign in</title><form><input type=password></form>");
  });
  const json::value tried =
      run_json({origin.url("/listed"), "--config", configuration(origin), "--select", ".price"});
  EXPECT_EQ(tried.at("suspect"), "login wall");
  EXPECT_FALSE(tried.at("error").is_null());
}

// What is pasted keeps what was shown.
TEST_F(Try, the_yaml_to_paste_is_read_as_it_was_meant) {
  const std::string html =
      write("page.html",
            "<title>T</title><main data-a=\"it's: #1\"><p class=\"50%\" lang=de>Größe: 10 €</p>"
            "<p title='say \"hi\"'>back\\slash # no comment</p><p id=x>key: value, [list] {map}</p>"
            "<p>%percent &amp; *star !bang | pipe &gt; more @at `tick`</p><p>- dash ? mark ~</p>"
            "<p>yes</p><p>tab\there null</p></main>");
  const std::string data =
      write("data.json", R"({"items": [{"a b": "it's", "n": 1}, {"a b": "#: \\ \"q\"", "n": 2}]})");
  const auto yaml_of = [](const std::string& text) {
    const std::size_t at = text.find("\npages:\n");
    return at == std::string::npos ? std::string() : text.substr(at);
  };
  int compared = 0;
  const auto expect_round = [&](const std::string& file, std::vector<std::string> rules) {
    std::vector<std::string> words = {"https://example.org/a?b=1&c=%27", "--file", file};
    const std::vector<std::string> bare = words;
    words.insert(words.end(), rules.begin(), rules.end());
    const test::Finished told = run(words);
    ASSERT_EQ(told.exit_code, 0) << rules.back() << "\n" << told.out << told.err;
    const std::string config =
        write("pasted.yaml", "budget: 1\ndatabase: a.db\n" + yaml_of(told.out));
    const test::Finished checked =
        test::Program(POLLUX_BINARY, folder_, {"check", "--config", config}).wait();
    EXPECT_EQ(checked.exit_code, 0) << checked.err << told.out;
    std::vector<std::string> again = bare;
    again.insert(again.end(), {"--config", config});
    EXPECT_EQ(run_json(again).at("kept_sha256"), run_json(words).at("kept_sha256"))
        << rules.back() << "\n"
        << told.out;
    ++compared;
  };
  for (const char* selector :
       {"[data-a=\"it's: #1\"]", ".\\35 0\\%", "p[title='say \"hi\"']", "p:nth-child(2n + 1)",
        "//p[contains(., \"#\")]", "(//p)[1]", "xpath://p[@lang='de']", "css:p, title", "p:not(#x)",
        "//p[contains(., '€')]", "xpath:string(//p[1])", "p > *, main ~ p, #x", "css:*"}) {
    expect_round(html, {"--select", selector, "--remove", "#none"});
  }
  expect_round(html, {"--remove", "p[title='say \"hi\"']", "--remove", "//p[@id='x']"});
  for (const char* pattern :
       {"back\\\\slash", "# no comment$", "key: value", "%percent", "it's|Größe", "^- dash",
        "\\d+\\s€", "[{}\\[\\],&*!|>'\"%@`]", "yes", "~", "tab\there", "a\nb|null", " value",
        "(?i)GRÖSSE|größe", "\xC2\xA0|\xE2\x80\xA8|\xF0\x9F\x98\x80", "\\x{20ac}", "!"}) {
    expect_round(html, {"--ignore", pattern});
  }
  for (const char* filter : {".items[] | .[\"a b\"]", "jq:.items | map(select(.n > 1))",
                             "jq:.items[] | \"\\(.n): #\"", "jq:# all\n.items"}) {
    expect_round(data, {"--type", "application/json", "--as", "json", "--select", filter});
  }
  expect_round(data, {"--as", "json", "--remove", ".items[0]"});
  EXPECT_EQ(compared, 36);
}

}  // namespace
}  // namespace pollux::cli
