#include "extract/compiled_rules.hpp"
#include "extract/jq.hpp"
#include "extract/xpath.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/extract/program.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace pollux::extract {
namespace {

using Language = Selector::Language;

Error error(const std::string& rule, const std::string& reason) {
  return Error{rule + ": " + reason, ExitCode::configuration};
}

std::string quoted(const std::string& text) {
  return "\"" + printable(text, 200) + "\"";
}

std::string_view name_of(Language language) {
  switch (language) {
    case Language::css:
      return "CSS";
    case Language::xpath:
      return "XPath";
    case Language::jq:
      break;
  }
  return "jq";
}

// What does not go together, whatever the document is.
Status check_language(const std::string& rule, const Selector& selector, As as) {
  if (selector.text.empty()) return error(rule, "an empty selector");
  if (as == As::raw)
    return error(rule, "as: raw keeps the bytes as they are; as: html keeps markup");
  if (as == As::feed) return error(rule, "as: feed keeps whole entries; as: text takes XPath");
  const bool jq = selector.language == Language::jq;
  if (as == As::json && !jq)
    return error(rule, "as: json takes jq, and " + quoted(selector.text) + " is " +
                           std::string(name_of(selector.language)));
  return success();
}

Result<CompiledSelector> compile_selector(const std::string& rule, const Selector& selector,
                                          As as) {
  if (const Status checked = check_language(rule, selector, as); !checked) return checked.error();
  CompiledSelector compiled{selector, std::nullopt};
  Status status = success();
  if (selector.language == Language::css) {
    auto parsed = CssSelector::parse(selector.text);
    if (!parsed) return error(rule, parsed.error().message + " in " + quoted(selector.text));
    compiled.css = std::move(*parsed);
  } else if (selector.language == Language::xpath) {
    status = check_xpath(selector.text);
  } else {
    status = check_jq(selector.text, rule == "remove" ? JqUse::remove : JqUse::select);
  }
  if (!status) return error(rule, status.error().message);
  return compiled;
}

Status compile_selectors(const std::string& rule, const std::vector<Selector>& selectors, As as,
                         std::vector<CompiledSelector>& to) {
  for (const Selector& selector : selectors) {
    auto compiled = compile_selector(rule, selector, as);
    if (!compiled) return compiled.error();
    to.push_back(std::move(*compiled));
  }
  return success();
}

Status compile_patterns(const std::string& rule, const std::vector<std::string>& texts,
                        std::vector<Pattern>& to) {
  for (const std::string& text : texts) {
    auto compiled = Pattern::compile(text);
    if (!compiled) return error(rule, compiled.error().message);
    to.push_back(std::move(*compiled));
  }
  return success();
}

std::vector<std::string> jq_of(const std::vector<CompiledSelector>& selectors) {
  std::vector<std::string> texts;
  texts.reserve(selectors.size());
  for (const CompiledSelector& selector : selectors) {
    if (selector.source.language == Language::jq) texts.push_back(selector.source.text);
  }
  return texts;
}

Status compile_pipe(CompiledRules& compiled) {
  const std::vector<std::string>& pipe = compiled.rules.pipe;
  if (pipe.empty()) return success();
  for (const std::string& argument : pipe) {
    if (argument.find('\0') != std::string::npos) return error("pipe", "a NUL in an argument");
  }
  const auto path = find_program(pipe.front());
  if (!path)
    return error("pipe",
                 "no program " + quoted(pipe.front()) +
                     (pipe.front().starts_with('/') ? " can be run"
                                                    : " in /usr/local/bin, /usr/bin or /bin"));
  compiled.pipe = pipe;
  compiled.pipe.front() = *path;
  return success();
}

Status check_amounts(const Rules& rules) {
  if (rules.min_change && !(rules.min_change->value >= 0 && std::isfinite(rules.min_change->value)))
    return error("min_change", "not a number of words or lines");
  if (!rules.number) return success();
  if (!std::isfinite(rules.number->amount.value)) return error("number", "not a number");
  const bool change = rules.number->when == Number::When::changes_by;
  if (change && rules.number->amount.value < 0)
    return error("number", "changes_by less than nothing");
  if (!change && rules.number->amount.percent)
    return error("number", "below and above take a number, not a part");
  return success();
}

}  // namespace

bool CompiledRules::has(Language language) const {
  const auto speaks = [language](const CompiledSelector& selector) {
    return selector.source.language == language;
  };
  return std::any_of(select.begin(), select.end(), speaks) ||
         std::any_of(remove.begin(), remove.end(), speaks);
}

bool CompiledRules::need_text() const {
  return !patterns.empty() || rules.min_change || rules.alert || rules.number ||
         !rules.pipe.empty();
}

const Rules& rules_of(const CompiledRules& compiled) {
  return compiled.rules;
}

std::size_t size_of_patterns(const CompiledRules& compiled) {
  return compiled.patterns.steps_a_byte() + (compiled.alert ? compiled.alert->steps_a_byte() : 0);
}

Result<SharedRules> compile(const Rules& rules) {
  auto compiled = std::make_shared<CompiledRules>();
  compiled->rules = rules;
  Patterns& patterns = compiled->patterns;
  for (const auto& [rule, selectors, to] :
       {std::tuple("select", &rules.select, &compiled->select),
        std::tuple("remove", &rules.remove, &compiled->remove)}) {
    if (const Status status = compile_selectors(rule, *selectors, rules.as, *to); !status)
      return status.error();
  }
  // jq asks JSON, CSS and XPath ask HTML: each document is asked by those that fit it.
  if (compiled->has(Language::jq))
    compiled->jq = jq_program(jq_of(compiled->remove), jq_of(compiled->select));
  for (const auto& [rule, texts, to] :
       {std::tuple("ignore", &rules.ignore, &patterns.ignore),
        std::tuple("ignore_lines", &rules.ignore_lines, &patterns.ignore_lines),
        std::tuple("keep_lines", &rules.keep_lines, &patterns.keep_lines)}) {
    if (const Status status = compile_patterns(rule, *texts, *to); !status) return status.error();
  }
  patterns.sort_lines = rules.sort_lines;
  patterns.unique_lines = rules.unique_lines;
  if (rules.alert) {
    auto alert = Pattern::compile(rules.alert->pattern);
    if (!alert) return error("alert", alert.error().message);
    compiled->alert = std::move(*alert);
  }
  if (const Status status = check_amounts(rules); !status) return status.error();
  if (const Status status = compile_pipe(*compiled); !status) return status.error();
  return SharedRules(std::move(compiled));
}

}  // namespace pollux::extract
