#include "learn/age_model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pollux::learn {

namespace {

// A step is drawn to the pooled curve with the weight of so many changes.
constexpr double prior_changes = 0.5;
constexpr float keep_per_poll = 0.998F;
constexpr double pool_prior = 20;
constexpr double pool_keep = 0.99999;

// Memoryless is believed until the curve has predicted this much better (in log likelihood).
constexpr double burden_of_proof = 1;
constexpr double advantage_keep = 0.995;
constexpr double largest_advantage = 10, smallest_advantage = -5;
constexpr double largest_step = 2;

// Last-Modified has a resolution of a second, and clocks differ by one or two.
constexpr double clock_slack = 2;
constexpr int right_to_be_trusted = 3;
constexpr int right_per_wrong = 20;

constexpr std::size_t births = 8;  // in which a window of time is divided
constexpr double unlikely = 0.1;   // of the likeliest: cut off at the ends of the window

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

double trust_of(double advantage) {
  return logistic(advantage - burden_of_proof);
}

double bounded(double probability) {
  return std::clamp(probability, 1e-6, 1 - 1e-6);
}

}  // namespace

std::size_t AgeModel::Pool::bin(double lifetimes) {
  return static_cast<std::size_t>(
      std::clamp(2 * std::log2(std::max(lifetimes, 1e-9)) + 12, 0.0, bins - 1.0));
}

double AgeModel::Pool::shape(double lifetimes) const {
  const std::size_t at = bin(lifetimes);
  return (changes[at] + pool_prior) / (expected[at] + pool_prior);
}

void AgeModel::add(PageSlot page, std::string_view memory) {
  if (index(page) >= pages_.size()) {
    const std::size_t wanted = index(page) + std::size_t{1};
    if (wanted > pages_.capacity()) pages_.reserve(std::max(wanted, pages_.capacity() * 9 / 8 + 8));
    pages_.resize(wanted);
  }
  Page fresh;
  if (!fresh.read(memory)) fresh = {};
  const bool sane = fresh.counts.first <= age_grid::last - curve_steps && fresh.youngest >= 0 &&
                    fresh.oldest >= fresh.youngest && std::isfinite(fresh.advantage) &&
                    std::all_of(fresh.counts.changes.begin(), fresh.counts.changes.end(),
                                [](float x) { return x >= 0 && std::isfinite(x); }) &&
                    std::all_of(fresh.counts.seconds.begin(), fresh.counts.seconds.end(),
                                [](float x) { return x >= 0 && std::isfinite(x); });
  pages_[index(page)] = sane ? fresh : Page{};
}

void AgeModel::remove(PageSlot page) {
  pages_[index(page)] = Page{};
}

Hazard AgeModel::hazard(const AgeCounts& counts, double rate) const {
  std::array<double, curve_steps> rates{};
  for (std::size_t i = 0; i < curve_steps; ++i) {
    const double middle = age_grid::edge(counts.first + static_cast<int>(i)) * 1.09;
    const double expected = std::max(rate * pool_.shape(middle * rate), 1e-12);
    rates[i] = (static_cast<double>(counts.changes[i]) + prior_changes) /
               (static_cast<double>(counts.seconds[i]) + prior_changes / expected);
  }
  return {counts.first, rates};
}

AgeForecast AgeModel::forecast(PageSlot page, double rate) const {
  const Page& asked = pages_[index(page)];
  AgeForecast forecast(hazard(asked.counts, rate), rate);
  if (!std::isfinite(asked.oldest)) return forecast;
  forecast.trust_ = trust_of(static_cast<double>(asked.advantage));
  const auto youngest = static_cast<double>(asked.youngest);
  const double width = (static_cast<double>(asked.oldest) - youngest) / AgeForecast::points;
  double least = 0;
  for (std::size_t k = 0; k < AgeForecast::points; ++k) {
    forecast.age_[k] = youngest + width * (static_cast<double>(k) + 0.5);
    const double cumulative = forecast.hazard_.cumulative(forecast.age_[k]);
    if (k == 0) least = cumulative;
    forecast.weight_[k] = std::exp(least - cumulative);
  }
  return forecast;
}

double AgeModel::trust(PageSlot page) const {
  const Page& asked = pages_[index(page)];
  return std::isfinite(asked.oldest) ? trust_of(static_cast<double>(asked.advantage)) : 0;
}

bool AgeModel::trusts_last_modified(PageSlot page) const {
  const Page& asked = pages_[index(page)];
  return asked.right >= right_to_be_trusted && asked.wrong * right_per_wrong <= asked.right;
}

