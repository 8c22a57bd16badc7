#include "pollux/agent/worker.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/extract/limits.hpp"
#include "pollux/extract/packed.hpp"

#include <chrono>
#include <exception>
#include <new>

namespace pollux::agent {
namespace {

constexpr auto longest = std::chrono::milliseconds(950);  // as for a look at home

// No programs: what a brain says must not start one here. What breaks off costs its page a look,
// not the agent its life.
std::variant<extract::Kept, extract::Failure> kept_of(const Extraction& task,
                                                      const extract::CompiledRules& rules) try {
  extract::Children none;
  none.refused = true;
  extract::Limits limits;
  limits.deadline = std::chrono::steady_clock::now() + longest;
  limits.children = &none;
  auto found = extract::extract({task.body, task.content_type}, rules, limits);
  if (!none.wanted) return found;
  return extract::Failure{extract::Failure::Kind::program, "an agent starts no programs", {}};
} catch (const std::bad_alloc&) {
  return extract::Failure{extract::Failure::Kind::too_complex, "not enough memory", {}};
} catch (const std::exception& problem) {
  return extract::Failure{extract::Failure::Kind::too_complex, problem.what(), {}};
}

}  // namespace

std::string extract_for_brain(const Extraction& task) {
  extract::Remote extraction;
  extraction.rules = extract::fingerprint(extract::rules_of(*task.rules));
  extraction.found = kept_of(task, *task.rules);
  if (auto* kept = std::get_if<extract::Kept>(&extraction.found); kept != nullptr && task.known) {
    detect::Digest digest;
    digest.update(kept->content);
    extraction.same = digest.finish() == *task.known;
    if (extraction.same) kept->content.clear();
  }
  if (task.wants_whole) {
    static const extract::SharedRules no_rules = extract::compile({}).value();
    auto whole = kept_of(task, *no_rules);
    auto* kept = std::get_if<extract::Kept>(&whole);
    extraction.whole = kept != nullptr ? std::move(kept->content) : std::string();
  }
  return extract::pack(extraction);
}

}  // namespace pollux::agent
