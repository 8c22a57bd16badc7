// What stands around jq: how it ends and what it prints, read back; filters that are put together
// to one program; and, for one input in some, the program itself. Zero bytes part two filters, a
// document, what jq prints and what it complains of.
#include "extract/jq.hpp"

#include "extract/encoding.hpp"
#include "fuzz/fuzz.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace {

using namespace pollux;
using namespace pollux::extract;

// A process takes longer than all else here.
constexpr std::size_t one_in = 32;

Limits bounded() {
  Limits limits;
  limits.max_kept = std::size_t{1} << 20U;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  return limits;
}

void check_results(const std::variant<JsonResults, Failure>& got, const Limits& limits) {
  if (const auto* failed = std::get_if<Failure>(&got)) {
    fuzz::check(!failed->message.empty() && fuzz::is_inert(failed->message), "a reason, one line");
    return;
  }
  const auto& results = std::get<JsonResults>(got);
  fuzz::check(results.text.size() <= limits.max_kept, "not too much");
  fuzz::check(is_utf8(results.text), "UTF-8");
  std::size_t values = 0;
  for (const std::size_t count : results.counts) values += count;
  fuzz::check((values == 0) == results.text.empty(), "text where there are values");
}

void check_output(std::string_view printed, std::string_view complaint, std::uint8_t how) {
  using How = ProgramEnd::How;
  constexpr std::array<How, 6> ends = {How::exited,          How::killed,  How::out_of_time,
                                       How::too_much_output, How::stopped, How::not_started};
  ProgramEnd end;
  end.how = ends[how % ends.size()];
  end.code = how / ends.size();
  end.output = printed;
  end.complaint = complaint_in(complaint);
  const Limits limits = bounded();
  check_results(jq_results(end, limits), limits);
  // As if all had gone well.
  end.how = How::exited;
  end.code = 0;
  check_results(jq_results(end, limits), limits);
}

// What jq understands of each filter by itself, it understands of all of them together.
void check_filters(const std::string& select, const std::string& remove,
                   std::string_view document) {
  const Status selects = check_jq(select, JqUse::select), removes = check_jq(remove, JqUse::remove);
  for (const Status& status : {selects, removes})
    fuzz::check(status.ok() || fuzz::is_inert(status.error().message), "a reason, one line");
  const Limits limits = bounded();
  const auto asked = [&](const std::vector<std::string>& without,
                         const std::vector<std::string>& filters) {
    const auto got = run_jq(jq_program(without, filters), document, limits);
    check_results(got, limits);
    const auto* failed = std::get_if<Failure>(&got);
    const bool refused = failed != nullptr && failed->kind == Failure::Kind::program &&
                         failed->message.starts_with("jq ends with status 3");
    fuzz::check(!refused, "a program that jq understands");
  };
  if (selects.ok()) asked({}, {select, ".", select});
  if (removes.ok()) asked({remove, remove}, {});
  if (selects.ok() && removes.ok()) asked({remove}, {select});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view rest = fuzz::text(data, size).substr(1);
  const auto part = [&rest] {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view taken = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return taken;
  };
  const std::string select(part()), remove(part());
  const std::string_view document = part(), printed = part();
  check_output(printed, rest, data[0]);
  const std::string program = jq_program({remove}, {select, select});
  fuzz::check(program.find(select) != std::string::npos && program.ends_with("\n)]"),
              "nothing runs into what follows it");
  static thread_local std::size_t inputs = 0;
  if (++inputs % one_in == 0) check_filters(select, remove, document);
  return 0;
}
