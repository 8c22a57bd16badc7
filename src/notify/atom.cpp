#include "pollux/notify/render.hpp"
#include "pollux/report/text.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::notify {
namespace {

// U+FFFE and U+FFFF are no characters of XML.
std::string xml_escaped(std::string_view text) {
  std::string escaped = html_escaped(text);
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (auto at = escaped.find(none); at != std::string::npos; at = escaped.find(none, at))
      escaped.replace(at, none.size(), "?");
  }
  return escaped;
}

// What names the database in the key, and the event in it: the same whatever it goes with.
std::string id_of(const Message& message, const Item& item) {
  const std::string database = message.key.substr(0, message.key.find('-'));
  return fmt::format("urn:pollux:{}:{}:{}", database, item.id, item.at.time_since_epoch().count());
}

std::string content_of(const Item& item) {
  std::string html = "<p>" + html_escaped(when_of(item)) + "</p>";
  if (!item.summary.empty()) html += "<p>" + html_escaped(item.summary) + "</p>";
  if (!item.link.empty()) html += "<p>now at " + html_escaped(item.link) + "</p>";
  if (!item.diff.empty()) html += "<pre>" + html_diff(item.diff) + "</pre>";
  if (!item.why.empty()) html += "<p>Polled then: " + html_escaped(item.why) + "</p>";
  return html;
}

}  // namespace

std::string atom_entries(const Message& message) {
  std::string entries;
  for (const Item& item : message.items) {
    const std::string headline =
        headline_of(item) + (item.summary.empty() ? "" : ": " + item.summary);
    entries += fmt::format("<entry>\n<id>{}</id>\n<title>{}</title>\n<updated>{}</updated>\n",
                           id_of(message, item), xml_escaped(headline), report::time_text(item.at));
    if (!item.url.empty())
      entries += fmt::format("<link rel=\"alternate\" href=\"{}\"/>\n", xml_escaped(item.url));
    entries += fmt::format("<category term=\"{}\"/>\n", name_of(item.event));
    for (const std::string& tag : item.tags)
      entries += fmt::format("<category term=\"{}\"/>\n", xml_escaped(tag));
    entries += fmt::format("<content type=\"html\">{}</content>\n</entry>\n",
                           xml_escaped(content_of(item)));
  }
  return entries;
}

std::string atom_feed(std::string_view rule, WallTime updated, std::string_view entries) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<id>urn:pollux:feed:{0}</id>\n"
      "<title>Pollux: {0}</title>\n<updated>{1}</updated>\n"
      "<author><name>Pollux</name></author>\n<generator>Pollux</generator>\n{2}</feed>\n",
      xml_escaped(rule), report::time_text(updated), entries);
}

}  // namespace pollux::notify
