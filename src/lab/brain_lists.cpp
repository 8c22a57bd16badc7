#include "pollux/lab/brain_lists.hpp"

#include "pollux/base/rng.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace pollux::lab {
namespace {

constexpr double one_day = 86400;

class Builder {
 public:
  Builder(double days, std::size_t pages_of_a_domain)
      : seconds_(days * one_day), pages_of_a_domain_(pages_of_a_domain) {
    list_.trace.end = seconds_;
  }
  double seconds() const { return seconds_; }
  void begin_site(const std::string& name) {
    name_ = name;
    in_site_ = 0;
  }
  // True: the page is the first of another domain.
  bool is_new_domain() const { return in_site_ % pages_of_a_domain_ == 0; }
  void add(std::vector<double> times) {
    if (is_new_domain())
      list_.domains.push_back("d" + std::to_string(in_site_ / pages_of_a_domain_) + "." + name_);
    ++in_site_;
    list_.domain.push_back(static_cast<std::uint32_t>(list_.domains.size() - 1));
    list_.trace.changes.push_back(std::move(times));
  }
  BrainList take() { return std::move(list_); }

 private:
  double seconds_;
  std::size_t pages_of_a_domain_, in_site_ = 0;
  std::string name_;
  BrainList list_;
};

constexpr double before_window = -1;

std::vector<double> rates_of(const BrainList& list) {
  std::vector<double> rates;
  for (const auto& times : list.trace.changes) rates.push_back(static_cast<double>(times.size()));
  return rates;
}

// Indices of `values`, the largest value first.
std::vector<std::uint32_t> descending(const std::vector<double>& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return values[a] > values[b]; });
  return order;
}

// The brain of each domain.
std::vector<std::size_t> split_lively(const BrainList& list, std::size_t brains) {
  std::vector<double> rates(list.domains.size(), 0), pages(list.domains.size(), 0);
  const auto of_page = rates_of(list);
  for (std::size_t page = 0; page < of_page.size(); ++page) {
    rates[list.domain[page]] += of_page[page];
    pages[list.domain[page]] += 1;
  }
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] /= pages[i];
  const auto order = descending(rates);
  std::vector<std::size_t> brain(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t domain = order[i];
    if (5 * i < order.size())
      brain[domain] = 0;
    else if (5 * (i + 1) > 4 * order.size())
      brain[domain] = brains - 1;
    else
      brain[domain] = brains > 2 ? 1 + brain_of(list.domains[domain], brains - 2) : i % brains;
  }
  return brain;
}

}  // namespace

// FNV-1a, a stand-in: here the daemon's own function of the registrable domain is to be called.
std::size_t brain_of(std::string_view domain, std::size_t brains) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : domain) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return static_cast<std::size_t>((hash ^ (hash >> 32)) % brains);
}

BrainList list_of_traces(std::span<const Trace> traces, double days, std::size_t copies,
                         std::size_t pages_of_a_domain) {
  Builder builder(days, pages_of_a_domain);
  for (std::size_t copy = 0; copy < copies; ++copy) {
    const double shift =
        builder.seconds() * static_cast<double>(copy) / static_cast<double>(copies);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const double start = traces[i].end - builder.seconds();
      builder.begin_site("trace" + std::to_string(i) + "-" + std::to_string(copy) + ".example");
      for (const auto& times : traces[i].changes) {
        if (times.front() > start) continue;  // born later
        std::vector<double> inside;
        for (const double at : times) {
          if (at > start) inside.push_back(std::fmod(at - start + shift, builder.seconds()));
        }
        inside.push_back(before_window);
        std::sort(inside.begin(), inside.end());
        builder.add(std::move(inside));
      }
    }
  }
  return builder.take();
}

BrainList synthetic_list(std::size_t pages, double days, std::size_t pages_of_a_domain,
                         std::uint64_t seed) {
  constexpr double slowest = 0.01, fastest = 10, spread = 3;  // changes per day
  Builder builder(days, pages_of_a_domain);
  Rng rng(seed);
  builder.begin_site("synthetic.example");
  double usual = 0;
  for (std::size_t page = 0; page < pages; ++page) {
    if (builder.is_new_domain()) usual = slowest * std::pow(fastest / slowest, rng.uniform());
    const double rate = usual * std::pow(spread, 2 * rng.uniform() - 1) / one_day;
    std::vector<double> times{before_window};
    for (double at = rng.exponential(rate); at < builder.seconds(); at += rng.exponential(rate))
      times.push_back(at);
    builder.add(std::move(times));
  }
  return builder.take();
}

std::vector<std::vector<std::uint32_t>> split_list(const BrainList& list, std::size_t brains,
                                                   Split split) {
  std::vector<std::vector<std::uint32_t>> pages(brains);
  const auto count = static_cast<std::uint32_t>(list.domain.size());
  if (split == Split::sorted) {
    const auto order = descending(rates_of(list));
    for (std::size_t i = 0; i < order.size(); ++i)
      pages[i * brains / order.size()].push_back(order[i]);
    for (auto& of_brain : pages) std::sort(of_brain.begin(), of_brain.end());
    return pages;
  }
  const auto lively =
      split == Split::lively ? split_lively(list, brains) : std::vector<std::size_t>{};
  for (std::uint32_t page = 0; page < count; ++page) {
    const std::uint32_t domain = list.domain[page];
    pages[lively.empty() ? brain_of(list.domains[domain], brains) : lively[domain]].push_back(page);
  }
  return pages;
}

}  // namespace pollux::lab