// Right: it fell between the two polls that showed a change. Wrong: it did not, or it fell there
// although the content is the same (a server that invents the date of every answer).
void AgeModel::judge_last_modified(Page& page, const Observation& seen) {
  if (!seen.modified_ago) return;
  const double ago = *seen.modified_ago;
  const bool between = ago >= -clock_slack && ago <= seen.elapsed + clock_slack;
  const bool inside = ago >= 0 && ago < seen.elapsed - clock_slack;
  std::uint8_t* count = nullptr;
  if (seen.changed) count = between ? &page.right : &page.wrong;
  if (!seen.changed && inside) count = &page.wrong;
  if (count == nullptr) return;
  if (*count == 255) {
    page.right /= 2;
    page.wrong /= 2;
  }
  ++*count;
}

void AgeModel::feed(PageSlot slot, const Observation& seen, double rate) {
  Page& page = pages_[index(slot)];
  page.counts.follow(rate);
  const AgeForecast before = forecast(slot, rate);
  if (std::isfinite(page.oldest)) {
    const double aged = bounded(before.by_age(seen.elapsed));
    const double memoryless = bounded(before.by_rate(seen.elapsed));
    const double gain =
        seen.changed ? std::log(aged / memoryless) : std::log((1 - aged) / (1 - memoryless));
    page.advantage =
        static_cast<float>(std::clamp(advantage_keep * static_cast<double>(page.advantage) +
                                          std::clamp(gain, -largest_step, largest_step),
                                      smallest_advantage, largest_advantage));
    learn(page, before, seen, rate);
  }
  judge_last_modified(page, seen);
  if (seen.changed && seen.modified_ago && trusts_last_modified(slot) &&
      *seen.modified_ago <= seen.elapsed) {
    page.youngest = page.oldest = static_cast<float>(std::max(*seen.modified_ago, 0.0));
  } else {
    narrow(page, before, seen);
  }
}

// The expected number of changes and the expected time under observation at each age, given what
// the poll showed.
void AgeModel::learn(Page& page, const AgeForecast& before, const Observation& seen, double rate) {
  page.counts.forget(keep_per_poll);
  const Hazard& hazard = before.hazard_;
  std::array<double, AgeForecast::points> weight{}, last{};
  double total = 0;
  for (std::size_t k = 0; k < weight.size(); ++k) {
    const double age = before.age_[k];
    last[k] = std::exp(hazard.cumulative(age) - hazard.cumulative(age + seen.elapsed));
    weight[k] = before.weight_[k] * (seen.changed ? std::max(1 - last[k], 1e-12) : last[k]);
    total += weight[k];
  }
  if (!(total > 0)) return;
  for (std::size_t k = 0; k < weight.size(); ++k) {
    const double part = weight[k] / total;
    if (part < 1e-4) continue;
    const double from = before.age_[k], to = from + seen.elapsed;
    double alive = 1;  // the chance to get this far unchanged
    for (std::size_t step = hazard.step(from); step < curve_steps && hazard.begin(step) < to;
         ++step) {
      const double begin = std::max(from, hazard.begin(step));
      const double length = std::min(to, hazard.end(step)) - begin;
      const double dies = -std::expm1(-hazard.rate(step) * length);
      double changes = 0, seconds = part * length;
      if (seen.changed) {
        const double any = std::max(1 - last[k], 1e-12);
        changes = part * alive * dies / any;
        seconds = part * std::max(alive * dies / hazard.rate(step) - last[k] * length, 0.0) / any;
      }
      alive *= 1 - dies;
      page.counts.changes[step] += static_cast<float>(changes);
      page.counts.seconds[step] += static_cast<float>(seconds);
      const std::size_t bin = Pool::bin((begin + length / 2) * rate);
      pool_.changes[bin] = pool_.changes[bin] * pool_keep + changes;
      pool_.expected[bin] = pool_.expected[bin] * pool_keep + seconds * rate;
    }
  }
}

