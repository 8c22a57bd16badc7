#include "pollux/extract/visible_text.hpp"

#include "extract/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace pollux::extract {
namespace {

template <std::size_t size>
bool is_in(const std::array<std::string_view, size>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

// Begin and end a line.
constexpr std::array<std::string_view, 50> blocks = {
    "address",    "article", "aside",   "blockquote", "body",  "br",       "caption", "center",
    "dd",         "details", "dialog",  "dir",        "div",   "dl",       "dt",      "fieldset",
    "figcaption", "figure",  "footer",  "form",       "h1",    "h2",       "h3",      "h4",
    "h5",         "h6",      "header",  "hgroup",     "hr",    "html",     "legend",  "li",
    "listing",    "main",    "menu",    "nav",        "ol",    "optgroup", "option",  "p",
    "pre",        "search",  "section", "summary",    "table", "tbody",    "tfoot",   "thead",
    "title",      "tr"};
// Nobody sees what is in them.
constexpr std::array<std::string_view, 10> unseen = {"datalist", "head",     "iframe", "noembed",
                                                     "noframes", "noscript", "rp",     "script",
                                                     "style",    "template"};
// Stand apart from the words beside them.
constexpr std::array<std::string_view, 7> boxes = {"button",   "img",    "input",   "meter",
                                                   "progress", "select", "textarea"};
// Their spaces and line breaks count.
constexpr std::array<std::string_view, 5> preformatted = {"listing", "plaintext", "pre", "textarea",
                                                          "xmp"};
constexpr std::array<std::string_view, 18> without_end = {
    "area", "base",  "basefont", "bgsound", "br",   "col",   "embed",  "frame", "hr",
    "img",  "input", "keygen",   "link",    "meta", "param", "source", "track", "wbr"};
constexpr std::array<std::string_view, 7> raw_texts = {"iframe", "noembed", "noframes", "plaintext",
                                                       "script", "style",   "xmp"};
static_assert(std::is_sorted(blocks.begin(), blocks.end()));
static_assert(std::is_sorted(unseen.begin(), unseen.end()));
static_assert(std::is_sorted(boxes.begin(), boxes.end()));
static_assert(std::is_sorted(preformatted.begin(), preformatted.end()));
static_assert(std::is_sorted(without_end.begin(), without_end.end()));
static_assert(std::is_sorted(raw_texts.begin(), raw_texts.end()));

// How an element shows.
struct Manner {
  bool block = false, box = false, unseen = false, preformatted = false;
};
Manner manner_named(std::string_view name) {
  return {.block = is_in(blocks, name),
          .box = is_in(boxes, name),
          .unseen = is_in(unseen, name),
          .preformatted = is_in(preformatted, name)};
}
// A tree has each name of an element once: who asks again asks with the same pointer.
class Showing {
 public:
  const Manner& of(std::string_view name) {
    Known& known = known_[(reinterpret_cast<std::uintptr_t>(name.data()) ^ name.size()) % size];
    if (known.name.data() != name.data() || known.name.size() != name.size())
      known = {name, manner_named(name)};
    return known.manner;
  }

 private:
  static constexpr std::size_t size = 61;
  struct Known {
    std::string_view name;
    Manner manner;
  };
  std::array<Known, size> known_{};
};

enum class WordGap { none, space, line };

constexpr std::string_view no_break_space = "\xc2\xa0";

// Length of the white space at `at`, or 0.
std::size_t space_length(std::string_view text, std::size_t at) {
  if (is_space(text[at])) return 1;
  return text[at] == no_break_space[0] && text.substr(at, 2) == no_break_space ? 2 : 0;
}

// Calls on_gap() for white space and on_word(w) for what stands between.
template <typename OnGap, typename OnWord>
void split_words(std::string_view text, const OnGap& on_gap, const OnWord& on_word) {
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t space = space_length(text, at); space > 0) {
      on_gap();
      at += space;
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && space_length(text, end) == 0) ++end;
    on_word(text.substr(at, end - at));
    at = end;
  }
}

// Lines of words: what is between two words is written when the second one comes.
class LineWriter {
 public:
  void gap(WordGap gap) { gap_ = std::max(gap_, gap); }

  void words(std::string_view text) {
    split_words(
        text, [this] { gap(WordGap::space); },
        [this](std::string_view word) {
          write_gap();
          out_.append(word);
        });
  }

  // Every character counts.
  void preformatted(std::string_view text) {
    if (text.empty()) return;
    write_gap();
    out_.append(text);
  }

