#include "pollux/extract/extract.hpp"

#include "extract/bounds.hpp"
#include "extract/compiled_rules.hpp"
#include "extract/feed.hpp"
#include "extract/json.hpp"
#include "extract/selection.hpp"
#include "extract/source.hpp"
#include "extract/traits.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/program.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace pollux::extract {
namespace {

using FailureKind = Failure::Kind;
using Language = Selector::Language;
constexpr auto longest_run = std::chrono::seconds(10);

// What the rules say, or the document where they leave it open.
As as_for(const Source& source, const CompiledRules& rules) {
  const As wanted = rules.rules.as;
  const bool strict = wanted == As::json || wanted == As::feed;
  if (!source.is_text() && !strict) return As::raw;
  if (source.shape() == Shape::json && !rules.jq.empty()) return As::json;
  if (wanted != As::automatic) return wanted;
  const bool xpath = rules.has(Language::xpath);
  switch (source.shape()) {
    case Shape::html:
      return As::text;
    case Shape::json:
      return As::json;
    case Shape::xml:
      if (source.is_feed() && !xpath) return As::feed;
      break;
    case Shape::text:
    case Shape::other:
      break;
  }
  return rules.need_text() || !rules.select.empty() || !rules.remove.empty() ? As::text : As::raw;
}

std::string with_line_feeds(const std::string& text) {
  if (text.find('\r') == std::string::npos) return text;
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

class Extraction {
 public:
  Extraction(const CompiledRules& rules, const Limits& limits) : rules_(rules), limits_(limits) {}

  std::variant<Kept, Failure> run(const Document& document) {
    Source source(document, rules_.pipe.empty() ? rules_.rules.as : As::automatic);
    kept_.media_type = source.media_type();
    kept_.encoding = source.encoding();
    const bool ok = rules_.pipe.empty() ? keep(source) : keep_from_pipe(source);
    if (!ok) return std::move(*failure_);
    return std::move(kept_);
  }

 private:
  bool fail(FailureKind kind, std::string message) {
    failure_ = Failure{kind, std::move(message)};
    return false;
  }
  std::string as_rule(As as) const { return "as: " + std::string(name_of(as)); }

  bool keep_from_pipe(Source& source) {
    if (source.is_text() && source.shape() == Shape::html) look_at(source);
    ProgramEnd end = run_program(
        rules_.pipe, source.bytes(),
        {.deadline = std::min(limits_.deadline, std::chrono::steady_clock::now() + longest_run),
         .max_output = limits_.max_kept,
         .children = limits_.children});
    if (!end.ok())
      return fail(FailureKind::program,
                  "pipe: " + printable(rules_.rules.pipe.front(), 200) + " " + describe(end));
    // What it printed is a document by itself; nobody says of which kind.
    const Traits traits = std::move(kept_.traits);
    Source printed({.body = end.output, .content_type = ""}, rules_.rules.as);
    const bool ok = keep(printed);
    kept_.traits = traits;
    return ok;
  }

  bool keep(Source& source) {
    kept_.as = as_for(source, rules_);
    if (const auto unfit = unfit_selector(source, kept_.as))
      return fail(FailureKind::not_readable, *unfit);
    const bool ok = keep_as(source, kept_.as);
    if (!ok) return false;
    if (source.is_text()) {
      if (auto problem = rules_.patterns.apply(kept_.content, limits_))
        return fail(FailureKind::too_complex, "ignore: " + problem->reason);
    }
    if (kept_.content.size() > limits_.max_kept)
      return fail(FailureKind::too_complex, too_long_to_keep(limits_).reason);
    return true;
  }

  // The first `select` that this document cannot be asked with, if it can be asked with none. What
  // a `remove` is written for is not there to be removed.
  std::optional<std::string> unfit_selector(const Source& source, As as) const {
    std::optional<std::string> unfit;
    for (const CompiledSelector& selector : rules_.select) {
      const Language language = selector.source.language;
      const bool fits = language == Language::jq       ? as == As::json
                        : source.shape() == Shape::xml ? language == Language::xpath
                                                       : source.shape() == Shape::html;
      if (fits && source.is_text()) return std::nullopt;
      if (unfit) continue;
      unfit = std::string("select: ") +
              (language == Language::jq      ? "jq wants JSON"
               : language == Language::xpath ? "XPath wants HTML or XML"
                                             : "CSS wants HTML") +
              ", and this is " +
              (source.is_text() ? printable(source.media_type(), 100) : "no text") + ": \"" +
              printable(selector.source.text, 200) + "\"";
    }
    return unfit;
  }

  bool keep_as(Source& source, As as) {
    switch (as) {
      case As::json:
        return keep_json(source);
      case As::feed:
        return keep_feed(source);
      case As::text:
      case As::html:
        if (source.shape() == Shape::html) return keep_html(source, as);
        if (source.shape() == Shape::xml && rules_.has(Language::xpath))
          return keep_selected(select_xml(source.text(), rules_, limits_));
        kept_.content = with_line_feeds(source.text());
        return true;
      case As::raw:
      case As::automatic:
        break;
    }
    if (source.is_text() && source.shape() == Shape::html) look_at(source);
    // Patterns are written for text.
    const bool text = source.is_text() && !rules_.patterns.empty();
    kept_.content = text ? source.text() : std::string(source.bytes());
    return true;
  }

  bool keep_selected(std::variant<Selected, Failure> selected) {
    if (auto* failed = std::get_if<Failure>(&selected)) {
      failure_ = std::move(*failed);
      return false;
    }
    kept_.content = std::move(std::get<Selected>(selected).content);
    kept_.matched = std::move(std::get<Selected>(selected).matched);
    return true;
  }

  // The traits alone. A document beyond the limits has none.
  void look_at(Source& source) {
    const auto parsed = HtmlTree::parse(source.text(), limits_);
    if (const auto* tree = std::get_if<HtmlTree>(&parsed))
      kept_.traits = traits_of(*tree, source.text());
  }

  bool keep_html(Source& source, As as) {
    const auto parsed = HtmlTree::parse(source.text(), limits_);
    if (const auto* too_complex = std::get_if<TooComplex>(&parsed))
      return fail(FailureKind::too_complex, too_complex->reason);
    const auto& tree = std::get<HtmlTree>(parsed);
    if (!keep_selected(select_html(tree, rules_, as, limits_))) {
      if (failure_->kind == FailureKind::selector)
        failure_->traits = traits_of(tree, source.text());
      return false;
    }
    kept_.traits = traits_of(tree, source.text());
    return true;
  }

  bool keep_json(Source& source) {
    if (!rules_.jq.empty()) return keep_filtered(source);
    auto canonical = canonical_json(source.text(), limits_);
    if (const auto* too_complex = std::get_if<TooComplex>(&canonical))
      return fail_as_json(*too_complex);
    if (const auto* no_json = std::get_if<NoJson>(&canonical))
      return rules_.rules.as == As::json ? fail_as_json(*no_json) : keep_unread(source);
    kept_.content = std::move(std::get<std::string>(canonical));
    return true;
  }
  bool keep_filtered(Source& source) {
    const auto checked = check_json(source.text(), limits_);
    if (const auto* too_complex = std::get_if<TooComplex>(&checked))
      return fail_as_json(*too_complex);
    if (const auto* no_json = std::get_if<NoJson>(&checked)) return fail_as_json(*no_json);
    return keep_selected(select_json(source.text(), rules_, limits_));
  }
  bool fail_as_json(const TooComplex& why) {
    return fail(FailureKind::too_complex, as_rule(As::json) + ": " + why.reason);
  }
  bool fail_as_json(const NoJson& why) {
    return fail(FailureKind::not_readable, as_rule(As::json) + ": no JSON: " + why.reason);
  }

  bool keep_feed(Source& source) {
    auto entries = feed_entries(source.text(), limits_);
    if (const auto* too_complex = std::get_if<TooComplex>(&entries))
      return fail(FailureKind::too_complex, as_rule(As::feed) + ": " + too_complex->reason);
    if (const auto* unreadable = std::get_if<Unreadable>(&entries)) {
      if (rules_.rules.as == As::feed)
        return fail(FailureKind::not_readable,
                    as_rule(As::feed) + ": no feed: " + unreadable->reason);
      return keep_unread(source);
    }
    kept_.content = std::move(std::get<std::string>(entries));
    return true;
  }

  // It is not what its media type says, and nobody asked for that.
  bool keep_unread(Source& source) {
    kept_.as = rules_.need_text() ? As::text : As::raw;
    kept_.content =
        rules_.need_text() ? with_line_feeds(source.text()) : std::string(source.bytes());
    return true;
  }

  const CompiledRules& rules_;
  const Limits& limits_;
  Kept kept_;
  std::optional<Failure> failure_;
};

}  // namespace

std::variant<Kept, Failure> extract(const Document& document, const CompiledRules& rules,
                                    const Limits& limits) {
  return Extraction(rules, limits).run(document);
}

}  // namespace pollux::extract
