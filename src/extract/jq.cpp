#include "extract/jq.hpp"

#include "pollux/base/text.hpp"
#include "pollux/extract/program.hpp"

#include <algorithm>
#include <chrono>

namespace pollux::extract {
namespace {

constexpr std::size_t longest_filter = 4096;
constexpr auto longest_filter_run = std::chrono::seconds(10);
// Of its processor: it may have to wait for it. Reading 10 MiB and printing them takes half of it.
constexpr auto longest_work = std::chrono::milliseconds(700);
constexpr std::size_t memory_of_jq = std::size_t{96} << 20U;
constexpr int failed_on_the_document = 5;
// Behind a line feed, because a filter may end in a comment. In parentheses nothing can be
// imported.
constexpr std::string_view close = "\n)";

// In the bounds every program has.
std::vector<std::string> command(const std::string& jq, const std::string& program) {
  return {jq, "-c", "-M", "-L", "/nonexistent", program};
}

std::string removing(const std::string& path) {
  return "del(" + path + std::string(close);
}

// "jq: error (at <stdin>:0): Cannot iterate over null" without what says nothing here.
std::string_view without_prefix(std::string_view complaint) {
  for (const std::string_view prefix : {"jq: error: ", "jq: error "}) {
    if (complaint.starts_with(prefix)) complaint.remove_prefix(prefix.size());
  }
  if (complaint.starts_with("(at ")) {
    const std::size_t end = complaint.find("): ");
    if (end != std::string_view::npos) complaint.remove_prefix(end + 3);
  }
  return complaint;
}

}  // namespace

Status check_jq(const std::string& filter, JqUse use) {
  const auto problem = [&filter](const std::string& what) {
    return Error{what + " in \"" + printable(filter, 200) + "\"", ExitCode::configuration};
  };
  if (filter.size() > longest_filter)
    return problem("more than " + std::to_string(longest_filter) + " characters");
  if (filter.find('\0') != std::string::npos) return problem("a NUL");
  const auto jq = find_program("jq");
  if (!jq) return Error{"jq is not installed: apt install jq", ExitCode::configuration};
  const std::string used =
      use == JqUse::remove ? removing(filter) : "(" + filter + std::string(close);
  std::vector<std::string> argv = command(*jq, "empty | " + used);
  argv.insert(argv.begin() + 1, "-n");
  const ProgramEnd end =
      run_program(argv, "", {.deadline = std::chrono::steady_clock::now() + longest_filter_run});
  if (end.ok()) return success();
  if (end.how == ProgramEnd::How::exited)
    return problem(std::string(without_prefix(end.complaint)));
  return problem("jq " + describe(end));
}

std::string jq_program(const std::vector<std::string>& remove,
                       const std::vector<std::string>& select) {
  std::string program;
  for (const std::string& path : remove) program += removing(path) + " | ";
  if (select.empty()) return program + "[.]";
  for (std::size_t i = 0; i < select.size(); ++i)
    program.append(i == 0 ? "[(" : ", [(").append(select[i]).append(close) += ']';
  return program;
}

std::variant<JsonResults, Failure> run_jq(const std::string& program, std::string_view json,
                                          const Limits& limits) {
  const auto jq = find_program("jq");
  if (!jq) return Failure{Failure::Kind::program, "jq is not installed: apt install jq"};
  const std::vector<std::string> argv = command(*jq, program);
  return jq_results(
      run_program(argv, json,
                  {.deadline = std::min(limits.deadline,
                                        std::chrono::steady_clock::now() + longest_filter_run),
                   .memory = memory_of_jq,
                   .max_output = limits.max_kept,
                   .processor = longest_work,
                   .children = limits.children}),
      limits);
}

std::variant<JsonResults, Failure> jq_results(const ProgramEnd& end, const Limits& limits) {
  if (end.complaint.find("cannot allocate memory") != std::string::npos)
    return Failure{Failure::Kind::too_complex, "jq needs more than 96 MiB"};
  if (end.how == ProgramEnd::How::exited && end.code == failed_on_the_document)
    return Failure{Failure::Kind::selector, "jq: " + std::string(without_prefix(end.complaint))};
  if (!end.ok()) return Failure{Failure::Kind::program, "jq " + describe(end)};
  auto results = json_results(end.output, limits);
  if (auto* no_json = std::get_if<NoJson>(&results))
    return Failure{Failure::Kind::program, "jq prints no JSON: " + no_json->reason};
  if (auto* too_complex = std::get_if<TooComplex>(&results))
    return Failure{Failure::Kind::too_complex, "jq: " + too_complex->reason};
  return std::move(std::get<JsonResults>(results));
}

}  // namespace pollux::extract
