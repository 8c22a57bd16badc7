// JSON filters by the program jq, in a child process: libjq can be neither interrupted nor limited.
#pragma once

#include "extract/json.hpp"
#include "pollux/base/result.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/extract/program.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pollux::extract {

// jq is asked whether it understands `filter`: an error is jq's, or says that it is not installed.
// `remove` wants a path, as del() takes it.
enum class JqUse { select, remove };
Status check_jq(const std::string& filter, JqUse use);

// One program for all of them, so that jq starts once: for each of `select` an array of what it
// yields, of the document without what `remove` names. No `select`: the whole document.
std::string jq_program(const std::vector<std::string>& remove,
                       const std::vector<std::string>& select);

// A filter that fails on this document is Failure::selector; a jq that fails is Failure::program.
std::variant<JsonResults, Failure> run_jq(const std::string& program, std::string_view json,
                                          const Limits& limits);
// The same of a jq that has ended.
std::variant<JsonResults, Failure> jq_results(const ProgramEnd& end, const Limits& limits);

}  // namespace pollux::extract
