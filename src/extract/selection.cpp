#include "extract/selection.hpp"

#include "extract/ascii_text.hpp"
#include "extract/bounds.hpp"
#include "extract/jq.hpp"
#include "extract/xpath.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/visible_text.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace pollux::extract {
namespace {

using Finds = std::variant<std::vector<Found>, Failure>;

std::string quoted(const Selector& selector) {
  return "\"" + printable(selector.text, 200) + "\"";
}

Failure failure(std::string_view rule, const Selector& selector, const XPathFailure& why) {
  return {why.too_complex ? Failure::Kind::too_complex : Failure::Kind::selector,
          std::string(rule) + ": " + why.reason + ": " + quoted(selector)};
}

Failure too_complex(std::string_view rule, const Selector& selector, const TooComplex& why) {
  return {Failure::Kind::too_complex,
          std::string(rule) + ": " + why.reason + ": " + quoted(selector)};
}

std::optional<Failure> nothing_matched(const CompiledRules& rules,
                                       const std::vector<std::size_t>& matched) {
  if (matched.empty() || std::accumulate(matched.begin(), matched.end(), std::size_t{0}) > 0)
    return {};
  Failure failure{Failure::Kind::selector, "select matches nothing: "};
  for (std::size_t i = 0; i < rules.select.size(); ++i)
    failure.message += (i == 0 ? "" : ", ") + quoted(rules.select[i].source);
  return failure;
}

// string(//x) of a document without x is an empty text, number(//x) is NaN.
bool has_text(const Found& found) {
  return found.node != no_node || !found.value || (!found.value->empty() && *found.value != "NaN");
}

// The searches of one HTML document; what XPath needs is made when it is first wanted.
class HtmlSearch {
 public:
  HtmlSearch(const HtmlTree& tree, const Limits& limits) : tree_(tree), limits_(limits) {}

  static bool fits(Selector::Language language) { return language != Selector::Language::jq; }

  Finds find(std::string_view rule, const CompiledSelector& selector) {
    return selector.css ? find_css(rule, selector) : find_xpath(rule, selector);
  }

 private:
  Finds find_css(std::string_view rule, const CompiledSelector& selector) const {
    auto matched = selector.css->match(tree_, limits_);
    if (const auto* why = std::get_if<TooComplex>(&matched))
      return too_complex(rule, selector.source, *why);
    std::vector<Found> found;
    for (const NodeIndex node : std::get<std::vector<NodeIndex>>(matched))
      found.push_back({node, std::nullopt, false});
    return found;
  }
  Finds find_xpath(std::string_view rule, const CompiledSelector& selector) {
    if (!document_) {
      auto made = XPathDocument::of(tree_, limits_);
      if (const auto* why = std::get_if<TooComplex>(&made))
        return too_complex(rule, selector.source, *why);
      document_ = std::move(std::get<XPathDocument>(made));
    }
    auto found = document_->find(selector.source.text, limits_);
    if (const auto* why = std::get_if<XPathFailure>(&found))
      return failure(rule, selector.source, *why);
    return std::move(std::get<std::vector<Found>>(found));
  }

  const HtmlTree& tree_;
  const Limits& limits_;
  std::optional<XPathDocument> document_;
};

// In document order, texts without a place last; an element before its attributes.
void put_in_order(std::vector<Found>& found) {
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (a.node != b.node) return a.node < b.node;
    return !a.value && b.value;
  });
  found.erase(std::unique(found.begin(), found.end(),
                          [](const Found& a, const Found& b) {
                            return a.node == b.node && a.node != no_node && a.value == b.value;
                          }),
              found.end());
}

void append_line(std::string& out, std::string_view text) {
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  out += text;
}

// Nodes as they read, the values of attributes and other texts on lines of their own.
std::string render(const HtmlTree& tree, const std::vector<Found>& found,
                   const std::vector<bool>& removed, As as) {
  std::string out;
  std::vector<NodeIndex> run;
  NodeIndex behind = 0;  // the last node that was taken whole
  const auto flush = [&] {
    if (!run.empty())
      append_line(out,
                  as == As::html ? markup(tree, run, removed) : visible_text(tree, run, removed));
    run.clear();
  };
  for (const Found& item : found) {
    if (item.node != no_node && item.node < removed.size() && removed[item.node]) continue;
    if (!item.value) {
      if (item.node < behind) continue;
      behind = tree[item.node].end;
      run.push_back(item.node);
    } else {
      flush();
      append_line(out, trimmed(*item.value));
    }
  }
  flush();
  return out;
}

