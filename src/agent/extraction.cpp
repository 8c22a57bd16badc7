#include "agent/messages.hpp"
#include "agent/put_aside.hpp"
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

fetch::Remote::Hash hash_of(const std::string& content) {
  detect::Digest digest;
  digest.update(content);
  return digest.finish();
}

// Nothing: it travels at once.
std::optional<SetAside> put_aside(std::string& content, const fetch::Remote::Hash& hash) {
  if (content.size() < PutAside::smallest) return {};
  Result squeezed;
  put_body(squeezed, content);
  if (squeezed.body.size() > PutAside::largest) return {};
  content.clear();
  return SetAside{hash, squeezed.size, squeezed.squeezed, std::move(squeezed.body)};
}

}  // namespace

Extracted extract_for_brain(const Extraction& task) {
  Extracted extracted;
  extract::Remote extraction;
  extraction.rules = extract::fingerprint(extract::rules_of(*task.rules));
  extraction.found = kept_of(task, *task.rules);
  auto* found = std::get_if<extract::Kept>(&extraction.found);
  if (found != nullptr && (task.known || task.hash_first)) {
    const fetch::Remote::Hash hash = hash_of(found->content);
    extraction.same = hash == task.known;
    if (extraction.same) found->content.clear();
    if (task.hash_first && !extraction.same) extracted.aside = put_aside(found->content, hash);
  }
  if (task.wants_whole) {
    static const extract::SharedRules no_rules = extract::compile({}).value();
    auto whole = kept_of(task, *no_rules);
    auto* kept = std::get_if<extract::Kept>(&whole);
    extraction.whole = kept != nullptr ? std::move(kept->content) : std::string();
  }
  extracted.packed = extract::pack(extraction);
  return extracted;
}

}  // namespace pollux::agent