  std::string take() {
    while (!out_.empty() && is_space(out_.back())) out_.pop_back();
    return std::move(out_);
  }

 private:
  void write_gap() {
    const bool at_start = out_.empty() || out_.back() == '\n';
    if (!at_start && gap_ == WordGap::line) out_ += '\n';
    if (!at_start && gap_ == WordGap::space) out_ += ' ';
    gap_ = WordGap::none;
  }

  std::string out_;
  WordGap gap_ = WordGap::none;
};

// How many words such lines would have, without writing them.
class WordCount {
 public:
  void gap(WordGap gap) { in_word_ = in_word_ && gap == WordGap::none; }
  void words(std::string_view text) {
    split_words(
        text, [this] { in_word_ = false; }, [this](std::string_view) { begin_word(); });
  }
  void preformatted(std::string_view text) {
    for (const char c : text) {
      if (is_space(c)) {
        in_word_ = false;
      } else {
        begin_word();
      }
    }
  }
  std::size_t take() const { return count_; }

 private:
  void begin_word() {
    if (!in_word_) ++count_;
    in_word_ = true;
  }

  std::size_t count_ = 0;
  bool in_word_ = false;
};

// Calls enter(i), which says whether to go below i, and leave(i), for all nodes of the roots;
// skip(i) for those that are removed.
template <typename Enter, typename Leave, typename Skip>
void walk(const HtmlTree& tree, std::span<const NodeIndex> roots, const std::vector<bool>& removed,
          const Enter& enter, const Leave& leave, const Skip& skip) {
  std::vector<NodeIndex> open;
  NodeIndex done = 0;
  for (const NodeIndex root : roots) {
    if (root < done) continue;
    done = tree[root].end;
    for (NodeIndex i = root; i < done;) {
      while (!open.empty() && tree[open.back()].end <= i) {
        leave(open.back());
        open.pop_back();
      }
      const bool is_removed = !removed.empty() && removed[i];
      if (is_removed) skip(i);
      if (is_removed || !enter(i, i == root)) {
        i = tree[i].end;
      } else {
        open.push_back(i++);
      }
    }
    for (; !open.empty(); open.pop_back()) leave(open.back());
  }
}

// Writes what is seen to LineWriter, or counts it.
template <typename Out>
class Reader {
 public:
  explicit Reader(const HtmlTree& tree) : tree_(tree) {}

  bool enter(NodeIndex i, bool is_root) {
    const Node& node = tree_[i];
    if (is_root) lines_.gap(WordGap::line);
    if (node.kind == Node::Kind::text) {
      preformatted_ > 0 ? lines_.preformatted(node.name) : lines_.words(node.name);
      return false;
    }
    if (node.kind == Node::Kind::document) return true;
    const Manner& manner = showing_.of(node.name);
    if (!is_root && (node.in_template || manner.unseen || tree_.attribute(i, "hidden") != nullptr))
      return node.name == "head" && title(i);
    if (manner.block) lines_.gap(WordGap::line);
    if (manner.box) lines_.gap(WordGap::space);
    if (manner.preformatted) ++preformatted_;
    if ((node.name == "td" || node.name == "th") && node.previous_element != no_node && !is_root)
      separate_cells();
    write_own(i);
    return true;
  }

  void leave(NodeIndex i) {
    const Node& node = tree_[i];
    if (node.kind != Node::Kind::element) return;
    const Manner& manner = showing_.of(node.name);
    if (manner.preformatted) --preformatted_;
    if (manner.block) lines_.gap(WordGap::line);
    if (manner.box) lines_.gap(WordGap::space);
    if (node.name == "a") target(i);
  }

  // Lines that were apart stay so.
  void skip(NodeIndex i) {
    if (tree_[i].kind == Node::Kind::element && showing_.of(tree_[i].name).block)
      lines_.gap(WordGap::line);
  }

  auto take() { return lines_.take(); }

 private:
  // Of a head the title alone; false, as the rest is not gone through.
  bool title(NodeIndex head) {
    for (NodeIndex i = head + 1; i < tree_[head].end; ++i) {
      if (tree_[i].name != "title" || tree_[i].kind != Node::Kind::element || tree_[i].in_template)
        continue;
      lines_.gap(WordGap::line);
      for (NodeIndex text = i + 1; text < tree_[i].end; ++text) lines_.words(tree_[text].name);
      lines_.gap(WordGap::line);
    }
    return false;
  }

  void separate_cells() {
    lines_.gap(WordGap::space);
    lines_.words("|");
    lines_.gap(WordGap::space);
  }

