// What the default policy has learnt, when its list is divided or several lists become one.
//
// Estimates are each page's own and travel with it. What the tree learnt of a site is named by the
// site's pages and travels with them. But nodes above sites are about neighbours that part, or that
// meet: they are given the corrections by which their pages keep the shares they had. What was
// learnt of looks across them is let go.
// Pure. One thread.
#pragma once

#include "pollux/learn/policy.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::learn {

// A list as the policy knows it after a start.
class LearntList {
 public:
  // The time in which all pages are polled once; see Policy::set_sweep.
  explicit LearntList(double sweep_seconds);
  ~LearntList();
  LearntList(LearntList&&) noexcept;

  void add(std::string url, double importance, const PageMemory& memory);
  std::size_t size() const;
  const std::string& url(std::size_t at) const;
  double importance(std::size_t at) const;
  PageMemory memory(std::size_t at) const;

  // After the last page was added.
  void restore(std::span<const NodeMemory> nodes);
  double share(std::size_t at) const;  // of this list's budget
  double weight() const;  // what estimates say that all its pages deserve, the corrections aside

  // Corrects nodes whose pages have a prefix that `spans` sites, so that all pages have shares in
  // the ratio of `shares` (> 0, one for each page). What these nodes know now, with shares that are
  // parts of the sum of `shares`.
  using Spans = std::function<bool(std::string_view prefix)>;
  std::vector<NodeMemory> fit(std::span<const double> shares, const Spans& spans);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::learn
