#include "imported.hpp"

namespace pollux::import {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;
using extract::Alert;
using extract::Selector;
using Language = Selector::Language;

// A file with one watch, whose fields are these, in line 3.
Imported watch(const std::string& fields) {
  return imported("{\n \"watching\": {\n  \"u-1\": {\"url\": \"https://a.example/\"" +
                      (fields.empty() ? "" : ", " + fields) + "}\n }\n}\n",
                  Format::automatic, "url-watches.json");
}
Page page_with(const std::string& fields) {
  const Imported list = watch(fields);
  EXPECT_EQ(list.pages.size(), 1u) << fields << all_of(list.left_out);
  if (list.pages.size() != 1) return {};
  expect_same_when_loaded(list);
  return list.pages.front();
}

TEST(ImportChangedetection, takes_watches_with_their_tags_and_settings) {
  const Imported list = imported(R"({
  "note": "written by hand",
  "watching": {
    "0c2f": {
      "url": "https://shop.example/a",
      "title": "Offer A",
      "tags": ["t1", "t2", "gone"],
      "time_between_check": {"weeks": null, "days": null, "hours": 6, "minutes": "30"},
      "paused": false
    },
    "7d11": { "url": "https://shop.example/b", "tag": "old, older", "paused": true },
    "7d12": { "url": "https://shop.example/c", "tag": "old, older" }
  },
  "settings": {
    "headers": { "Accept-Language": "de" },
    "requests": { "time_between_check": {"hours": 3} },
    "application": {
      "global_ignore_text": ["cookies"],
      "global_subtractive_selectors": ["footer"],
      "notification_urls": ["discord://1234/t0ken"],
      "tags": {
        "t1": {"title": "prices", "overrides_watch": true, "include_filters": [".price"]},
        "t2": {"title": "shop", "overrides_watch": false, "include_filters": ["h1"]}
      }
    }
  }
})");
  EXPECT_EQ(list.format, Format::changedetection);
  ASSERT_EQ(urls_of(list), (Texts{"https://shop.example/a", "https://shop.example/c"}));
  const Page& page = list.pages[0];
  EXPECT_EQ(page.name, "Offer A");
  EXPECT_EQ(page.tags, (Texts{"prices", "shop"}));
  EXPECT_EQ(page.max_interval, 6h + 30min);
  EXPECT_EQ(page.content.select, (std::vector<Selector>{{Language::css, ".price"}}));
  EXPECT_EQ(page.content.remove, (std::vector<Selector>{{Language::css, "footer"}}));
  EXPECT_EQ(page.content.ignore_lines, Texts{"(?i)cookies"});
  ASSERT_EQ(page.headers.size(), 1u);
  EXPECT_EQ(page.headers[0].value, "de");
  EXPECT_EQ(list.pages[1].tags, (Texts{"old", "older"}));
  EXPECT_TRUE(has_note(list.left_out, 11, "it is paused there")) << all_of(list.left_out);
  EXPECT_TRUE(has_note(list.left_out, 0, "every 3 h"));
  ASSERT_EQ(list.notifications.size(), 1u);
  EXPECT_EQ(list.notifications[0].service, "discord");
  EXPECT_EQ(list.notifications[0].pages, 0u);
  EXPECT_FALSE(contains(all_of(list.left_out) + all_of(list.changed), "t0ken"));
  expect_same_when_loaded(list);
}

TEST(ImportChangedetection, the_newer_folder_has_a_file_for_each) {
  const std::vector<File> files = {
      {"changedetection.json", R"({"settings": {"application": {"tags": {}}}})"},
      {"aaaa/watch.json",
       "{\n  \"uuid\": \"aaaa\",\n  \"url\": \"https://a.example/\", \"tags\": "
       "[\"tttt\"]}"},
      {"bbbb/watch.json", "{ broken"},
      {"cccc/watch.json", R"({"url": "no url"})"},
      {"tttt/tag.json", R"({"title": "From a file", "uuid": "tttt"})"}};
  const Result<Imported> list = import_files(files, Format::changedetection);
  ASSERT_TRUE(list.ok());
  ASSERT_EQ(list->pages.size(), 1u);
  EXPECT_EQ(list->pages[0].tags, Texts{"From a file"});
  EXPECT_EQ(list->left_out.count, 2u) << all_of(list->left_out);
  EXPECT_EQ(list->left_out.kept[0].file, "bbbb/watch.json");
}