// Where can the last change have been? Every birth within the window is as likely as the renewal
// density there times the survival since; ends that are much less likely than the rest are cut off.
void AgeModel::narrow(Page& page, const AgeForecast& before, const Observation& seen) {
  const Hazard& hazard = before.hazard_;
  const double trust = before.trust_;
  std::array<double, births> likely{};
  double youngest = 0, oldest = seen.elapsed;
  if (!seen.changed) {
    if (!std::isfinite(page.oldest)) return;
    youngest = static_cast<double>(page.youngest) + seen.elapsed;
    oldest = static_cast<double>(page.oldest) + seen.elapsed;
  }
  const double width = (oldest - youngest) / births;
  const auto age = [&](std::size_t i) { return youngest + width * (static_cast<double>(i) + 0.5); };
  double mean = 0;
  for (std::size_t i = births; i-- > 0;) {  // from the oldest birth on
    double density = 1;
    if (seen.changed && trust > 0) {
      density = 0;
      const double after = seen.elapsed - age(i);  // the previous poll
      double total = 0;
      for (std::size_t k = 0; k < AgeForecast::points; ++k) {
        const double then = before.age_[k] + after;
        total += before.weight_[k];
        density += before.weight_[k] * hazard.rate_at(then) *
                   std::exp(hazard.cumulative(before.age_[k]) - hazard.cumulative(then));
      }
      density /= total;
      for (std::size_t j = i + 1; j < births; ++j) {
        const double life = age(j) - age(i);
        density += likely[j] * width * hazard.rate_at(life) * std::exp(-hazard.cumulative(life));
      }
    }
    likely[i] = density;
    mean += density / births;
  }
  if (!(mean > 0)) mean = 1;
  double largest = 0;
  for (std::size_t i = 0; i < births; ++i) {
    const double survival = std::exp(hazard.cumulative(youngest) - hazard.cumulative(age(i)));
    likely[i] = (1 - trust) + trust * likely[i] / mean * survival;
    largest = std::max(largest, likely[i]);
  }
  std::size_t from = 0, to = births;
  while (from + 1 < to && likely[from] < unlikely * largest) ++from;
  while (to > from + 1 && likely[to - 1] < unlikely * largest) --to;
  page.youngest = static_cast<float>(youngest + width * static_cast<double>(from));
  page.oldest = static_cast<float>(youngest + width * static_cast<double>(to));
}

std::string AgeModel::memory(PageSlot page) const {
  const Page& kept = pages_[index(page)];
  if (!std::isfinite(kept.oldest) && kept.right == 0 && kept.wrong == 0) return {};
  return kept.text();
}

// Every number of a page, in the order in which they are stored.
template <typename Self, typename Visit>
void AgeModel::Page::each(Self& self, Visit visit) {
  visit(self.counts.first);
  visit(self.youngest);
  visit(self.oldest);
  visit(self.advantage);
  visit(self.right);
  visit(self.wrong);
  for (auto& number : self.counts.changes) visit(number);
  for (auto& number : self.counts.seconds) visit(number);
}

// A JSON array; infinity, which JSON does not know, is null.
std::string AgeModel::Page::text() const {
  std::string list;
  each(*this, [&](auto number) {
    char digits[32];
    const bool infinite = std::isinf(static_cast<double>(number));
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    list += list.empty() ? '[' : ',';
    list += infinite ? std::string_view("null") : std::string_view(digits, end);
  });
  return list + ']';
}

bool AgeModel::Page::read(std::string_view list) {
  bool sound = true;
  each(*this, [&](auto& number) {
    using Number = std::remove_reference_t<decltype(number)>;
    if (!sound || list.size() < 2) {
      sound = false;
      return;
    }
    list.remove_prefix(1);  // the bracket or the comma
    if (list.starts_with("null")) {
      number = std::numeric_limits<Number>::has_infinity ? std::numeric_limits<Number>::infinity()
                                                         : Number{};
      list.remove_prefix(4);
      return;
    }
    const auto [end, failed] = std::from_chars(list.data(), list.data() + list.size(), number);
    sound = failed == std::errc{};
    list.remove_prefix(static_cast<std::size_t>(end - list.data()));
  });
  return sound && list == "]";
}

std::vector<double> AgeModel::pool() const {
  std::vector<double> numbers(pool_.changes.begin(), pool_.changes.end());
  numbers.insert(numbers.end(), pool_.expected.begin(), pool_.expected.end());
  return numbers;
}

void AgeModel::set_pool(std::size_t at, double value) {
  if (!(value >= 0 && std::isfinite(value))) return;
  if (at < Pool::bins) {
    pool_.changes[at] = value;
  } else if (at < std::size_t{2} * Pool::bins) {
    pool_.expected[at - Pool::bins] = value;
  }
}

std::size_t AgeModel::memory_bytes() const {
  return sizeof(*this) + pages_.capacity() * sizeof(Page);
}

}  // namespace pollux::learn
