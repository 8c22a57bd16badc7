#include "pollux/extract/rules.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace pollux::extract {

namespace {

constexpr std::array<std::string_view, 6> names = {"auto", "raw", "text", "html", "json", "feed"};

// FNV-1a over all fields, each with its length, so that no two ways of cutting them are alike.
class Mix {
 public:
  void add(std::string_view text) {
    add(static_cast<double>(text.size()));
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  void add(double number) { add_bytes(&number, sizeof number); }
  void add(const std::vector<std::string>& texts) {
    add(static_cast<double>(texts.size()));
    for (const std::string& text : texts) add(text);
  }
  void add(const std::vector<Selector>& selectors) {
    add(static_cast<double>(selectors.size()));
    for (const Selector& selector : selectors) {
      add(static_cast<double>(selector.language));
      add(selector.text);
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  void byte(unsigned char b) { value_ = (value_ ^ b) * 0x100000001b3ULL; }
  void add_bytes(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) byte(bytes[i]);
  }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string_view name_of(As as) {
  return names[static_cast<std::size_t>(as)];
}

std::optional<As> as_of(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<As>(i);
  }
  return std::nullopt;
}

std::string fingerprint(const Rules& rules) {
  Mix mix;
  mix.add(static_cast<double>(rules.as));
  mix.add(rules.select);
  mix.add(rules.remove);
  mix.add(rules.ignore);
  mix.add(rules.ignore_lines);
  mix.add(rules.keep_lines);
  mix.add(rules.pipe);
  mix.add(rules.min_change ? 1.0 + static_cast<double>(rules.min_change->unit) : 0.0);
  if (rules.min_change) mix.add(rules.min_change->value);
  mix.add(rules.alert ? 1.0 + static_cast<double>(rules.alert->when) : 0.0);
  if (rules.alert) mix.add(rules.alert->pattern);
  mix.add(rules.number ? 1.0 + static_cast<double>(rules.number->when) : 0.0);
  if (rules.number) {
    mix.add(rules.number->amount.value);
    mix.add(rules.number->amount.percent ? 1.0 : 0.0);
  }
  // What is absent adds nothing: rules from before there were such keys keep their fingerprints.
  if (rules.sort_lines) mix.add("sort_lines");
  if (rules.unique_lines) mix.add("unique_lines");
  if (rules.render) mix.add("render");
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(mix.value()));
  return digits.data();
}

}  // namespace pollux::extract