TEST(ImportChangedetection, include_filters_select) {
  const Page page = page_with(
      R"x("include_filters": ["main .x", "xpath://h2", "/html/body/p", "xpath1:string(//h1)"])x");
  EXPECT_EQ(page.content.select, (std::vector<Selector>{{Language::css, "main .x"},
                                                        {Language::xpath, "//h2"},
                                                        {Language::xpath, "/html/body/p"},
                                                        {Language::xpath, "string(//h1)"}}));
  EXPECT_EQ(page_with(R"("css_filter": "#price")").content.select,
            (std::vector<Selector>{{Language::css, "#price"}}));
}

TEST(ImportChangedetection, include_filters_ask_json) {
  EXPECT_EQ(kept(page_with(R"("include_filters": ["jq:.a[].n"])").content,
                 R"({"a":[{"n":1},{"n":2}]})", "application/json"),
            "1\n2\n");
  EXPECT_EQ(kept(page_with(R"("include_filters": ["json:$.a[*].n"])").content,
                 R"({"a":[{"n":1},{"n":2}]})", "application/json"),
            "1\n2\n");
  const Imported list = watch(R"("include_filters": ["json:$.a[?(@.n>1)]"])");
  EXPECT_TRUE(has_note(list.left_out, 3, "write it for jq")) << all_of(list.left_out);
}

TEST(ImportChangedetection, what_does_not_compile_is_named_and_the_rest_stays) {
  const Imported list =
      watch(R"("include_filters": ["p:nonsense(", "h2"], "ignore_text": ["/a(?=b)/", "c"])");
  ASSERT_EQ(list.pages.size(), 1u);
  EXPECT_EQ(list.pages[0].content.select, (std::vector<Selector>{{Language::css, "h2"}}));
  EXPECT_EQ(list.pages[0].content.ignore_lines, Texts{"(?i)c"});
  EXPECT_EQ(list.left_out.count, 2u) << all_of(list.left_out);
  expect_same_when_loaded(list);
}

TEST(ImportChangedetection, subtractive_selectors_remove) {
  EXPECT_EQ(kept(page_with(R"("subtractive_selectors": ["nav", "//footer"])").content,
                 "<nav>n</nav><p>text</p><footer>f</footer>"),
            "text\n");
}

TEST(ImportChangedetection, ignore_text_drops_lines_whatever_their_case) {
  const Page page = page_with(R"("ignore_text": ["Views: (", "/^\\d+ online/", "/Exact/u"])");
  EXPECT_EQ(
      kept(page.content, "<p>a</p><p>views: (3)</p><p>12 ONLINE now</p><p>exact</p><p>Exact</p>"),
      "a\nexact\n");
  const Imported over_lines = watch(R"("ignore_text": ["/a.b/s"])");
  EXPECT_EQ(over_lines.pages[0].content.ignore, Texts{"(?s)a.b"});
  EXPECT_TRUE(has_note(over_lines.changed, 3, "what matches is dropped"));
}

TEST(ImportChangedetection, extract_text_keeps_lines) {
  const Imported list = watch(R"("extract_text": ["/price \\d+/", "in stock"])");
  EXPECT_EQ(kept(list.pages[0].content, "<p>Price 5</p><p>x</p><p>In Stock</p>"),
            "Price 5\nIn Stock\n");
  EXPECT_TRUE(has_note(list.changed, 3, "whole lines are kept"));
}

TEST(ImportChangedetection, triggers_become_alerts) {
  const Imported appears = watch(R"("trigger_text": ["sold out", "/gone \\w+/"])");
  ASSERT_TRUE(appears.pages[0].content.alert);
  EXPECT_EQ(*appears.pages[0].content.alert,
            (Alert{Alert::When::appears, R"((?:(?i)sold out)|(?:(?i)gone [\pL\pN_]+))"}));
  EXPECT_TRUE(has_note(appears.changed, 3, "it is told when it appears"));
  const Page leaves = page_with(R"("text_should_not_be_present": ["out of stock"])");
  EXPECT_EQ(*leaves.content.alert, (Alert{Alert::When::disappears, "(?i)out of stock"}));
  const Imported both = watch(R"("trigger_text": ["a"], "text_should_not_be_present": ["b"])");
  EXPECT_TRUE(has_note(both.left_out, 3, "there is one alert a page"));
}

TEST(ImportChangedetection, the_order_of_lines_and_repeated_ones_may_not_count) {
  const Page page =
      page_with(R"("sort_text_alphabetically": true, "remove_duplicate_lines": true)");
  EXPECT_EQ(kept(page.content, "<p>b</p><p>a</p><p>b</p>"), "a\nb\n");
}

TEST(ImportChangedetection, source_watches_the_markup) {
  const Imported list = imported(R"({"watching": {"u": {"url": "source:https://a.example/"}}})");
  ASSERT_EQ(urls_of(list), Texts{"https://a.example/"});
  EXPECT_EQ(list.pages[0].content.as, extract::As::html);
}

TEST(ImportChangedetection, headers_are_taken_and_secrets_kept_apart) {
  const Imported list = watch(R"("headers": {"Cookie": "sid=1", "X-A": "b", "User-Agent": "me"})");
  ASSERT_EQ(list.pages.size(), 1u);
  EXPECT_EQ(list.pages[0].user_agent, "me");
  ASSERT_EQ(secrets_of(list).size(), 1u);
  EXPECT_EQ(secrets_of(list)[0].value, "sid=1");
  EXPECT_FALSE(contains(pages_yaml(list, {}, ""), "sid"));
  EXPECT_TRUE(contains(pages_yaml(list, {}, ""), "'X-A': 'b'"));
  expect_same_when_loaded(list);
}

TEST(ImportChangedetection, what_has_no_counterpart_is_named) {
  const Imported list =
      watch(R"("fetch_backend": "html_webdriver", "processor": "restock_diff", "proxy": "p",)"
            R"( "browser_steps": [{"operation": "click"}], "filter_text_removed": false,)"
            R"( "check_unique_lines": true, "time_schedule_limit": {"enabled": true},)"
            R"( "webdriver_delay": 3, "conditions": [], "body": null, "method": "GET")");
  ASSERT_EQ(list.pages.size(), 1u);
  EXPECT_TRUE(has_note(list.changed, 3, "fetch_backend: it is fetched without a browser"));
  EXPECT_TRUE(has_note(list.changed, 3, "processor restock_diff"));
  for (const char* field : {"proxy:", "browser_steps:", "filter_text_removed:",
                            "check_unique_lines:", "time_schedule_limit:", "webdriver_delay:"})
    EXPECT_TRUE(has_note(list.left_out, 3, field)) << field;
  EXPECT_EQ(list.left_out.count, 6u) << all_of(list.left_out);
}

TEST(ImportChangedetection, what_is_not_asked_for_by_get_is_left_out) {
  const Imported list = watch(R"("method": "POST", "body": "a=b")");
  EXPECT_TRUE(list.pages.empty());
  EXPECT_TRUE(has_note(list.left_out, 3, "method POST"));
  EXPECT_TRUE(
      imported(R"({"watching": {"u": {"url": "https://a.example/{{ now }}"}}})").pages.empty());
}

TEST(ImportChangedetection, notification_urls_are_counted_and_never_told) {
  const Imported list = imported(
      R"({"watching": {"u": {"url": "https://a.example/", "notification_urls": ["tgram://9:tok/1", "mailto://u:pw@b.example"]},
          "v": {"url": "https://b.example/", "notification_urls": ["tgram://9:tok/1"]}}})");
  ASSERT_EQ(list.notifications.size(), 2u);
  EXPECT_EQ(list.notifications[0].pages, 2u);
  EXPECT_EQ(list.notifications[1].service, "mailto");
  EXPECT_FALSE(contains(all_of(list.changed) + all_of(list.left_out), "tok"));
  EXPECT_FALSE(contains(pages_yaml(list, {}, ""), "tok"));
}

TEST(ImportChangedetection, what_is_none_is_refused_with_its_line) {
  EXPECT_TRUE(contains(refused("{\n\"watching\": {\n  oops", Format::changedetection).message,
                       "list:3: no JSON"));
  EXPECT_TRUE(contains(refused("[]", Format::changedetection).message, "no object"));
  EXPECT_TRUE(contains(refused("{}", Format::changedetection).message, "no watches in it"));
  EXPECT_FALSE(refused("{\"watching\":{}} x", Format::changedetection).message.empty());
}

}  // namespace
}  // namespace pollux::import
