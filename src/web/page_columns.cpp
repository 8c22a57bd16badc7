#include "web/page_columns.hpp"

#include "pollux/base/glob.hpp"
#include "web/letters.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace pollux::web {
namespace {

struct SortName {
  std::string_view name;
  SortBy sort;
};
constexpr SortName sort_table[] = {
    {"url", SortBy::url},
    {"host", SortBy::host},
    {"share", SortBy::share},
    {"rate", SortBy::rate},
    {"changed", SortBy::changed},
    {"polled", SortBy::polled},
    {"due", SortBy::due},
    {"polls", SortBy::polls},
    {"changes", SortBy::changes},
    {"errors", SortBy::errors},
    {"importance", SortBy::importance},
    {"health", SortBy::health},
    {"outdated", SortBy::outdated},
};

std::uint32_t whole_seconds(const std::optional<WallTime>& time) {
  if (!time) return 0;
  const std::int64_t seconds = time->time_since_epoch().count() / 1000;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(seconds, 1, std::numeric_limits<std::uint32_t>::max()));
}

std::uint32_t capped(std::int64_t count) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(count, 0, std::numeric_limits<std::uint32_t>::max()));
}

// Whether the text has these small letters, whatever the size of its own.
bool has_part(std::string_view text, std::string_view small) {
  return std::search(text.begin(), text.end(), small.begin(), small.end(),
                     [](char a, char b) { return small_letter(a) == b; }) != text.end();
}

std::optional<PageCursor> place_of(std::string_view cursor) {
  const std::size_t colon = cursor.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  PageCursor place;
  const char* middle = cursor.data() + colon;
  const char* end = cursor.data() + cursor.size();
  const auto key = std::from_chars(cursor.data(), middle, place.key);
  const auto id = std::from_chars(middle + 1, end, place.id);
  const bool whole =
      key.ec == std::errc{} && key.ptr == middle && id.ec == std::errc{} && id.ptr == end;
  return whole ? std::optional(place) : std::nullopt;
}

std::string cursor_of(const PageCursor& place) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), place.key);
  return std::string(text.data(), end.ptr) + ":" + std::to_string(place.id);
}

}  // namespace

std::optional<SortBy> sort_by(std::string_view name) {
  for (const SortName& known : sort_table) {
    if (known.name == name) return known.sort;
  }
  return std::nullopt;
}

std::string sort_names() {
  std::string all;
  for (const SortName& known : sort_table)
    all += (all.empty() ? "" : ", ") + std::string(known.name);
  return all;
}

std::uint32_t Names::number(std::string_view text) {
  const auto [found, added] =
      numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (added) texts_.emplace_back(text);
  return found->second;
}