// All selectors of a rule; `counts` says how many nodes each found.
template <typename Search>
std::optional<Failure> find_all(Search& search, std::string_view rule,
                                const std::vector<CompiledSelector>& selectors,
                                std::vector<Found>& found, std::vector<std::size_t>* counts) {
  for (const CompiledSelector& selector : selectors) {
    if (!Search::fits(selector.source.language)) {
      if (counts != nullptr) counts->push_back(0);
      continue;
    }
    Finds finds = search.find(rule, selector);
    if (auto* failed = std::get_if<Failure>(&finds)) return std::move(*failed);
    auto& some = std::get<std::vector<Found>>(finds);
    if (counts != nullptr)
      counts->push_back(
          static_cast<std::size_t>(std::count_if(some.begin(), some.end(), has_text)));
    found.insert(found.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
  }
  return {};
}

class XmlSearch {
 public:
  XmlSearch(XPathDocument& document, const Limits& limits) : document_(document), limits_(limits) {}

  static bool fits(Selector::Language language) { return language == Selector::Language::xpath; }
  Finds find(std::string_view rule, const CompiledSelector& selector) {
    auto found = document_.find(selector.source.text, limits_);
    if (const auto* why = std::get_if<XPathFailure>(&found))
      return failure(rule, selector.source, *why);
    return std::move(std::get<std::vector<Found>>(found));
  }

 private:
  XPathDocument& document_;
  const Limits& limits_;
};

}  // namespace

std::variant<Selected, Failure> select_html(const HtmlTree& tree, const CompiledRules& rules, As as,
                                            const Limits& limits) {
  HtmlSearch search(tree, limits);
  Selected selected;
  std::vector<Found> kept, taken_out;
  if (auto failed = find_all(search, "select", rules.select, kept, &selected.matched))
    return std::move(*failed);
  if (auto failed = nothing_matched(rules, selected.matched)) return std::move(*failed);
  if (rules.select.empty()) kept.push_back({0, std::nullopt, false});
  if (auto failed = find_all(search, "remove", rules.remove, taken_out, nullptr))
    return std::move(*failed);
  std::vector<bool> removed;
  put_in_order(taken_out);
  for (const Found& item : taken_out) {
    if (item.value || item.node == no_node) continue;  // an attribute is no part of the text
    removed.resize(tree.nodes().size());
    if (removed[item.node]) continue;
    // Those below, too: one of them may have been selected.
    for (NodeIndex i = item.node; i < tree[item.node].end; ++i) removed[i] = true;
  }
  put_in_order(kept);
  selected.content = render(tree, kept, removed, as);
  return selected;
}

std::variant<Selected, Failure> select_xml(std::string_view utf8, const CompiledRules& rules,
                                           const Limits& limits) {
  std::string message = rules.select.empty() ? "remove: " : "select: ";
  auto parsed = XPathDocument::of_xml(utf8, limits);
  if (const auto* why = std::get_if<Unreadable>(&parsed))
    return Failure{Failure::Kind::not_readable, message.append("no XML: ").append(why->reason)};
  if (const auto* why = std::get_if<TooComplex>(&parsed))
    return Failure{Failure::Kind::too_complex, message.append(why->reason)};
  auto& document = std::get<XPathDocument>(parsed);
  XmlSearch search(document, limits);
  Selected selected;
  std::vector<Found> kept, taken_out;
  if (auto failed = find_all(search, "remove", rules.remove, taken_out, nullptr))
    return std::move(*failed);
  document.remove(taken_out);
  if (auto failed = find_all(search, "select", rules.select, kept, &selected.matched))
    return std::move(*failed);
  if (auto failed = nothing_matched(rules, selected.matched)) return std::move(*failed);
  if (rules.select.empty()) {
    const std::vector<CompiledSelector> all = {
        {{Selector::Language::xpath, "//text()[normalize-space()]"}, std::nullopt}};
    if (auto failed = find_all(search, "remove", all, kept, nullptr)) return std::move(*failed);
  }
  put_in_order(kept);
  for (const Found& item : kept) append_line(selected.content, trimmed(item.value.value_or("")));
  return selected;
}

std::variant<Selected, Failure> select_json(std::string_view utf8, const CompiledRules& rules,
                                            const Limits& limits) {
  auto results = run_jq(rules.jq, utf8, limits);
  if (auto* failed = std::get_if<Failure>(&results)) {
    failed->message = (rules.select.empty() ? "remove: " : "select: ") + failed->message;
    return std::move(*failed);
  }
  auto& found = std::get<JsonResults>(results);
  Selected selected;
  std::size_t asked = 0;
  for (const CompiledSelector& selector : rules.select) {
    const bool jq = selector.source.language == Selector::Language::jq;
    selected.matched.push_back(jq && asked < found.counts.size() ? found.counts[asked++] : 0);
  }
  if (auto failed = nothing_matched(rules, selected.matched)) return std::move(*failed);
  selected.content = std::move(found.text);
  return selected;
}

}  // namespace pollux::extract
