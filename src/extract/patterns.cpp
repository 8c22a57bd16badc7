#include "extract/patterns.hpp"

#include "extract/bounds.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include <re2/re2.h>

namespace pollux::extract {
namespace {

constexpr std::int64_t memory_of_pattern = 8 << 20;
constexpr std::size_t longest_pattern = 4096;
constexpr std::size_t lines_between_looks_at_the_clock = 256;
// About half a second, where RE2 has no memory for a faster way.
constexpr std::size_t steps_here = 100'000'000;
constexpr auto longest_alone = std::chrono::seconds(1);
constexpr std::size_t memory_of_child = std::size_t{64} << 20U;

re2::StringPiece piece_of(std::string_view text) {
  return {text.data(), text.size()};
}

bool any(const std::vector<Pattern>& patterns, std::string_view line) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [line](const Pattern& pattern) { return pattern.matches(line); });
}

}  // namespace

Result<Pattern> Pattern::compile(const std::string& text) {
  if (text.empty()) return Error{"an empty pattern matches everywhere", ExitCode::configuration};
  if (text.size() > longest_pattern)
    return Error{"a pattern of more than " + std::to_string(longest_pattern) + " characters",
                 ExitCode::configuration};
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory_of_pattern);
  auto compiled = std::make_shared<const RE2>("(?m)" + text, options);
  if (!compiled->ok()) {
    std::string why = compiled->error();
    if (const std::size_t ours = why.find("(?m)"); ours != std::string::npos) why.erase(ours, 4);
    return Error{why + " in \"" + printable(text, 200) + "\"", ExitCode::configuration};
  }
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  return compiled_->Match(piece_of(text), 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

std::size_t Pattern::steps_a_byte() const {
  return static_cast<std::size_t>(std::max(compiled_->ProgramSize(), 1));
}

// Another thread may hold a lock of this one, for ever as a child sees it.
Pattern Pattern::copy() const {
  return Pattern(std::make_shared<const RE2>(compiled_->pattern(), compiled_->options()));
}

std::optional<bool> Pattern::matches_in_time(std::string_view text) const {
  if (steps_a_byte() * text.size() <= steps_here) return matches(text);
  const ProgramEnd end = run_in_child(
      [&] { return std::string(copy().matches(text) ? "yes" : "no"); },
      {.deadline = std::chrono::steady_clock::now() + longest_alone, .memory = memory_of_child});
  if (!end.ok()) return {};
  return end.output == "yes";
}

std::optional<TooComplex> Pattern::drop_from(std::string& text, const Limits& limits) const {
  const re2::StringPiece all = piece_of(text);
  std::string kept;
  std::size_t copied = 0;
  std::size_t at = 0;
  while (at <= text.size()) {
    re2::StringPiece found;
    if (!compiled_->Match(all, at, text.size(), RE2::UNANCHORED, &found, 1)) break;
    const auto start = static_cast<std::size_t>(found.data() - text.data());
    kept.append(text, copied, start - copied);
    copied = start + found.size();
    at = found.empty() ? start + 1 : copied;  // an empty one drops nothing
    if (out_of_time(limits)) return took_too_long();
  }
  if (copied == 0 && kept.empty()) return {};
  kept.append(text, copied);
  text = std::move(kept);
  return {};
}

std::size_t Patterns::steps_a_byte() const {
  std::size_t steps = 0;
  for (const auto* some : {&ignore, &ignore_lines, &keep_lines})
    for (const Pattern& pattern : *some) steps += pattern.steps_a_byte();
  return steps;
}

std::optional<TooComplex> Patterns::apply(std::string& text, const Limits& limits) const {
  if (steps_a_byte() * text.size() <= steps_here) return apply_here(text, limits);
  const auto longest_run = std::chrono::steady_clock::now() + 10 * longest_alone;
  ProgramEnd end = run_in_child(
      [&] {
        Patterns copies;
        for (const Pattern& one : ignore) copies.ignore.push_back(one.copy());
        for (const Pattern& one : ignore_lines) copies.ignore_lines.push_back(one.copy());
        for (const Pattern& one : keep_lines) copies.keep_lines.push_back(one.copy());
        copies.sort_lines = sort_lines;
        copies.unique_lines = unique_lines;
        const auto problem = copies.apply_here(text, limits);
        return problem ? "!" + problem->reason : "=" + text;
      },
      {.deadline = std::min(limits.deadline, longest_run),
       .memory = memory_of_child,
       .max_output = text.size() + 1,
       .children = limits.children});
  if (!end.ok() || end.output.empty()) return took_too_long();
  if (end.output.front() == '!') return TooComplex{end.output.substr(1)};
  end.output.erase(0, 1);
  text = std::move(end.output);
  return {};
}

std::optional<TooComplex> Patterns::apply_here(std::string& text, const Limits& limits) const {
  for (const Pattern& pattern : ignore) {
    if (auto problem = pattern.drop_from(text, limits)) return problem;
  }
  if (auto problem = drop_lines(text, limits)) return problem;
  if (sort_lines || unique_lines) put_lines_in_order(text);
  return {};
}

std::optional<TooComplex> Patterns::drop_lines(std::string& text, const Limits& limits) const {
  if (ignore_lines.empty() && keep_lines.empty()) return {};
  std::string kept;
  std::string_view rest = text;
  std::size_t lines = 0;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const std::string_view with_end = rest.substr(0, end + 1);
    rest.remove_prefix(with_end.size());
    if (++lines % lines_between_looks_at_the_clock == 0 && out_of_time(limits))
      return took_too_long();
    if (any(ignore_lines, line) || (!keep_lines.empty() && !any(keep_lines, line))) continue;
    kept += with_end;
  }
  text = std::move(kept);
  return {};
}

void Patterns::put_lines_in_order(std::string& text) const {
  std::vector<std::string_view> lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (sort_lines) std::sort(lines.begin(), lines.end());
  std::unordered_set<std::string_view> seen;
  std::string ordered;
  ordered.reserve(text.size() + 1);
  for (const std::string_view line : lines) {
    if (unique_lines && !seen.insert(line).second) continue;
    ordered.append(line) += '\n';
  }
  text = std::move(ordered);
}

}  // namespace pollux::extract