  // What an element shows beside its content.
  void write_own(NodeIndex i) {
    const std::string_view name = tree_[i].name;
    if (name == "img" || name == "area") attribute(i, "alt");
    if (name == "meta") attribute(i, "content");
    if (name != "input") return;
    const Attribute* const type = tree_.attribute(i, "type");
    const std::string_view kind = type == nullptr ? std::string_view() : type->value;
    if (same_letters(kind, "checkbox") || same_letters(kind, "radio"))
      lines_.words(tree_.attribute(i, "checked") == nullptr ? "[_]" : "[x]");
    else if (same_letters(kind, "image"))
      attribute(i, "alt");
    else if (!same_letters(kind, "hidden") && !same_letters(kind, "password"))
      attribute(i, "value");
  }

  void attribute(NodeIndex i, std::string_view name) {
    if (const Attribute* found = tree_.attribute(i, name)) lines_.words(found->value);
  }

  void target(NodeIndex i) {
    const Attribute* href = tree_.attribute(i, "href");
    if (href == nullptr) href = tree_.attribute(i, "xlink:href");
    if (href == nullptr) return;
    std::string_view address = href->value;
    while (!address.empty() && is_space(address.front())) address.remove_prefix(1);
    while (!address.empty() && is_space(address.back())) address.remove_suffix(1);
    std::string shown = "<";
    for (const char c : address)
      if (c != '\t' && c != '\n' && c != '\r') shown += c;
    lines_.gap(WordGap::space);
    lines_.words(shown + '>');
  }

  const HtmlTree& tree_;
  Out lines_;
  Showing showing_;
  int preformatted_ = 0;
};

template <typename Out>
auto read(const HtmlTree& tree, std::span<const NodeIndex> roots,
          const std::vector<bool>& removed) {
  Reader<Out> reader(tree);
  walk(
      tree, roots, removed, [&](NodeIndex i, bool is_root) { return reader.enter(i, is_root); },
      [&](NodeIndex i) { reader.leave(i); }, [&](NodeIndex i) { reader.skip(i); });
  return reader.take();
}

void append_escaped(std::string& out, std::string_view text, bool in_attribute) {
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '"' && in_attribute)
      out += "&quot;";
    else if (c == '<' && !in_attribute)
      out += "&lt;";
    else if (c == '>' && !in_attribute)
      out += "&gt;";
    else
      out += c;
  }
}

void append_tag(std::string& out, const HtmlTree& tree, NodeIndex i) {
  const Attribute* const first = tree.attributes_of(i);
  std::vector<const Attribute*> sorted;
  for (const Attribute* at = first; at != first + tree[i].attributes; ++at) sorted.push_back(at);
  std::sort(sorted.begin(), sorted.end(),
            [](const Attribute* a, const Attribute* b) { return a->name < b->name; });
  out.append("<").append(tree[i].name);
  for (const Attribute* attribute : sorted) {
    out.append(" ").append(attribute->name).append("=\"");
    append_escaped(out, attribute->value, true);
    out += '"';
  }
  out += '>';
}

}  // namespace

std::string visible_text(const HtmlTree& tree, std::span<const NodeIndex> roots,
                         const std::vector<bool>& removed) {
  return read<LineWriter>(tree, roots, removed);
}

std::size_t visible_words(const HtmlTree& tree) {
  return read<WordCount>(tree, std::array<NodeIndex, 1>{0}, {});
}

std::string markup(const HtmlTree& tree, std::span<const NodeIndex> roots,
                   const std::vector<bool>& removed) {
  std::string out;
  const auto enter = [&](NodeIndex i, bool is_root) {
    const Node& node = tree[i];
    if (is_root && !out.empty()) out += '\n';
    if (node.kind == Node::Kind::element) append_tag(out, tree, i);
    if (node.kind != Node::Kind::text) return true;
    const Node& parent = tree[node.parent];
    if (parent.kind == Node::Kind::element && parent.space == Node::Space::html &&
        is_in(raw_texts, parent.name))
      out.append(node.name);
    else
      append_escaped(out, node.name, false);
    return false;
  };
  const auto leave = [&](NodeIndex i) {
    const Node& node = tree[i];
    if (node.kind != Node::Kind::element) return;
    if (node.space == Node::Space::html && is_in(without_end, node.name)) return;
    out.append("</").append(node.name).append(">");
  };
  walk(tree, roots, removed, enter, leave, [](NodeIndex) {});
  return out;
}

}  // namespace pollux::extract
