#include "extract/feed.hpp"

#include "extract/ascii_text.hpp"
#include "extract/bounds.hpp"
#include "pollux/extract/html_tree.hpp"
#include "pollux/extract/visible_text.hpp"

#include <array>
#include <utility>

#include <libxml/tree.h>

namespace pollux::extract {
namespace {

std::string_view view(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

std::string attribute(const xmlNode* element, std::string_view name) {
  for (const xmlAttr* at = element->properties; at != nullptr; at = at->next) {
    if (view(at->name) == name) return text_of(reinterpret_cast<const xmlNode*>(at));
  }
  return {};
}

// White space folded, on one line.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : trimmed(text)) {
    if (!is_space(c)) {
      out += c;
    } else if (!out.ends_with(' ')) {
      out += ' ';
    }
  }
  return out;
}

// What a reader sees of a text that may be HTML. Too much of it is kept as it is.
std::string seen(const std::string& text, const Limits& limits) {
  if (text.find_first_of("<&") == std::string::npos) return one_line(text);
  auto parsed = HtmlTree::parse(text, limits);
  const auto* tree = std::get_if<HtmlTree>(&parsed);
  if (tree == nullptr) return one_line(text);
  const std::array<NodeIndex, 1> all = {0};
  return std::string(trimmed(visible_text(*tree, all, {})));
}

struct Entry {
  std::string title, link, id, published, summary, content;
};

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
}

void append_tag(std::string& out, const xmlNode* element) {
  out.append("<").append(view(element->name));
  for (const xmlAttr* at = element->properties; at != nullptr; at = at->next) {
    out.append(" ").append(view(at->name)).append("=\"");
    append_escaped(out, text_of(reinterpret_cast<const xmlNode*>(at)));
    out += '"';
  }
  out += '>';
}

// The XHTML below an element, for the parser of HTML. Not recursive.
std::string html_below(const xmlNode* element) {
  std::string out;
  const xmlNode* at = element->children;
  while (at != nullptr) {
    if (at->type == XML_TEXT_NODE || at->type == XML_CDATA_SECTION_NODE)
      append_escaped(out, view(at->content));
    if (at->type == XML_ELEMENT_NODE) {
      append_tag(out, at);
      if (at->children != nullptr) {
        at = at->children;
        continue;
      }
      // To a parser of HTML </br> is one more.
      if (view(at->name) != "br") out.append("</").append(view(at->name)).append(">");
    }
    while (at->next == nullptr && at->parent != element) {
      at = at->parent;
      out.append("</").append(view(at->name)).append(">");
    }
    at = at->next;
  }
  return out;
}

// An element of Atom that holds text: type text, html or xhtml.
std::string atom_text(const xmlNode* element, const Limits& limits) {
  if (attribute(element, "type") == "xhtml") return seen(html_below(element), limits);
  const std::string text = text_of(element);
  return attribute(element, "type").find("html") == std::string::npos ? one_line(text)
                                                                      : seen(text, limits);
}

void read_link(const xmlNode* element, Entry& entry) {
  const std::string target = attribute(element, "href");
  if (target.empty()) {
    if (entry.link.empty()) entry.link = one_line(text_of(element));
    return;
  }
  const std::string relation = attribute(element, "rel");
  const bool alternate = relation.empty() || relation == "alternate";
  if (alternate && entry.link.empty()) entry.link = one_line(target);
}

// Of several elements of one kind the first counts.
void read_field(const xmlNode* element, bool atom, Entry& entry, const Limits& limits) {
  const std::string_view name = view(element->name);
  const std::string_view prefix =
      element->ns == nullptr ? std::string_view() : view(element->ns->prefix);
  const auto set = [](std::string& field, std::string text) {
    if (field.empty()) field = std::move(text);
  };
  if (name == "link" && (prefix.empty() || prefix == "atom")) {
    read_link(element, entry);
  } else if (name == "guid" || (atom && name == "id")) {
    set(entry.id, one_line(text_of(element)));
  } else if (name == "pubDate" || name == "published" || (name == "date" && prefix == "dc")) {
    set(entry.published, one_line(text_of(element)));
  } else if (name == "encoded" || (atom && name == "content" && prefix.empty())) {
    set(entry.content, atom ? atom_text(element, limits) : seen(text_of(element), limits));
  } else if (!prefix.empty()) {
    return;  // media:title, itunes:summary, …
  } else if (name == "title") {
    set(entry.title, atom ? atom_text(element, limits) : seen(text_of(element), limits));
  } else if (name == "description" || name == "summary") {
    set(entry.summary, atom ? atom_text(element, limits) : seen(text_of(element), limits));
  }
}

void append(std::string& out, const Entry& entry) {
  const auto line = [&out](std::string_view label, const std::string& text) {
    if (!text.empty()) out.append(label).append(text) += '\n';
  };
  if (!out.empty()) out += '\n';
  line("", entry.title);
  line("", entry.link);
  if (entry.id != entry.link) line("id: ", entry.id);
  line("published: ", entry.published);
  // The whole text says what its summary does.
  line("", entry.content.empty() ? entry.summary : entry.content);
}

// Entries stand below the root (Atom, RDF) or below its channel (RSS).
bool holds_entries(const xmlNode* element) {
  return view(element->name) == "channel";
}

}  // namespace

bool is_feed_root(std::string_view name) {
  return name == "rss" || name == "feed" || name == "RDF";
}

std::variant<std::string, Unreadable, TooComplex> feed_entries(std::string_view utf8,
                                                               const Limits& limits) {
  auto parsed = parse_xml(utf8, limits);
  if (auto* unreadable = std::get_if<Unreadable>(&parsed)) return std::move(*unreadable);
  if (auto* too_complex = std::get_if<TooComplex>(&parsed)) return std::move(*too_complex);
  const xmlNode* const root = xmlDocGetRootElement(std::get<XmlDocument>(parsed).get());
  if (!is_feed_root(view(root->name)))
    return Unreadable{"its root is neither rss nor feed nor RDF"};
  const bool atom = view(root->name) == "feed";
  std::string out;
  const xmlNode* at = root->children;
  const xmlNode* channel = nullptr;
  while (at != nullptr || channel != nullptr) {
    if (at == nullptr) {  // behind the last of the channel
      at = std::exchange(channel, nullptr)->next;
      continue;
    }
    if (at->type != XML_ELEMENT_NODE) {
      at = at->next;
      continue;
    }
    if (channel == nullptr && holds_entries(at)) {
      channel = at;
      at = at->children;
      continue;
    }
    if (view(at->name) == (atom ? "entry" : "item")) {
      Entry entry;
      for (const xmlNode* field = at->children; field != nullptr; field = field->next) {
        if (field->type == XML_ELEMENT_NODE) read_field(field, atom, entry, limits);
        if (out_of_time(limits)) return took_too_long();
      }
      append(out, entry);
      if (out.size() > limits.max_kept) return too_long_to_keep(limits);
    }
    at = at->next;
  }
  return out;
}

}  // namespace pollux::extract
