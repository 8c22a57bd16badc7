#include "pollux/extract/packed.hpp"

#include "pollux/base/bytes.hpp"
#include "pollux/extract/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pollux::extract {
namespace {

constexpr std::size_t most_rules = 4096;
constexpr std::size_t longest_rule = 64u << 10;
constexpr std::size_t longest_note = 4096;  // names, titles and messages
constexpr std::size_t most_packed_markers = 8;
const std::size_t longest_content = Limits().max_kept;

template <typename Bytes, typename Lines>
void lines(Bytes& bytes, Lines& all) {
  bytes.list(all, most_rules, [&](auto& line) { bytes.text(line, longest_rule); });
}

template <typename Bytes, typename Selectors>
void selectors(Bytes& bytes, Selectors& all) {
  bytes.list(all, most_rules, [&](auto& selector) {
    bytes.choice(selector.language, Selector::Language::jq);
    bytes.text(selector.text, longest_rule);
  });
}

template <typename Bytes, typename AnyRules>
void fields(Bytes& bytes, AnyRules& rules) {
  bytes.choice(rules.as, As::feed);
  selectors(bytes, rules.select);
  selectors(bytes, rules.remove);
  lines(bytes, rules.ignore);
  lines(bytes, rules.ignore_lines);
  lines(bytes, rules.keep_lines);
  bytes.maybe(rules.min_change, [&](auto& change) {
    bytes.choice(change.unit, MinChange::Unit::lines);
    bytes.real(change.value);
  });
  bytes.maybe(rules.alert, [&](auto& alert) {
    bytes.choice(alert.when, Alert::When::disappears);
    bytes.text(alert.pattern, longest_rule);
  });
  bytes.maybe(rules.number, [&](auto& number) {
    bytes.choice(number.when, Number::When::changes_by);
    bytes.real(number.amount.value);
    bytes.flag(number.amount.percent);
  });
  lines(bytes, rules.pipe);
  bytes.flag(rules.sort_lines);
  bytes.flag(rules.unique_lines);
  bytes.flag(rules.render);  // it is done already; part of the fingerprint
}

template <typename Bytes, typename AnyTraits>
void traits(Bytes& bytes, AnyTraits& seen) {
  bytes.text(seen.title, longest_note);
  bytes.number(seen.words);
  bytes.number(seen.password_fields);
  bytes.list(seen.markers, most_packed_markers, [&](auto& one) { bytes.text(one, longest_note); });
}

template <typename Bytes, typename AnyKept>
void kept(Bytes& bytes, AnyKept& content) {
  bytes.text(content.content, longest_content);
  bytes.choice(content.as, As::feed);
  bytes.text(content.media_type, longest_note);
  bytes.text(content.encoding, longest_note);
  bytes.list(content.matched, most_rules, [&](auto& count) { bytes.number(count); });
  traits(bytes, content.traits);
}

template <typename Bytes, typename AnyFailure>
void failure(Bytes& bytes, AnyFailure& why) {
  bytes.choice(why.kind, Failure::Kind::program);
  bytes.text(why.message, longest_note);
  traits(bytes, why.traits);
}

}  // namespace

std::string pack(const Rules& rules) {
  ByteWriter bytes;
  fields(bytes, rules);
  std::string packed = bytes.take();
  return packed.size() <= longest_packed_rules ? packed : std::string();
}

std::optional<Rules> unpack_rules(std::string_view packed) {
  if (packed.size() > longest_packed_rules) return {};
  ByteReader bytes(packed);
  Rules rules;
  fields(bytes, rules);
  if (!bytes.at_end()) return {};
  return rules;
}

std::string pack(const Remote& extraction) {
  ByteWriter bytes;
  bytes.text(extraction.rules, longest_note);
  bytes.flag(extraction.same);
  bytes.maybe(extraction.whole,
              [&](const std::string& text) { bytes.text(text, longest_content); });
  const auto* content = std::get_if<Kept>(&extraction.found);
  bytes.flag(content != nullptr);
  if (content != nullptr) {
    kept(bytes, *content);
  } else {
    Failure why = std::get<Failure>(extraction.found);
    why.message.resize(std::min(why.message.size(), longest_note));
    failure(bytes, why);
  }
  return bytes.take();
}

std::optional<Remote> unpack_extraction(std::string_view packed) {
  ByteReader bytes(packed);
  Remote extraction;
  bytes.text(extraction.rules, longest_note);
  bytes.flag(extraction.same);
  bytes.maybe(extraction.whole, [&](std::string& text) { bytes.text(text, longest_content); });
  bool is_content = false;
  bytes.flag(is_content);
  if (is_content) {
    kept(bytes, extraction.found.emplace<Kept>());
    const Kept& content = std::get<Kept>(extraction.found);
    if (content.as == As::automatic || (extraction.same && !content.content.empty())) return {};
  } else {
    failure(bytes, extraction.found.emplace<Failure>());
    if (extraction.same) return {};
  }
  if (!bytes.at_end()) return {};
  return extraction;
}

bool starts_program(const Rules& rules) {
  const auto is_filter = [](const Selector& selector) {
    return selector.language == Selector::Language::jq;
  };
  return !rules.pipe.empty() || std::ranges::any_of(rules.select, is_filter) ||
         std::ranges::any_of(rules.remove, is_filter);
}

}  // namespace pollux::extract
