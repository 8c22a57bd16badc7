// What lists of pages are sorted, searched and summed by, column by column: 75 bytes per page
// and its URL. Filled in order of ids, again and again: a page that is known already is
// brought up to date in place. Threading: none of its own.
#pragma once

#include "pollux/store/views.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pollux::web {

enum class SortBy {
  url,
  host,
  share,
  rate,
  changed,
  polled,
  due,
  polls,
  changes,
  errors,
  importance,
  health,
  outdated
};
std::optional<SortBy> sort_by(std::string_view name);  // nullopt: there is no such column
std::string sort_names();                              // "url, host, …"

// A place in a sorted list: the value of its page, and its id.
struct PageCursor {
  double key = 0;
  std::int64_t id = 0;
};

// Texts that few pages have of their own: hosts, tags, healths.
class Names {
 public:
  std::uint32_t number(std::string_view text);
  std::optional<std::uint32_t> find(const std::string& text) const;
  const std::string& text(std::uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// What makes polls of shares; see the views page_plan and plan_factor, which say the same in SQL.
struct PlanLimits {
  double shares_of =
      0;               // polls per second that shares are taken of; 0: what is planned is not known
  double budget = 0;   // polls per second; 0: planned shares are not known
  double stretch = 1;  // of every max_interval
  store::PlanFactor factor = {};
  std::vector<double> pauses = {};  // seconds between polls of a host, by its number; 0: none
};

class PageColumns {
 public:
  using Row = std::uint32_t;

  void begin(WallTime now = {});  // a pass over all pages; `outdated` is sorted as of then
  // False: the ids are not as before, and all must be read anew.
  bool take(const store::PageFigures& page);
  // All rows by URL, those that are new included: a second per million of them. May run on another
  // thread while nothing is taken.
  std::vector<Row> url_order() const;
  // At the end of a pass: all that were known are still there. False: as with take().
  bool whole() const { return next_ == ids_.size(); }
  bool in_order() const { return ordered_ == ids_.size(); }  // no row is new
  void end();                                                // of the pass, when in order
  void end(std::vector<Row> order);                          // when not
  void plan(const PlanLimits& limits);                       // after it
  std::size_t bytes() const;                                 // of the columns and the URLs

  struct Wish {
    std::string contains = {}, tag = {}, host = {}, health = {}, match = {};
    SortBy sort = SortBy::url;
    bool descending = false;
    std::size_t limit = 50;
    // Only what stands behind this one: a cursor; by URL, a URL.
    std::string after = {};
    std::size_t offset = 0;  // rows of what is left that are left out, too
  };
  struct Found {
    std::vector<std::int64_t> ids;
    std::string cursor;  // empty: there are no more
    std::size_t total = 0;
  };
  // Nothing: `after` is no cursor.
  std::optional<Found> find(const Wish& wish) const;

  // Rows that can be asked for: those of the last whole pass.
  Row size() const { return static_cast<Row>(ordered_); }
  bool shown(Row row) const { return states_[row] != State::removed; }
  bool active(Row row) const { return states_[row] == State::active; }
  std::int64_t id(Row row) const { return ids_[row]; }
  std::string_view url(Row row) const;
  double share(Row row) const { return active(row) ? shares_[row] : 0; }
  // After all limits: the part of the budget that its polls take. What the learner gives, if that
  // is not known.
  double planned_share(Row row) const { return active(row) ? planned_[row] : 0; }
  double rate(Row row) const { return rates_[row]; }  // per day; 0: not known
  double importance(Row row) const { return wishes_of(row).importance; }
  std::int64_t min_interval_ms(Row row) const { return wishes_of(row).min_interval * 1000; }
  std::int64_t max_interval_ms(Row row) const { return wishes_of(row).max_interval * 1000; }
  std::int64_t polls(Row row) const { return polls_[row]; }
  std::int64_t changes(Row row) const { return changes_[row]; }
  std::int64_t errors(Row row) const { return errors_[row]; }
  const std::string& health(Row row) const { return healths_.text(health_[row]); }
  std::uint32_t host(Row row) const { return host_[row]; }
  const Names& hosts() const { return hosts_; }
  const Names& tag_lists() const { return tag_lists_; }
  std::uint32_t tag_list(Row row) const { return wishes_of(row).tags; }
  const std::string& tags(Row row) const { return tag_lists_.text(tag_list(row)); }
  bool has_tag(Row row, std::string_view tag) const;
  // The chance that our copy is out of date, as of a memoryless page; nullopt: not known.
  std::optional<double> outdated(Row row, WallTime now) const;
  const std::vector<Row>& by_url() const { return by_url_; }  // removed ones, too
  Row first_from(std::string_view url) const;  // the place in by_url of the first that is not less
  // A host that the pass under way has found has none yet.
  double share_of_host(std::uint32_t host) const {
    return host < host_shares_.size() ? host_shares_[host] : 0;
  }

 private:
  enum class State : std::uint8_t { active, paused, removed };
  double key(SortBy sort, Row row) const;
  PageCursor place_of_url(std::string_view url) const;
  std::vector<bool> tags_with(std::string_view tag) const;

  // What a configuration says of pages: the same of many.
  struct Wishes {
    std::uint32_t tags = 0;
    std::int64_t min_interval = 0, max_interval = 0;  // seconds
    float importance = 1;
    auto operator<=>(const Wishes&) const = default;
  };
  const Wishes& wishes_of(Row row) const { return *wishes_[wish_[row]]; }
  std::uint32_t number_of(const Wishes& wishes);
  void add_row(const store::PageFigures& page);
  template <typename Columns, typename Each>
  static void each_column(Columns& of, Each each);

  std::vector<std::int64_t> ids_;
  // Where the text of a row's URL begins, from where that of the first row of its block does.
  static constexpr Row block = 65'536;
  std::vector<std::uint64_t> block_begins_;
  std::vector<std::uint32_t> url_begins_;
  std::vector<char> urls_;
  std::vector<float> shares_, planned_, rates_, half_lives_;
  std::vector<std::uint32_t> changed_, polled_, confirmed_, due_;  // seconds since 1970; 0: never
  std::vector<std::uint32_t> polls_, changes_, errors_, host_, wish_;
  std::vector<std::uint8_t> health_;
  std::vector<State> states_;
  std::map<Wishes, std::uint32_t> wish_numbers_;
  std::vector<const Wishes*> wishes_;  // in the map
  Names hosts_, tag_lists_, healths_;
  std::vector<double> host_shares_;
  std::vector<Row> by_url_, url_rank_, host_rank_;
  WallTime as_of_{};         // when the pass began
  std::size_t next_ = 0;     // of the pass
  std::size_t ordered_ = 0;  // pages in by_url_ and url_rank_
};

}  // namespace pollux::web
