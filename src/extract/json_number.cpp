#include "extract/json_number.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>

namespace pollux::extract {
namespace {

constexpr std::int64_t most_zeros = 20;  // that are written out
constexpr std::int64_t largest_exponent = 1'000'000'000;

}  // namespace

std::string canonical_number(std::string_view text) {
  const std::string_view sign = text.substr(0, text.starts_with('-') ? 1 : 0);
  const std::string_view number = text.substr(sign.size());
  const std::string_view mantissa = number.substr(0, number.find_first_of("eE"));
  std::int64_t exponent = 0;
  if (mantissa.size() < number.size()) {
    std::string_view written = number.substr(mantissa.size() + 1);
    if (written.starts_with('+')) written.remove_prefix(1);
    const auto [end, problem] =
        std::from_chars(written.data(), written.data() + written.size(), exponent);
    if (problem != std::errc{} || std::abs(exponent) > largest_exponent) return std::string(text);
  }
  const std::string_view whole = mantissa.substr(0, mantissa.find('.'));
  std::string digits(whole);
  if (whole.size() < mantissa.size()) digits += mantissa.substr(whole.size() + 1);
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, zeros);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.empty()) return "0";
  // The value is 0.digits × 10^point.
  const auto count = static_cast<std::int64_t>(digits.size());
  const std::int64_t point =
      static_cast<std::int64_t>(whole.size()) - static_cast<std::int64_t>(zeros) + exponent;
  if (point >= count && point - count <= most_zeros) {
    digits.append(static_cast<std::size_t>(point - count), '0');
  } else if (point > 0 && point < count) {
    digits.insert(static_cast<std::size_t>(point), 1, '.');
  } else if (point <= 0 && -point <= most_zeros) {
    digits.insert(0, "0." + std::string(static_cast<std::size_t>(-point), '0'));
  } else {
    if (count > 1) digits.insert(1, 1, '.');
    digits += 'e' + std::to_string(point - 1);
  }
  return std::string(sign) + digits;
}

}  // namespace pollux::extract
