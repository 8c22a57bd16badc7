#include "bench/detect/documents.hpp"

#include "bench/detect/figures.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include <zlib.h>

namespace pollux::test {
namespace {

constexpr std::size_t size = 10 * mib;
constexpr const char* json_type = "application/json";
constexpr const char* feed_type = "application/rss+xml";

std::string repeated(std::string_view part, std::size_t bytes = size) {
  std::string text;
  text.reserve(bytes);
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}
// `part` as often as there is room for between the two.
std::string between(const std::string& head, std::string_view part, const std::string& tail) {
  return head + repeated(part, size - head.size() - tail.size()) + tail;
}
// As `part` with its number, until the size is reached.
std::string counted(const std::string& head, const std::function<std::string(int)>& part,
                    const std::string& tail) {
  std::string text = head;
  text.reserve(size);
  for (int i = 0;; ++i) {
    const std::string next = part(i);
    if (text.size() + next.size() + tail.size() > size) break;
    text += next;
  }
  return text + tail;
}

std::string random_bytes(bool letters) {
  std::string text(size, ' ');
  std::uint64_t state = 7;
  for (char& c : text) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto byte = static_cast<unsigned char>(state >> 56U);
    c = static_cast<char>(letters ? (byte % 7 == 0 ? ' ' : 'a' + byte % 26) : byte);
  }
  return text;
}

std::string gzipped() {
  const std::string page = repeated("<p>word</p>");
  std::string out(compressBound(page.size()), '\0');
  uLongf made = out.size();
  compress(reinterpret_cast<Bytef*>(out.data()), &made, reinterpret_cast<const Bytef*>(page.data()),
           page.size());
  out.resize(made);
  while (out.size() < size) out += out.substr(0, size - out.size());
  return out;
}

std::string utf16(const std::string& letters) {
  std::string text = "\xff\xfe";
  for (const char c : letters) (text += c) += '\0';
  return text;
}

std::string billion_laughs() {
  std::string text = "<?xml version=\"1.0\"?><!DOCTYPE rss [<!ENTITY a \"aaaaaaaaaa\">";
  for (char c = 'b'; c <= 'k'; ++c) {
    text += std::string("<!ENTITY ") + c + " \"";
    for (int i = 0; i < 10; ++i) text += std::string("&") + static_cast<char>(c - 1) + ";";
    text += "\">";
  }
  return between(text + "]><rss version=\"2.0\"><channel><title>", "&k;",
                 "</title></channel></rss>");
}
std::string one_long_entity() {
  return between("<!DOCTYPE rss [<!ENTITY a \"" + repeated("a", 100'000) +
                     "\">]><rss version=\"2.0\"><channel><title>",
                 "&a;", "</title></channel></rss>");
}

// Just within the limits of nodes, depth and bytes: nothing refuses them early.
std::string wide_page() {
  return counted(
      "<!doctype html><body>",
      [](int i) {
        return i >= 95'000 ? std::string(200, 'x')
                           : "<p class=\"a b\">" + std::to_string(i) + repeated(" word", 85);
      },
      "</body>");
}
std::string deep_page() {
  const std::string words = repeated("word ", 5'000);
  return counted(
      "<!doctype html><body>",
      [&](int i) {
        if (i >= 380) return std::string("<!--") + std::string(10'000, 'x') + "-->";
        return repeated("<div>", 5 * 490) + words + repeated("</div>", 6 * 490);
      },
      "</body>");
}
std::string long_attribute(const char* name, std::string_view part) {
  return between("<!doctype html><p " + std::string(name) + "=\"", part, "\">text</p>");
}

std::vector<Hostile> html_documents() {
  const auto of = [](std::string part) { return [part] { return repeated(part); }; };
  const auto html = [](std::string name, std::function<std::string()> make) {
    return Hostile{std::move(name), html_type, std::move(make)};
  };
  return {
      html("nested <div>", of("<div>")),
      html("nested <b>", of("<b>")),
      html("nested <font x>",
           [] {
             return counted(
                 "", [](int i) { return "<font x=" + std::to_string(i) + ">"; }, "");
           }),
      html("nested <table>", of("<table><tr><td>")),
      html("misnested tables", of("<table><a>1<b>2<tr><i>3<td>4")),
      html("text in tables", of("<table>x</table>")),
      html("one table of text", [] { return "<table>" + repeated("x<tr>", size - 7); }),
      html("misnested <b><i>", of("<b><i><p></b>")),
      html("<a> in <a>", of("<a href=x>y")),
      html("<p> unclosed", of("<p>word")),
      html("</br>", of("</br>")),
      html("</p>", of("</p>")),
      html("end tags", of("</div></b></x>")),
      html("<svg> and <math>", of("<svg><desc><math><mi>")),
      html("<template>", of("<template>")),
      html("<frameset>", of("<frameset><frame>")),
      html("<body x>",
           [] {
             return counted(
                 "", [](int i) { return "<body a" + std::to_string(i) + "=1>"; }, "");
           }),
      html("one attribute", [] { return long_attribute("title", "x"); }),
      html("many attributes",
           [] {
             return counted(
                 "<p ", [](int i) { return "a" + std::to_string(i) + "=1 "; }, ">text</p>");
           }),
      html("one name", [] { return "<" + std::string(size - 2, 'x') + ">"; }),
      html("many names",
           [] {
             return counted(
                 "", [](int i) { return "<x" + std::to_string(i) + "/>"; }, "");
           }),
      html("<select><option>", of("<select><option>")),
      html("<!-- unclosed", of("<!-- -")),
      html("<!-- one", [] { return "<!--" + repeated("-", size - 4); }),
      html("<!-- many", of("<!---->")),
      html("<!doctype> many", of("<!doctype x>")),
      html("<![CDATA[", of("<![CDATA[")),
      html("<script> unclosed", of("<script><!--<script>")),
      html("<textarea>", of("<textarea></textare>")),
      html("<plaintext>", of("<plaintext>")),
      html("only <", of("<")),
      html("only &", of("&")),
      html("references", of("&notin;&amp;&bogus")),
      html("numeric references", of("&#x10ffff;&#1;")),
      html("&nGt;", of("&nGt;")),
      html("NUL", [] { return std::string(size, '\0'); }),
      html("NUL in tags", [] { return repeated(std::string_view("<a\0b c\0d=\0>", 11)); }),
      html("white space", of(" \n\t")),
      html("lines", of("\n")),
      html("<br>", of("<br>")),
      html("<pre>", [] { return "<pre>" + repeated("x\n", size - 5); }),
      html("plain words", [] { return random_bytes(true); }),
      html("random bytes", [] { return random_bytes(false); }),
      html("gzip unasked", gzipped),
      html("numbers to mask", of("12:30 99 2026-01-01 3 minutes ago deadbeef01 ")),
      html("wide, in limits", wide_page),
      html("deep, in limits", deep_page),
  };
}

std::vector<Hostile> text_documents() {
  const auto of = [](std::string part) { return [part] { return repeated(part); }; };
  return {
      {"one line of text", "text/plain", of("word ")},
      {"one word of text", "text/plain", of("x")},
      {"lines of text", "text/plain", of("a line\n")},
      {"Chinese", "text/html; charset=gb18030", of("\xc4\xe3\xba\xc3")},
      {"half characters", "text/html; charset=gb18030", of("\x81\x30\x81")},
      {"escapes", "text/html; charset=iso-2022-jp", of("\x1b$B!\x1b(B")},
      {"windows-1252", "text/html; charset=windows-1252", of("\x80")},
      {"UTF-16", "text/html", [] { return utf16(repeated("<p>word", size / 2)); }},
      {"UTF-16, surrogates", "text/html; charset=utf-16le", of(std::string("\x00\xd8", 2))},
      {"UTF-8 cut", html_type, of("\xf0\x9f\x98")},
      {"meta by meta", "text/html", of("<meta charset=utf-8x>")},
  };
}

std::vector<Hostile> json_documents() {
  const auto json = [](std::string name, std::function<std::string()> make) {
    return Hostile{std::move(name), json_type, std::move(make)};
  };
  return {
      json("nested arrays", [] { return repeated("["); }),
      json("nested objects", [] { return repeated("{\"a\":"); }),
      json("deep arrays",
           [] { return between("[", repeated("[", 500) + repeated("]", 500) + ",", "1]"); }),
      json("numbers", [] { return between("[", "1,", "1]"); }),
      json("one number", [] { return repeated("1"); }),
      json("huge exponents", [] { return between("[", "1e999999999,", "1]"); }),
      json("one string", [] { return between("\"", "x", "\""); }),
      json("escapes", [] { return between("\"", "\\u0001", "\""); }),
      json("surrogates", [] { return between("\"", "\\ud800", "\""); }),
      json("members",
           [] {
             return counted(
                 "{", [](int i) { return "\"k" + std::to_string(i * 7919 % 1'000'003) + "\":1,"; },
                 "\"z\":1}");
           }),
      json("equal members", [] { return between("{", "\"k\":1,", "\"z\":1}"); }),
      json("blanks", [] { return repeated(" \n"); }),
      json("cut short", [] { return "[" + repeated("{\"a\":1},", size - 1); }),
  };
}

std::vector<Hostile> feed_documents() {
  const auto feed = [](std::string name, std::function<std::string()> make) {
    return Hostile{std::move(name), feed_type, std::move(make)};
  };
  const auto channel = [](std::string_view item) {
    // Within what libxml2 takes.
    return "<rss version=\"2.0\"><channel>" + repeated(item, 9'900'000) + "</channel></rss>";
  };
  return {
      feed("billion laughs", billion_laughs),
      feed("one entity", one_long_entity),
      feed("external entity",
           [] {
             return between("<!DOCTYPE rss SYSTEM \"file:///etc/passwd\"><rss><channel><title>",
                            "&xxe;", "</title></channel></rss>");
           }),
      feed("nested elements", [] { return repeated("<a>"); }),
      feed("items", [=] { return channel("<item><title>t</title></item>"); }),
      feed("items with HTML",
           [=] { return channel("<item><description>&lt;b>&lt;p>x&lt;/b></description></item>"); }),
      feed("deep HTML in items",
           [=] {
             std::string divs;
             for (int i = 0; i < 500; ++i) divs += "&lt;div>";
             return channel("<item><description>" + divs + "</description></item>");
           }),
      feed("one long item",
           [] {
             return "<rss version=\"2.0\"><channel><item><description>" +
                    repeated("&lt;p>word", 9'900'000) + "</description></item></channel></rss>";
           }),
      feed("XML attributes",
           [] {
             return counted(
                 "<rss ", [](int i) { return "a" + std::to_string(i) + "='1' "; }, "/>");
           }),
      feed("prefixes",
           [] {
             return counted(
                 "", [](int i) { return "<a xmlns:p" + std::to_string(i) + "='u'>"; }, "");
           }),
      feed("CDATA unclosed", [] { return "<rss><![CDATA[" + repeated("]]", size - 14); }),
  };
}

extract::Rules selecting(extract::Selector::Language language, std::string text) {
  extract::Rules rules;
  rules.select = {{language, std::move(text)}};
  return rules;
}
extract::Rules css(std::string text) {
  return selecting(extract::Selector::Language::css, std::move(text));
}
extract::Rules xpath(std::string text) {
  return selecting(extract::Selector::Language::xpath, std::move(text));
}
extract::Rules jq(std::string text) {
  return selecting(extract::Selector::Language::jq, std::move(text));
}
extract::Rules ignoring(std::string text) {
  extract::Rules rules;
  rules.ignore = {std::move(text)};
  return rules;
}
extract::Rules piped(std::vector<std::string> argv) {
  extract::Rules rules;
  rules.pipe = std::move(argv);
  return rules;
}

// `inner` in itself, again and again.
std::string nested(const std::string& before, const std::string& inner, const std::string& behind,
                   int times) {
  std::string text = inner;
  for (int i = 0; i < times; ++i) text = before + text + behind;
  return text;
}
std::string listed(const std::function<std::string(int)>& part, std::string_view separator,
                   std::size_t longest) {
  std::string text = part(0);
  for (int i = 1; text.size() < longest; ++i) (text += separator) += part(i);
  return text;
}

void add_css(std::vector<HostileRules>& all) {
  const Hostile wide{"wide", html_type, wide_page}, deep{"deep", html_type, deep_page};
  const Hostile classes{"classes", html_type, [] { return long_attribute("class", "a b "); }};
  const Hostile title{"one attribute", html_type, [] { return long_attribute("title", "a"); }};
  for (const Hostile& page : {wide, deep}) {
    all.push_back(
        {":is in :not in :has", css(":has(" + nested(":not(:is(", "p", "))", 6) + ")"), page});
    all.push_back(
        {":has behind :has", css(listed([](int) { return ":has(> *)"; }, " ", 570)), page});
    all.push_back({"64 descendants", css(listed([](int) { return "*"; }, " ", 126)), page});
    all.push_back({"64 siblings", css(listed([](int) { return "*"; }, " ~ ", 250)), page});
    all.push_back({"nth of :has", css(":nth-last-child(2n+1 of :has(~ p, div, :empty))"), page});
    all.push_back(
        {"a thousand :has", css(listed([](int) { return ":has(*)"; }, ",", 4'000)), page});
    all.push_back({"everything", css("*"), page});
  }
  all.push_back(
      {"a thousand classes",
       css(listed([](int i) { return "." + std::string(1, 'c') + std::to_string(i); }, ",", 4'000)),
       classes});
  all.push_back(
      {"a long part of a value", css("[title*=\"" + std::string(3'900, 'a') + "b\"]"), title});
  all.push_back(
      {"a long part, any case", css("[title*=\"" + std::string(3'900, 'a') + "b\" i]"), title});
}

void add_xpath(std::vector<HostileRules>& all) {
  const Hostile wide{"wide", html_type, wide_page}, deep{"deep", html_type, deep_page};
  for (const Hostile& page : {wide, deep}) {
    for (const char* text : {"//div/ancestor::div", "count(//*/ancestor::*)", "//*[count(//*) > 1]",
                             "//p[not(preceding::p = .)]", "//*[contains(string(/), 'zzz')]",
                             "//text()[. = //text()]", "//*/following::*", "//@*",
                             "//p | //div | //*", "string(/)", "//*[position() = last()]"}) {
      all.push_back({text, xpath(text), page});
    }
    all.push_back({"concat of texts",
                   xpath("concat(" + listed([](int) { return "string(/)"; }, ",", 4'000) + ")"),
                   page});
    all.push_back({"translate in translate",
                   xpath(nested("translate(", "string(/)", ",'abc','bca')", 150)), page});
  }
  all.push_back({"//item/ancestor::*",
                 xpath("//item/ancestor::*"),
                 {"feed", feed_type, [] {
                    return "<rss version=\"2.0\"><channel>" +
                           repeated(
                               "<item><title>some title of an item of the feed and its words "
                               "and more of them to fill the room</title></item>",
                               9'900'000) +
                           "</channel></rss>";
                  }}});
}

void add_jq(std::vector<HostileRules>& all) {
  const Hostile objects{"objects", json_type, [] {
                          return between("[",
                                         "{\"name\":\"" + std::string(60, 'x') +
                                             "\",\"price\":1.5,\"tags\":[\"a\",\"b\"]},",
                                         "1]");
                        }};
  const Hostile numbers{"numbers", json_type, [] { return between("[", "1234567890,", "1]"); }};
  for (const Hostile& document : {objects, numbers}) {
    for (const char* text :
         {".", ".. | numbers", "[.[] | tostring]", "[paths]", "sort", "[.[] | [.,.,.,.]]",
          "[range(1e9)]", "def f: f; f", "[limit(1e9; repeat(1))]", "\"a\" * 1e8 | length",
          "[.. | tostring] | join(\"\")", "until(false; .)",
          "[., .] | until(length > 1e9; . + .)"}) {
      all.push_back({text, jq(text), document});
    }
  }
}

void add_patterns(std::vector<HostileRules>& all) {
  const Hostile letters{"one word", "text/plain", [] { return repeated("a"); }};
  const Hostile words{"words", "text/plain", [] { return random_bytes(true); }};
  for (const Hostile& document : {letters, words}) {
    for (const char* text : {"(a?){300}b", "(?s)a.*0|a", "[a-z ]{500,900}0", "(\\w+\\s*)+0", "a",
                             "(?i)(.*)(.*)(.*)x0", "((a|b|c|d|e){1,30}){1,30}0"}) {
      all.push_back({text, ignoring(text), document});
    }
  }
}

}  // namespace

std::vector<Hostile> hostile_documents() {
  std::vector<Hostile> all = html_documents();
  for (auto* more : {text_documents, json_documents, feed_documents}) {
    for (Hostile& one : more()) all.push_back(std::move(one));
  }
  return all;
}

std::vector<HostileRules> hostile_rules() {
  std::vector<HostileRules> all;
  add_css(all);
  add_xpath(all);
  add_jq(all);
  add_patterns(all);
  const Hostile words{"words", "text/plain", [] { return random_bytes(true); }};
  all.push_back({"a pipe that copies", piped({"/bin/cat"}), words});
  all.push_back({"a pipe that never ends", piped({"/bin/cat", "/dev/zero"}), words});
  return all;
}

}  // namespace pollux::test
