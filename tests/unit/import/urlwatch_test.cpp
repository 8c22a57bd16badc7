#include "imported.hpp"

namespace pollux::import {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;
using extract::As;
using extract::Rules;
using extract::Selector;
using Language = Selector::Language;

const std::string sample =
    "<html><head><title>Shop</title></head><body>\n"
    "<div id=\"top\" class=\"nav bar\">Home</div>\n"
    "<div class=\"news\"><h2>One</h2><p class=\"ad\">Buy!</p><p>Price 10 EUR</p></div>\n"
    "<div class=\"news\"><h2>Two</h2><p>Price 20 USD</p></div>\n"
    "<p style=\"color:red\">Visits 4711</p>\n</body></html>\n";

// The one page of a job with these filters, line 2 on.
Imported job(const std::string& filters) {
  return imported("url: https://a.example/\nfilter:\n" + filters, Format::urlwatch);
}
Rules rules_for(const std::string& filters) {
  const Imported list = job(filters);
  EXPECT_EQ(list.pages.size(), 1u) << filters;
  if (list.pages.size() != 1) return {};
  expect_same_when_loaded(list);
  return list.pages.front().content;
}

TEST(ImportUrlwatch, jobs_are_documents_of_one_file) {
  const Imported list = imported(
      "---\nname: News of A\nurl: https://a.example/news\ntimeout: 45\n---\n"
      "url: \"https://b.example/\"\nkind: url\ntags: [x, y]\n---\n"
      "command: date\nname: clock\n---\n---\nnavigate: https://c.example/app\nwait_until: load\n");
  EXPECT_EQ(list.format, Format::urlwatch);
  EXPECT_EQ(urls_of(list),
            (Texts{"https://a.example/news", "https://b.example/", "https://c.example/app"}));
  EXPECT_EQ(list.pages[0].name, "News of A");
  EXPECT_EQ(list.pages[0].timeout, 45s);
  EXPECT_EQ(list.pages[1].tags, (Texts{"x", "y"}));
  EXPECT_TRUE(has_note(list.left_out, 10, "a command; commands are not run"))
      << all_of(list.left_out);
  EXPECT_TRUE(has_note(list.changed, 14, "fetched without a browser")) << all_of(list.changed);
  EXPECT_TRUE(has_note(list.left_out, 15, "wait_until"));
  expect_same_when_loaded(list);
}

TEST(ImportUrlwatch, headers_and_cookies_are_taken_and_secrets_kept_apart) {
  const Imported list = imported(
      "url: https://a.example/\nheaders:\n  Accept-Language: de\n  User-Agent: me/2\n"
      "  Authorization: Bearer s3cret\n  Host: other.example\ncookies:\n  session: abc\n  x: y\n");
  ASSERT_EQ(list.pages.size(), 1u);
  const Page& page = list.pages[0];
  EXPECT_EQ(page.user_agent, "me/2");
  ASSERT_EQ(page.headers.size(), 3u);
  EXPECT_TRUE(has_note(list.left_out, 6, "Host cannot be set here")) << all_of(list.left_out);
  const std::vector<Secret> secrets = secrets_of(list);
  ASSERT_EQ(secrets.size(), 2u);
  EXPECT_EQ(secrets[0].name, "a.example-cookie");
  EXPECT_EQ(secrets[0].value, "session=abc; x=y");
  EXPECT_EQ(secrets[1].value, "Bearer s3cret");
  const std::string yaml = pages_yaml(list, Texts{"one", "two"}, "");
  EXPECT_FALSE(contains(yaml, "s3cret"));
  EXPECT_FALSE(contains(yaml, "abc"));
  EXPECT_TRUE(contains(yaml, "{ file: 'two' }")) << yaml;
  expect_same_when_loaded(list);
}

TEST(ImportUrlwatch, what_has_no_counterpart_is_named_line_by_line) {
  const Imported list = imported(
      "url: https://a.example/\nssl_no_verify: true\nignore_connection_errors: true\n"
      "diff_filter: [grep: x]\nmax_tries: 3\nhttp_proxy: http://u:p@proxy.example:1\n"
      "some_new_key: 1\n---\nurl: https://b.example/\nmethod: POST\ndata: {a: b}\n---\n"
      "url: file:///etc/passwd\n---\nname: nothing\n---\n- a\n");
  EXPECT_EQ(urls_of(list), Texts{"https://a.example/"});
  EXPECT_TRUE(has_note(list.left_out, 2, "certificates are always checked"));
  EXPECT_TRUE(has_note(list.changed, 0, "an error is never a change"));
  EXPECT_TRUE(has_note(list.left_out, 4, "diff_filter"));
  EXPECT_TRUE(has_note(list.left_out, 5, "max_tries"));
  EXPECT_TRUE(has_note(list.left_out, 6, "network.proxy"));
  EXPECT_TRUE(has_note(list.left_out, 7, "some_new_key: it has no counterpart"));
  EXPECT_TRUE(has_note(list.left_out, 9, "data: pages are asked for by GET"));
  EXPECT_TRUE(has_note(list.left_out, 13, "file:///etc/passwd"));
  EXPECT_TRUE(has_note(list.left_out, 15, "without a URL"));
  EXPECT_TRUE(has_note(list.left_out, 17, "a job that is a list")) << all_of(list.left_out);
  EXPECT_FALSE(contains(all_of(list.left_out), "u:p"));
}

TEST(ImportUrlwatch, a_file_that_is_no_yaml_is_refused_with_its_line) {
  const Error error = refused("url: https://a.example/\nfilter: [css: {\n", Format::urlwatch);
  EXPECT_EQ(error.exit_code, ExitCode::bad_data);
  EXPECT_TRUE(contains(error.message, "list:")) << error.message;
}

TEST(UrlwatchFilter, none_keeps_what_the_server_sent) {
  const Imported list = imported("url: https://a.example/\n");
  ASSERT_EQ(list.pages.size(), 1u);
  EXPECT_EQ(kept(list.pages[0].content, sample), sample);
  EXPECT_EQ(kept(list.pages[0].content, "<a>\r\nb\n", "text/plain"), "<a>\nb\n");
}

TEST(UrlwatchFilter, css_selects_markup_and_exclude_removes) {
  const Rules rules = rules_for("  - css: div.news\n");
  EXPECT_EQ(rules.as, As::html);
  EXPECT_EQ(rules.select, (std::vector<Selector>{{Language::css, "div.news"}}));
  EXPECT_TRUE(contains(kept(rules, sample), "<h2>One</h2>"));
  const Rules without =
      rules_for("  - css:\n      selector: div.news\n      exclude: .ad\n  - html2text\n");
  EXPECT_EQ(kept(without, sample), "One\nPrice 10 EUR\nTwo\nPrice 20 USD\n");
}

TEST(UrlwatchFilter, css_options_that_do_not_map_are_named) {
  const Imported list =
      job("  - css: {selector: h2, maxitems: 1}\n  - css: {selector: x, method: xml}\n");
  EXPECT_TRUE(has_note(list.left_out, 3, "maxitems: all that it matches is kept"));
  EXPECT_TRUE(has_note(list.left_out, 4, "CSS asks HTML"));
  EXPECT_TRUE(has_note(job("  - css: 'a:hover('\n").left_out, 3, "css: select:"));
}

TEST(UrlwatchFilter, xpath_starts_where_it_started_there) {
  EXPECT_EQ(kept(rules_for("  - xpath: //h2\n  - html2text\n"), sample), "One\nTwo\n");
  EXPECT_EQ(kept(rules_for("  - xpath: body/div/h2\n  - html2text\n"), sample), "One\nTwo\n");
  EXPECT_EQ(kept(rules_for("  - xpath: .//h2\n  - html2text\n"), sample), "One\nTwo\n");
  EXPECT_EQ(kept(rules_for("  - xpath: string(//h2)\n"), sample), "One\n");
  EXPECT_EQ(kept(rules_for("  - xpath: //h2/text()\n"), sample), "One\nTwo\n");
  EXPECT_EQ(kept(rules_for("  - xpath: {path: //h2, skip: 1}\n  - html2text\n"), sample), "Two\n");
  EXPECT_EQ(kept(rules_for("  - xpath: {path: //h2, maxitems: 1}\n  - html2text\n"), sample),
            "One\n");
  EXPECT_EQ(kept(rules_for("  - xpath: {path: //body/p, exclude: '//*[@style]'}\n  - html2text\n"),
                 sample),
            "");
  EXPECT_TRUE(
      has_note(job("  - xpath: {path: 'a:b', namespaces: {a: x}}\n").left_out, 3, "namespaces"));
}

TEST(UrlwatchFilter, xpath_asks_xml_too) {
  EXPECT_EQ(kept(rules_for("  - xpath: {path: '//item/title/text()', method: xml}\n"),
                 "<?xml version='1.0'?><x><item><title>T1</title></item></x>", "text/xml"),
            "T1\n");
}

TEST(UrlwatchFilter, elements_are_found_by_whole_attributes) {
  EXPECT_EQ(kept(rules_for("  - element-by-id: top\n  - html2text\n"), sample), "Home\n");
  EXPECT_EQ(kept(rules_for("  - element-by-class: nav bar\n  - html2text\n"), sample), "Home\n");
  EXPECT_TRUE(contains(kept(rules_for("  - element-by-class: nav\n"), sample), "matches nothing"));
  EXPECT_EQ(kept(rules_for("  - element-by-style: color:red\n  - html2text\n"), sample),
            "Visits 4711\n");
  EXPECT_EQ(kept(rules_for("  - element-by-tag: h2\n  - html2text\n"), sample), "One\nTwo\n");
  EXPECT_TRUE(has_note(job("  - element-by-id\n").left_out, 3, "it names nothing"));
}

TEST(UrlwatchFilter, a_selection_inside_a_selection_is_joined_where_it_can_be) {
  EXPECT_EQ(kept(rules_for("  - css: .news\n  - element-by-tag: p\n  - html2text\n"), sample),
            "Buy!\nPrice 10 EUR\nPrice 20 USD\n");
  const Imported list = job("  - css: .news\n  - xpath: //p\n");
  EXPECT_TRUE(has_note(list.left_out, 4, "a selection inside a selection"));
  EXPECT_EQ(list.pages[0].content.select.size(), 1u) << "more is kept, not less";
}

TEST(UrlwatchFilter, html2text_keeps_what_a_reader_sees) {
  EXPECT_EQ(rules_for("  - html2text\n").as, As::text);
  EXPECT_EQ(rules_for("  - html2text: re\n").as, As::text);
  const Imported list = job("  - html2text: {method: lynx, width: 100}\n");
  EXPECT_EQ(list.pages[0].content.as, As::text);
  EXPECT_TRUE(has_note(list.changed, 3, "its method and options")) << all_of(list.changed);
}

TEST(UrlwatchFilter, grep_and_grepi_choose_lines) {
  EXPECT_EQ(kept(rules_for("  - html2text\n  - grep: 'Price \\d+'\n"), sample),
            "Price 10 EUR\nPrice 20 USD\n");
  EXPECT_EQ(kept(rules_for("  - html2text\n  - grep: {re: '(?i)price'}\n  - grepi: USD\n"), sample),
            "Price 10 EUR\n");
  EXPECT_EQ(kept(rules_for("  - html2text\n  - grepi: Price\n  - grepi: ^Visits\n"), sample),
            "Shop\nHome\nOne\nBuy!\nTwo\n");
}

TEST(UrlwatchFilter, lines_are_chosen_by_plain_text_as_webchanges_does) {
  EXPECT_EQ(kept(rules_for("  - html2text\n  - keep_lines_containing: 'Price 1'\n"), sample),
            "Price 10 EUR\n");
  EXPECT_EQ(rules_for("  - keep_lines_containing: {text: a.b}\n").keep_lines, Texts{"a\\.b"});
  EXPECT_EQ(rules_for("  - delete_lines_containing: {re: 'a.b'}\n").ignore_lines, Texts{"a.b"});
  const Imported all = job("  - html2text\n  - re.findall: 'Price (\\d+)'\n");
  EXPECT_EQ(all.pages[0].content.keep_lines, Texts{"Price (\\d+)"});
  EXPECT_TRUE(has_note(all.changed, 4, "whole lines are kept"));
}

TEST(UrlwatchFilter, a_second_grep_and_what_re2_cannot_are_named) {
  const Imported list = job("  - grep: a\n  - grep: b\n  - grepi: '(?<!x)y'\n  - grep\n");
  EXPECT_TRUE(has_note(list.left_out, 4, "a second one"));
  EXPECT_TRUE(has_note(list.left_out, 5, "grepi: ignore_lines:")) << all_of(list.left_out);
  EXPECT_TRUE(has_note(list.left_out, 6, "it has no pattern"));
  EXPECT_EQ(list.pages[0].content.keep_lines, Texts{"a"});
}

TEST(UrlwatchFilter, re_sub_drops_what_it_drops_there) {
  EXPECT_EQ(kept(rules_for("  - css: body > p\n  - html2text\n  - re.sub: '\\d+'\n"), sample),
            "Visits \n");
  EXPECT_EQ(
      kept(rules_for("  - html2text\n  - re.sub: {pattern: 'Price.*\\n'}\n  - grep: o\n"), sample),
      "Shop\nHome\nTwo\n");
  const Imported constant = job("  - re.sub: {pattern: '\\d+', repl: N}\n");
  EXPECT_EQ(constant.pages[0].content.ignore, (Texts{"\\r", "\\d+"}));
  EXPECT_TRUE(has_note(constant.changed, 3, "what it replaces is dropped"));
}

TEST(UrlwatchFilter, re_sub_that_folds_blanks_is_not_needed_in_text) {
  const Imported list =
      job("  - html2text\n  - re.sub: {pattern: '\\s\\s+|[\\n ]{2,}', repl: ' '}\n");
  EXPECT_TRUE(list.pages[0].content.ignore.empty());
  EXPECT_TRUE(has_note(list.changed, 0, "re.sub of blanks")) << all_of(list.changed);
  EXPECT_EQ(rules_for("  - html2text\n  - re.sub: {pattern: 'x\\s', repl: ' '}\n").ignore.size(),
            1u);
}

TEST(UrlwatchFilter, re_sub_that_would_mean_something_else_is_not_taken) {
  const Imported built = job("  - re.sub: {pattern: '(a)(b)', repl: '\\2\\1'}\n  - grep: ba\n");
  EXPECT_EQ(built.pages[0].content.ignore, Texts{"\\r"});
  EXPECT_TRUE(built.pages[0].content.keep_lines.empty()) << "it was written for what came of it";
  EXPECT_TRUE(has_note(built.left_out, 3, "never put together anew"));
  EXPECT_TRUE(has_note(built.left_out, 4, "it comes after re.sub")) << all_of(built.left_out);
  EXPECT_TRUE(has_note(job("  - grep: 'Price: '\n  - re.sub: 'Price: '\n").left_out, 4,
                       "after lines were chosen"));
  EXPECT_TRUE(has_note(job("  - re.sub: {pattern: a, repl: b}\n  - grep: b\n").left_out, 3,
                       "later filters see"));
  EXPECT_TRUE(has_note(job("  - re.sub: x\n  - css: p\n").left_out, 3, "it comes before css"));
}

TEST(UrlwatchFilter, sort_and_remove_duplicate_lines_are_rules_of_ours) {
  const Rules rules = rules_for("  - html2text\n  - sort\n  - remove-duplicate-lines\n");
  EXPECT_TRUE(rules.sort_lines);
  EXPECT_TRUE(rules.unique_lines);
  EXPECT_EQ(kept(rules, "<p>b</p><p>a</p><p>b</p>"), "a\nb\n");
  EXPECT_TRUE(rules_for("  - sort: {reverse: true}\n").sort_lines);
  EXPECT_TRUE(has_note(job("  - sort: ','\n").left_out, 3, "a separator of its own"));
  const Imported list = job("  - reverse\n");
  EXPECT_TRUE(has_note(list.changed, 0, "reverse: not needed"));
}

TEST(UrlwatchFilter, blanks_are_stripped) {
  EXPECT_EQ(kept(rules_for("  - strip\n"), " \n a \n b \n\n", "text/plain"), "a \n b\n");
  EXPECT_EQ(kept(rules_for("  - striplines\n"), "  a \n\tb\n", "text/plain"), "a\nb\n");
  EXPECT_EQ(kept(rules_for("  - strip_each_line\n"), "  a \n\tb\n", "text/plain"), "a\nb\n");
  EXPECT_TRUE(rules_for("  - html2text\n  - strip\n").ignore.empty()) << "there are none";
}

TEST(UrlwatchFilter, jq_and_format_json_keep_json) {
  const Rules rules = rules_for("  - jq: '.items[].name'\n");
  EXPECT_EQ(rules.as, As::json);
  EXPECT_EQ(kept(rules, R"({"items":[{"name":"x"},{"name":"y"}]})", "application/json"),
            "\"x\"\n\"y\"\n");
  EXPECT_EQ(rules_for("  - format-json: 2\n").as, As::json);
  EXPECT_TRUE(has_note(job("  - jq: '.['\n").left_out, 3, "jq: select:"));
}

TEST(UrlwatchFilter, what_only_changes_the_form_is_not_needed) {
  for (const char* kind : {"beautify", "pretty-xml", "sha1sum", "hexdump"}) {
    const Imported list = job("  - " + std::string(kind) + "\n");
    ASSERT_EQ(list.pages.size(), 1u);
    EXPECT_TRUE(has_note(list.changed, 0, std::string(kind) + ": not needed")) << kind;
    EXPECT_EQ(list.left_out.count, 0u);
  }
}

TEST(UrlwatchFilter, commands_and_strangers_are_named_and_end_the_chain) {
  for (const char* filter : {"shellpipe: 'rm -rf /'", "execute: [ls]", "ocr: {language: deu}",
                             "ical2text", "csv2text: '{a}'", "some-hook: 1"}) {
    const Imported list = job("  - " + std::string(filter) + "\n  - grep: x\n");
    ASSERT_EQ(list.pages.size(), 1u) << "the page is taken";
    EXPECT_EQ(list.left_out.count, 2u) << filter;
    EXPECT_EQ(list.left_out.kept[0].line, 3u);
    EXPECT_TRUE(list.pages[0].content.keep_lines.empty());
    EXPECT_TRUE(list.pages[0].content.pipe.empty());
    EXPECT_FALSE(contains(all_of(list.left_out), "rm -rf"));
  }
}

TEST(UrlwatchFilter, pdf2text_is_a_program_where_there_is_one) {
  const Imported list = job("  - pdf2text\n  - grep: x\n");
  const Rules& rules = list.pages.at(0).content;
  Rules program;
  program.pipe = {"pdftotext", "-", "-"};
  if (extract::compile(program).ok()) {
    EXPECT_EQ(rules.pipe, program.pipe);
    EXPECT_EQ(rules.keep_lines, Texts{"x"});
  } else {
    EXPECT_TRUE(has_note(list.left_out, 3, "install poppler-utils")) << all_of(list.left_out);
    EXPECT_EQ(rules, Rules{});
  }
}

TEST(UrlwatchFilter, the_old_spelling_in_one_line_is_read) {
  const Imported list =
      imported("url: https://a.example/\nfilter: element-by-tag:h2,html2text,grepi:Two\n");
  ASSERT_EQ(list.pages.size(), 1u);
  EXPECT_EQ(kept(list.pages[0].content, sample), "One\n");
}

}  // namespace
}  // namespace pollux::import
