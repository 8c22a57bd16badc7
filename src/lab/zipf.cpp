#include "pollux/lab/zipf.hpp"

#include "pollux/learn/importance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pollux::lab {

ZipfWorld::ZipfWorld(const ZipfOptions& options)
    : options_(options),
      rng_(options.seed * 0x9e3779b97f4a7c15ull + 1),
      rank_of_(options.pages),
      page_of_(options.pages),
      importance_(options.pages, 1),
      hazard_(options.pages, 0),
      settled_at_(options.pages, 0),
      moments_(options.seed * 0x9e3779b97f4a7c15ull + 5) {
  const std::size_t n = options.pages;
  double total = 0;
  for (std::size_t k = 1; k <= n; ++k) {
    const double chance = options.alpha / std::pow(static_cast<double>(k), options.beta);
    rate_of_rank_.push_back(-std::log1p(-std::min(chance, 1 - 1e-12)));
    cumulative_.push_back(total += chance);
  }
  std::iota(rank_of_.begin(), rank_of_.end(), 0U);
  std::iota(page_of_.begin(), page_of_.end(), 0U);
  if (options.order == Order::shuffled) shuffle();
  for (std::uint64_t i = 0; i < options.perturbations; ++i) {
    swap_ranks(static_cast<std::uint32_t>(rng_.below(n - 1)), 0);
  }
  for (std::uint32_t page = 0; page < n; ++page) {
    double& importance = importance_[page];
    if (options.weights == Weights::uniform) importance = 1 - rng_.uniform();
    if (options.weights == Weights::two_level) importance = rng_.chance(0.5) ? 1 : 0.1;
    if (options.weights == Weights::correlated) {
      importance = importance_like_change(-std::expm1(-rate(page)), rng_);
    }
  }
}

void ZipfWorld::settle(std::uint32_t page, double now) {
  hazard_[page] += rate(page) * (now - settled_at_[page]);
  settled_at_[page] = now;
}

void ZipfWorld::swap_ranks(std::uint32_t upper, double now) {
  const std::uint32_t a = page_of_[upper];
  const std::uint32_t b = page_of_[upper + 1];
  settle(a, now);
  settle(b, now);
  std::swap(page_of_[upper], page_of_[upper + 1]);
  std::swap(rank_of_[a], rank_of_[b]);
}

void ZipfWorld::shuffle() {
  for (std::size_t i = page_of_.size(); i > 1; --i) {
    std::swap(page_of_[i - 1], page_of_[rng_.below(i)]);
  }
  for (std::uint32_t rank = 0; rank < page_of_.size(); ++rank) rank_of_[page_of_[rank]] = rank;
}

void ZipfWorld::reverse() {
  std::reverse(page_of_.begin(), page_of_.end());
  std::vector<double> importance(importance_.size());
  for (std::uint32_t rank = 0; rank < page_of_.size(); ++rank) {
    const std::uint32_t was = page_of_[page_of_.size() - 1 - rank];
    importance[page_of_[rank]] = importance_[was];
    rank_of_[page_of_[rank]] = rank;
  }
  importance_ = std::move(importance);
}

bool ZipfWorld::advance(double now) {
  ++steps_;
  bool moved = false;
  if (options_.switch_every > 0 && steps_ % options_.switch_every == 0) {
    const double at = rng_.uniform() * cumulative_.back();
    const auto rank = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
    const auto last = static_cast<std::ptrdiff_t>(page_of_.size()) - 2;
    swap_ranks(static_cast<std::uint32_t>(std::min(rank - cumulative_.begin(), last)), now - 1);
    moved = true;
  }
  if (options_.shuffle_at > 0 && steps_ == options_.shuffle_at) {
    for (std::uint32_t page = 0; page < pages(); ++page) settle(page, now - 1);
    shuffle();
    moved = true;
  }
  if (options_.reverse_every > 0 && steps_ % options_.reverse_every == 0) {
    for (std::uint32_t page = 0; page < pages(); ++page) settle(page, now - 1);
    reverse();
    moved = true;
  }
  return moved;
}

bool ZipfWorld::poll(std::uint32_t page, double now) {
  delay_ = 0;
  if (options_.updates == Updates::vanishing) return rng_.chance(-std::expm1(-rate(page)));
  settle(page, now);
  const bool changed = rng_.chance(-std::expm1(-hazard_[page]));
  if (changed) {
    // The first of the changes, given that there is one; at the rate of now, if it differed before.
    const double first = -std::log1p(moments_.uniform() * std::expm1(-hazard_[page]));
    delay_ = (hazard_[page] - first) / rate(page);
  }
  hazard_[page] = 0;
  return changed;
}

double ZipfWorld::optimum() const {
  if (options_.updates == Updates::vanishing) {  // the most valuable page, again and again
    double best = 0;
    for (std::uint32_t page = 0; page < pages(); ++page) {
      best = std::max(best, importance_[page] * -std::expm1(-rate(page)));
    }
    return best;
  }
  const double total = std::accumulate(rate_of_rank_.begin(), rate_of_rank_.end(), 0.0);
  if (options_.weights == Weights::none) return -std::expm1(-total);
  // One multiplier for all pages, by bisection on the exact list.
  const auto spent = [&](double mu, double& value) {
    double polls = 0;
    value = 0;
    for (std::uint32_t page = 0; page < pages(); ++page) {
      if (mu >= importance_[page]) continue;  // not worth a poll
      const double x = rate(page) / learn::inverse_marginal_value(mu / importance_[page]);
      polls += x;
      value += importance_[page] * x * -std::expm1(-rate(page) / x);
    }
    return polls;
  };
  double low = 1e-12;
  double high = *std::max_element(importance_.begin(), importance_.end());
  double value = 0;
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    (spent(middle, value) > 1 ? low : high) = middle;
  }
  return value;
}

}  // namespace pollux::lab