std::optional<std::uint32_t> Names::find(const std::string& text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

template <typename Columns, typename Each>
void PageColumns::each_column(Columns& of, Each each) {
  each(of.ids_), each(of.url_begins_), each(of.health_), each(of.states_);
  each(of.shares_), each(of.planned_), each(of.rates_), each(of.half_lives_);
  each(of.changed_), each(of.polled_), each(of.confirmed_), each(of.due_);
  each(of.polls_), each(of.changes_), each(of.errors_), each(of.host_), each(of.wish_);
}

std::size_t PageColumns::bytes() const {
  std::size_t sum = urls_.capacity() + sizeof(Row) * (by_url_.capacity() + url_rank_.capacity());
  each_column(*this, [&](const auto& column) { sum += column.capacity() * sizeof(column[0]); });
  return sum;
}

std::string_view PageColumns::url(Row row) const {
  const std::uint64_t begin = block_begins_[row / block] + url_begins_[row];
  const Row next = row + 1;
  const std::uint64_t end =
      next == ids_.size() ? urls_.size() : block_begins_[next / block] + url_begins_[next];
  return {urls_.data() + begin, end - begin};
}

void PageColumns::begin(WallTime now) {
  as_of_ = now;
  next_ = 0;
}

// Grown by an eighth at a time: twice as much as is needed would be much.
void PageColumns::add_row(const store::PageFigures& page) {
  const std::size_t rows = ids_.size();
  if (rows == ids_.capacity())
    each_column(*this, [&](auto& column) { column.reserve(rows + rows / 8 + 256); });
  if (urls_.size() + page.url.size() > urls_.capacity())
    urls_.reserve(urls_.size() + urls_.size() / 8 + page.url.size() + (1u << 14));
  if (rows % block == 0) block_begins_.push_back(urls_.size());
  each_column(*this, [](auto& column) { column.emplace_back(); });
  ids_.back() = page.id;
  url_begins_.back() = static_cast<std::uint32_t>(urls_.size() - block_begins_.back());
  urls_.insert(urls_.end(), page.url.begin(), page.url.end());
}

std::uint32_t PageColumns::number_of(const Wishes& wishes) {
  const auto [found, added] =
      wish_numbers_.try_emplace(wishes, static_cast<std::uint32_t>(wishes_.size()));
  if (added) wishes_.push_back(&found->first);
  return found->second;
}

bool PageColumns::take(const store::PageFigures& page) {
  const std::size_t row = next_++;
  // Ids of pages that were deleted are used again.
  if (row < ids_.size() && (ids_[row] != page.id || url(static_cast<Row>(row)) != page.url))
    return false;
  if (row == ids_.size()) add_row(page);
  shares_[row] = static_cast<float>(page.share);
  if (planned_[row] == 0) planned_[row] = shares_[row];  // until plan() says another
  rates_[row] = static_cast<float>(page.change_rate_per_day.value_or(0));
  const double half_life = rates_[row] > 0 ? 59887.9 / rates_[row] : 0;  // of a memoryless page
  half_lives_[row] = static_cast<float>(page.outdated_after_s.value_or(half_life));
  changed_[row] = whole_seconds(page.changed_at);
  polled_[row] = whole_seconds(page.polled_at);
  confirmed_[row] = whole_seconds(page.confirmed_at);
  due_[row] = whole_seconds(page.due_at);
  polls_[row] = capped(page.polls);
  changes_[row] = capped(page.changes);
  errors_[row] = capped(page.errors);
  host_[row] = hosts_.number(page.host);
  wish_[row] = number_of({.tags = tag_lists_.number(page.tags),
                          .min_interval = capped(page.min_interval_ms / 1000),
                          .max_interval = capped(page.max_interval_ms / 1000),
                          .importance = static_cast<float>(page.importance)});
  health_[row] = static_cast<std::uint8_t>(
      std::min(healths_.number(page.health.empty() ? "new" : page.health), 255u));
  states_[row] = page.state == "active"   ? State::active
                 : page.state == "paused" ? State::paused
                                          : State::removed;
  return true;
}

std::vector<PageColumns::Row> PageColumns::url_order() const {
  std::vector<Row> order = by_url_;
  const auto known = static_cast<std::ptrdiff_t>(order.size());
  order.resize(ids_.size());
  std::iota(order.begin() + known, order.end(), static_cast<Row>(known));
  const auto less = [&](Row a, Row b) { return url(a) < url(b); };
  std::sort(order.begin() + known, order.end(), less);
  std::inplace_merge(order.begin(), order.begin() + known, order.end(), less);
  return order;
}

void PageColumns::end(std::vector<Row> order) {
  url_rank_ = std::vector<Row>(order.size());
  for (Row i = 0; i < order.size(); ++i) url_rank_[order[i]] = i;
  std::vector<std::uint32_t> hosts(hosts_.size());
  std::iota(hosts.begin(), hosts.end(), 0u);
  std::sort(hosts.begin(), hosts.end(),
            [&](auto a, auto b) { return hosts_.text(a) < hosts_.text(b); });
  host_rank_.resize(hosts.size());
  for (std::uint32_t i = 0; i < hosts.size(); ++i) host_rank_[hosts[i]] = i;
  by_url_ = std::move(order);
  ordered_ = ids_.size();
  end();
}

void PageColumns::end() {
  host_shares_.assign(hosts_.size(), 0);
  for (Row row = 0; row < ids_.size(); ++row) host_shares_[host_[row]] += share(row);
}

void PageColumns::plan(const PlanLimits& limits) {
  for (Row row = 0; row < ids_.size(); ++row) {
    planned_[row] = shares_[row];
    if (!(limits.budget > 0) || !(limits.shares_of * shares_[row] > 0)) continue;
    const double share = shares_[row], wanted = 1 / (share * limits.shares_of);
    const double pause = host_[row] < limits.pauses.size() ? limits.pauses[host_[row]] : 0;
    const double least = static_cast<double>(wishes_of(row).min_interval);
    const double most = static_cast<double>(wishes_of(row).max_interval) * limits.stretch;
    // A page that fails is left alone until it is due.
    const bool rests = health(row) == "failing" && due_[row] > polled_[row];
    const double rest = rests ? static_cast<double>(due_[row]) - polled_[row] : 0;
    const double by_host = pause * share_of_host(host_[row]) / share;
    const double seconds =
        std::max({least, rest, std::min(most > 0 ? most : wanted, std::max(wanted, by_host))});
    const bool held = seconds != wanted;
    planned_[row] = static_cast<float>(
        1 / limits.budget /
        (held ? seconds / limits.factor.held : std::max(seconds / limits.factor.free, least)));
  }
}

bool PageColumns::has_tag(Row row, std::string_view tag) const {
  const std::string& list = tags(row);
  if (list.empty()) return false;
  boost::system::error_code problem;
  const boost::json::value value = boost::json::parse(list, problem);
  if (problem || !value.is_array()) return false;
  return std::ranges::any_of(value.get_array(), [&](const boost::json::value& one) {
    return one.is_string() && std::string_view(one.get_string()) == tag;
  });
}

std::vector<bool> PageColumns::tags_with(std::string_view tag) const {
  std::vector<bool> with(tag_lists_.size()), known(tag_lists_.size());
  for (Row row = 0; row < ids_.size(); ++row) {
    if (known[tag_list(row)]) continue;
    known[tag_list(row)] = true;
    with[tag_list(row)] = has_tag(row, tag);
  }
  return with;
}

std::optional<double> PageColumns::outdated(Row row, WallTime now) const {
  if (!active(row) || confirmed_[row] == 0 || !(half_lives_[row] > 0)) return std::nullopt;
  const double waited = static_cast<double>(now.time_since_epoch().count()) / 1000 -
                        static_cast<double>(confirmed_[row]);
  return 1 - std::exp2(-std::max(waited, 0.0) / static_cast<double>(half_lives_[row]));
}

PageColumns::Row PageColumns::first_from(std::string_view text) const {
  const auto found = std::lower_bound(by_url_.begin(), by_url_.end(), text,
                                      [&](Row row, std::string_view t) { return url(row) < t; });
  return static_cast<Row>(found - by_url_.begin());
}

PageCursor PageColumns::place_of_url(std::string_view text) const {
  const Row place = first_from(text);
  const bool there = place < by_url_.size() && url(by_url_[place]) == text;
  if (there) return {static_cast<double>(place), ids_[by_url_[place]]};
  return {static_cast<double>(place) - 0.5, 0};
}

double PageColumns::key(SortBy sort, Row row) const {
  switch (sort) {
    case SortBy::url:
      return url_rank_[row];
    case SortBy::host:
      return host_rank_[host_[row]];
    case SortBy::share:
      return planned_share(row);
    case SortBy::rate:
      return rates_[row];
    case SortBy::changed:
      return changed_[row];
    case SortBy::polled:
      return polled_[row];
    case SortBy::due:
      return due_[row];
    case SortBy::polls:
      return polls_[row];
    case SortBy::changes:
      return changes_[row];
    case SortBy::errors:
      return errors_[row];
    case SortBy::importance:
      return importance(row);
    case SortBy::health:
      return health(row) == "ok" ? 0 : 1 + health_[row];
    case SortBy::outdated:
      return outdated(row, as_of_).value_or(-1);
  }
  return 0;
}

std::optional<PageColumns::Found> PageColumns::find(const Wish& wish) const {
  std::optional<PageCursor> after;
  if (!wish.after.empty()) {
    after = wish.sort == SortBy::url ? place_of_url(wish.after) : place_of(wish.after);
    if (!after) return std::nullopt;
  }
  const std::string part = lower_case(wish.contains);
  const std::vector<bool> tagged = wish.tag.empty() ? std::vector<bool>() : tags_with(wish.tag);
  const double sign = wish.descending ? -1 : 1;
  const std::size_t most = wish.offset + wish.limit;
  // The best of them behind the cursor, as a heap whose top is the last of them.
  struct Candidate {
    double key;
    std::int64_t id;
    bool operator<(const Candidate& other) const {
      return key != other.key ? key < other.key : id < other.id;
    }
  };
  std::vector<Candidate> best;
  Found found;
  std::size_t behind = 0;
  for (Row row = 0; row < size(); ++row) {
    if (states_[row] == State::removed) continue;
    if (!tagged.empty() && !tagged[tag_list(row)]) continue;
    if (wish.health == "paused" ? active(row) : !wish.health.empty() && health(row) != wish.health)
      continue;
    if (!wish.host.empty() && hosts_.text(host_[row]) != wish.host) continue;
    if (!part.empty() && !has_part(url(row), part)) continue;
    if (!wish.match.empty() && !glob_matches(wish.match, url(row))) continue;
    ++found.total;
    const Candidate one{sign * key(wish.sort, row), ids_[row]};
    if (after && !(Candidate{sign * after->key, after->id} < one)) continue;
    ++behind;
    if (best.size() == most && !(one < best.front())) continue;
    if (best.size() == most) {
      std::pop_heap(best.begin(), best.end());
      best.pop_back();
    }
    best.push_back(one);
    std::push_heap(best.begin(), best.end());
  }
  std::sort_heap(best.begin(), best.end());
  for (std::size_t i = wish.offset; i < best.size(); ++i) found.ids.push_back(best[i].id);
  if (behind > best.size() && !best.empty()) {
    const PageCursor last{sign * best.back().key, best.back().id};
    found.cursor = wish.sort == SortBy::url
                       ? std::string(url(by_url_[static_cast<std::size_t>(last.key)]))
                       : cursor_of(last);
  }
  return found;
}

}  // namespace pollux::web
