// Read-only questions for the commands that show things; works whether a daemon runs or not and
// never disturbs it (short read transactions, no checkpoint). One thread.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/live.hpp"
#include "pollux/store/views.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pollux::store {

enum class PageOrder { share, changes, last_changed, url, errors, next_due };

class Reader {
 public:
  // missing_input when there is no such file, bad_data when it is not a database of this version.
  static Result<std::unique_ptr<Reader>> open(const std::string& path);
  ~Reader();

  struct PageQuery {
    PageOrder order = PageOrder::share;
    std::string contains = {};   // part of the URL
    std::string state = {};      // empty: active and paused
    std::int64_t limit = 50;     // 0: all
    std::string ends_with = {};  // end of the URL
    std::string name = {};       // the whole name
    std::string tag = {};
    std::string health = {};
    std::string match = {};  // a glob (see base/glob.hpp) that covers the whole URL
    std::string after = {};  // only URLs behind this one: with PageOrder::url the next ones
  };
  Result<std::vector<PageRow>> pages(const PageQuery& query);
  // The page with this URL (normalised), or an error that names near matches.
  Result<PageRow> page(const std::string& url);
  struct ChangeQuery {
    std::string url = {};                            // empty: all pages
    std::string contains = {};                       // part of the URL
    std::optional<WallTime> since = {}, until = {};  // found at or after, found before
    std::int64_t limit = 50;
    std::string tag = {};  // of the page
    bool unread = false;   // only those that nobody has marked as read
    // Only those with a greater id, and the oldest first.
    std::optional<std::int64_t> after_id = {};
    std::optional<std::int64_t> id = {};  // this one alone
  };
  Result<std::vector<ChangeView>> changes(const ChangeQuery& query);
  // What the rows of a page's changes say in words, by the time they were found: that of the
  // version.
  Result<std::map<WallTime, std::string>> change_summaries(PageId page);
  // Of one page, or all that there are; by URL. None in a database from before there were any.
  Result<std::vector<MaskView>> masks(std::optional<PageId> page, std::int64_t limit = 0);
  Result<HostRow> host(const std::string& host);  // zeros when nothing is known of it
  // Of the hosts of these pages.
  Result<HostLoads> host_loads(const std::vector<PageRow>& pages);
  Result<PlanFactor> plan_factor();  // reads every page
  Result<std::optional<RobotsRow>> robots(const std::string& host);
  Result<std::int64_t> paused_pages();  // by their own index
  Result<Totals> totals();              // reads every page: a second at a million
  // As does this, unless the totals are known.
  Result<Summary> summary(const std::optional<Totals>& known = {});
  // The newest first; at most a week of them.
  Result<std::vector<MinuteRow>> minutes(WallTime since);
  // Pages with greater ids, by id; how many were told. Short, so that it may stand beside a writer.
  Result<std::size_t> page_figures(std::int64_t after, std::int64_t most,
                                   const std::function<void(const PageFigures&)>& each);
  // In this order, without those that are gone.
  Result<std::vector<PageRow>> pages_by_id(const std::vector<std::int64_t>& ids);
  // Changes of a page per day (86 400 s), the last of `days` ending at `until`.
  Result<std::vector<std::int64_t>> changes_by_day(PageId page, WallTime until, int days);
  // Changes found per hour, from `since` on: hours since 1970 and how many.
  Result<std::map<std::int64_t, std::int64_t>> changes_by_hour(WallTime since);
  // When shares were noted, the oldest first; and what they were then, the largest first.
  Result<std::vector<WallTime>> share_times(std::int64_t most);
  Result<std::vector<ShareView>> shares_at(WallTime at);
  Result<std::vector<HostView>> hosts(const std::vector<std::string>& names);
  Result<std::map<std::string, std::string>> meta();
  // As the daemon that ran last was configured.
  Result<std::vector<AccessPointRow>> access_points();
  // Of hosts with active pages and present access points, sorted by host.
  Result<std::vector<PlacementRow>> placements();
  // What parts of the policy's tree have learnt, in no order.
  Result<std::vector<NodeRow>> nodes(const std::string& policy);
  // Its last poll that was made because another page had changed.
  Result<std::optional<LookRow>> look(PageId page);
  Result<ShareRank> share_rank(PageId page);
  // What is to be told, and what became of it.
  Result<OutboxHead> outbox(const OutboxQuery& query);
  Result<MessageView> message(std::int64_t id, std::int64_t most);
  Result<DeliveryCounts> delivery_counts();
  Result<std::vector<DeliveryView>> deliveries(const std::string& state, std::int64_t limit);
  // Active pages that have failed since before that moment; reads every page.
  Result<std::int64_t> failing_since(WallTime before);
  // Pages that no file lists, and what was set of others.
  Result<std::vector<LiveRow>> live();

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Whether this user could create or write a database there: its folder exists and may be written
// to, and what lies there is a file that may be, too. Changes nothing. As Store::open() would say.
Status check_writable(const std::string& path);

// The pid of the daemon that holds this database (0 when it cannot be read); nullopt when none
// does. Only asks: it never gets in the way of a daemon that starts.
std::optional<std::int64_t> daemon_pid(const std::string& path);
// Why the daemon that holds this database cannot write it; "" when it can, or when none holds it.
std::string daemon_alert(const std::string& path);

}  // namespace pollux::store
