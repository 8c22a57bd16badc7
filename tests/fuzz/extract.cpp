// Four lines (Content-Type, `as`, a selector, a pattern) and a document.
#include "pollux/extract/extract.hpp"

#include "extract/encoding.hpp"
#include "fuzz/fuzz.hpp"
#include "pollux/extract/significance.hpp"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  using namespace pollux::extract;
  std::string_view rest = fuzz::text(data, size);
  const auto line = [&rest] {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view taken = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return taken;
  };
  const std::string_view type = line();
  Rules rules;
  rules.as = as_of(line()).value_or(As::automatic);
  // No jq: a process for each document would be all that is measured here.
  if (const std::string selector(line()); !selector.empty()) {
    const bool xpath = selector[0] == '/' || selector[0] == '(';
    rules.select.push_back({xpath ? Selector::Language::xpath : Selector::Language::css, selector});
  }
  if (const std::string pattern(line()); !pattern.empty()) rules.ignore.push_back(pattern);
  const auto compiled = compile(rules);
  if (!compiled) return 0;
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  const auto result = extract::extract({rest, type}, **compiled, limits);
  if (const auto* kept = std::get_if<Kept>(&result)) {
    fuzz::check(kept->as != As::automatic, "as something");
    fuzz::check(kept->as == As::raw || is_utf8(kept->content), "UTF-8");
    fuzz::check(!kept->media_type.empty(), "of some type");
    fuzz::check(kept->matched.size() <= rules.select.size(), "one number a selector");
    fuzz::check(kept->content.size() <= limits.max_kept, "not too much");
    fuzz::check(kept->traits.title.size() <= 200 && is_utf8(kept->traits.title), "a short title");
    significance(**compiled, kept->content, rest);
  } else {
    fuzz::check(!std::get<Failure>(result).message.empty(), "a reason");
    fuzz::check(fuzz::is_inert(std::get<Failure>(result).message), "on one line");
  }
  return 0;
}
