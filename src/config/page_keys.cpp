// The keys of pages: the defaults, rules and single pages, and what counts as their content.
#include "config/content_readers.hpp"
#include "config/keys.hpp"
#include "config/option_readers.hpp"
#include "config/render_readers.hpp"
#include "config/request_headers.hpp"
#include "config/section_readers.hpp"
#include "config/value_readers.hpp"

namespace pollux::config {
namespace {

constexpr Key table_of_pages[] = {
    {"defaults", "section", "", "for pages that do not say otherwise", &read_defaults},
    {"defaults.importance", "number", "1",
     "what finding a change is worth, compared with other pages, 0.001 to 1000", &read_importance},
    {"defaults.min_interval", "duration", "5s", "a page is not polled sooner than this",
     &read_min_interval},
    {"defaults.max_interval", "duration", "1d",
     "a page is polled at least this often, if the budget can pay for it", &read_max_interval},
    {"defaults.timeout", "duration", "20s",
     "for a whole poll with its redirects; waits for budget and politeness do not count",
     &read_timeout},
    {"defaults.max_body", "size", "10MiB", "a longer body, after decompression, is an error",
     &read_max_body},
    {"defaults.user_agent", "text", "pollux/" POLLUX_VERSION,
     "how the daemon introduces itself; a contact address is good manners", &read_user_agent},
    {"defaults.respect_cache", "true or false", "false",
     "whether a page rests while Cache-Control: max-age or Expires call it fresh, up to its "
     "max_interval",
     &read_respect_cache},
    {"defaults.cookies", "word", "none",
     "none, session (within one poll, over its redirects) or keep (from poll to poll, in a file "
     "beside the database that only its owner can read)",
     &read_cookies},
    {"defaults.headers", "mapping of headers", "",
     "sent with every request; a value may be { file: PATH }", &read_headers},
    {"defaults.content", "section", "", "what counts as a change; the keys of content are below",
     &read_content},
    {"rules", "list of rules", "[]",
     "what counts as a change on pages that fit; the first is the strongest, a page's own is "
     "stronger",
     &read_rules},
    {"rules[].match", "pattern of URLs", "",
     "the whole URL; * stands for any characters, / among them, and ? for one", &read_rule_match},
    {"rules[].tag", "word", "", "or: the pages that have this tag", &read_rule_tag},
    {"rules[].content", "section", "", "as defaults.content, for these pages", &read_content},
    {"pages", "list of pages", "[]", "URLs, or mappings with a URL and options", &read_pages},
    {"pages[].url", "URL", "", "the page: http or https, without credentials", &read_page_url},
    {"pages[].importance", "number", "", "as defaults.importance, for this page", &read_importance},
    {"pages[].min_interval", "duration", "", "as defaults.min_interval, for this page",
     &read_min_interval},
    {"pages[].max_interval", "duration", "", "as defaults.max_interval, for this page",
     &read_max_interval},
    {"pages[].timeout", "duration", "", "as defaults.timeout, for this page", &read_timeout},
    {"pages[].max_body", "size", "", "as defaults.max_body, for this page", &read_max_body},
    {"pages[].user_agent", "text", "", "as defaults.user_agent, for this page", &read_user_agent},
    {"pages[].respect_cache", "true or false", "", "as defaults.respect_cache, for this page",
     &read_respect_cache},
    {"pages[].cookies", "word", "", "as defaults.cookies, for this page", &read_cookies},
    {"pages[].name", "text", "", "what people call this page", &read_page_name},
    {"pages[].tags", "list of words", "", "groups it is in, for rules", &read_page_tags},
    {"pages[].content", "section", "", "as defaults.content, for this page", &read_content},
    {"pages[].headers", "mapping of headers", "",
     "sent with this page's requests, never to another host", &read_headers},
    {"pages[].auth", "section", "", "how we log in for this page", &read_auth},
    {"pages[].auth.basic_file", "path", "", "a file with user:password", &read_basic_file},
    {"pages[].auth.bearer_file", "path", "", "a file with a token", &read_bearer_file},
    {"pages_file", "path", "",
     "a list of pages in a file of its own: .yaml, .yml, or .txt with one URL per line",
     &read_pages_file},
    // Of every `content:`, wherever it stands; what is absent comes from the next weaker one.
    {"content.as", "word", "", "auto (by the media type), raw (bytes), text, html, json or feed",
     &read_content_as},
    {"content.select", "list of selectors", "",
     "what is kept: CSS, XPath (starts with / or a parenthesis), or jq where as is json; or { css: "
     "… }, { xpath: … }, { jq: … }",
     &read_content_list},
    {"content.+select", "list of selectors", "", "added to the select of the defaults and rules",
     &read_content_list},
    {"content.remove", "list of selectors", "", "what is taken out of that", &read_content_list},
    {"content.+remove", "list of selectors", "", "added to the remove of the defaults and rules",
     &read_content_list},
    {"content.ignore", "list of patterns", "", "RE2: what matches is dropped", &read_content_list},
    {"content.+ignore", "list of patterns", "", "added to the ignore of the defaults and rules",
     &read_content_list},
    {"content.ignore_lines", "list of patterns", "", "RE2: lines in which one matches are dropped",
     &read_content_list},
    {"content.+ignore_lines", "list of patterns", "",
     "added to the ignore_lines of the defaults and rules", &read_content_list},
    {"content.keep_lines", "list of patterns", "", "RE2: only lines in which one matches stay",
     &read_content_list},
    {"content.+keep_lines", "list of patterns", "",
     "added to the keep_lines of the defaults and rules", &read_content_list},
    {"content.sort_lines", "true or false", "", "lines are compared whatever their order",
     &read_sort_lines},
    {"content.unique_lines", "true or false", "", "of equal lines only the first counts",
     &read_unique_lines},
    {"content.min_change", "part or lines", "", "less is no change: 2% of the words, or 3 lines",
     &read_min_change},
    {"content.alert", "section", "", "a change is only what makes this true", &read_alert},
    {"content.alert.appears", "pattern", "", "RE2: it matches, and did not before",
     &read_alert_pattern},
    {"content.alert.disappears", "pattern", "", "RE2: it matched before", &read_alert_pattern},
    {"content.number", "section", "",
     "a change is only what this says of the first number of the content", &read_number_rule},
    {"content.number.below", "number", "", "it falls below this", &read_number_amount},
    {"content.number.above", "number", "", "it rises above this", &read_number_amount},
    {"content.number.changes_by", "amount or part", "", "it moves by at least 5, or 5%",
     &read_number_amount},
    {"content.pipe", "list of words", "",
     "a program (a name, or a path relative to this file's folder) and its arguments, without a "
     "shell: the body in, text out",
     &read_pipe},
    {"content.render", "true or false", "",
     "the page's scripts run first, in the browser of the section render", &read_render},
};

}  // namespace

std::span<const Key> page_keys() {
  return table_of_pages;
}

}  // namespace pollux::config
