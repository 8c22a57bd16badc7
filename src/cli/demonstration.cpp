#include "cli/demonstration.hpp"

#include "cli/control.hpp"
#include "cli/control_socket.hpp"
#include "cli/demo_database.hpp"
#include "pollux/base/log.hpp"
#include "pollux/config/config.hpp"
#include "pollux/demo/comparison.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

// The site changes a little less often than it is polled: with polls well spent most changes can be
// found, with polls spread evenly most are missed.
constexpr double changes_per_poll = 0.75;
// Changes of a second, or of many.
constexpr std::int64_t most_judged = 1'000'000;
// So many can be read every second.
constexpr std::size_t few_pages = 2'000;

// Among equal shares, and at first all are, those on top that will show whether Pollux learns.
void liveliest_first(std::vector<demo::WatchedPage>& pages) {
  std::stable_sort(pages.begin(), pages.end(),
                   [](const demo::WatchedPage& a, const demo::WatchedPage& b) {
                     return a.share != b.share ? a.share > b.share : a.true_rate > b.true_rate;
                   });
}

std::uint32_t number_in(const std::string& url) {
  const std::size_t slash = url.rfind('/');
  std::uint32_t value = 0;
  std::from_chars(url.data() + slash + 1, url.data() + url.size(), value);
  return value;
}

}  // namespace

std::string demo_configuration(const DemoOptions& options, const demo::Site& site) {
  // A JSON string is a YAML string.
  const std::string database = boost::json::serialize(
      boost::json::string(std::filesystem::absolute(options.database).string()));
  std::string text = fmt::format(
      "budget: {}\n"
      "database: {}\n"
      "defaults: {{ min_interval: 100ms, timeout: 5s }}\n"
      "hosts: {{ delay: 1ms, connections: 8, adaptive_delay: 0 }}\n"
      "network: {{ allow: [127.0.0.0/8] }}\n"
      "learner: {{ seed: {} }}\n"
      "storage: {{ backup_every: 0s }}\n"
      "log: {{ level: error }}\n"
      "pages:\n",
      options.budget, database, options.seed);
  for (std::uint32_t n = 1; n <= site.pages(); ++n) {
    text += "  - " + site.url(demo::PageNumber{n}) + '\n';
  }
  return text;
}

Demonstration::Demonstration(const DemoOptions& options, const Clock& clock)
    : options_(options), clock_(clock) {
  progress_.pages = options.pages;
  progress_.budget = options.budget;
  progress_.seconds = options.seconds;
  progress_.database = options.database;
  progress_.timeline.push_back({});
}

Result<std::unique_ptr<Demonstration>> Demonstration::start(const DemoOptions& options,
                                                            const Clock& clock) {
  if (Status created = create_demo_database(options.database); !created) return created.error();
  std::unique_ptr<Demonstration> demonstration(new Demonstration(options, clock));
  demo::SiteOptions site;
  site.world.pages = options.pages;
  site.world.changes_per_second = changes_per_poll * options.budget;
  site.world.seed = options.seed;
  auto started = demo::Site::start(site, clock);
  if (!started) return started.error();
  demonstration->site_ = std::move(*started);
  demonstration->progress_.site_url = demonstration->site_->index_url();
  demonstration->progress_.hosts = site.hosts;
  demonstration->progress_.noisy = demonstration->site_->noisy();
  if (Status daemon = demonstration->start_daemon(); !daemon) return daemon.error();
  if (Status web = demonstration->start_web(); !web) return web.error();
  if (Status socket = demonstration->start_socket(); !socket) return socket.error();
  auto reader = store::Reader::open(options.database);
  if (!reader) return reader.error();
  demonstration->reader_ = std::move(*reader);
  return demonstration;
}

Status Demonstration::start_daemon() {
  auto loaded = config::load_text(demo_configuration(options_, *site_), "demo configuration");
  if (!loaded) return loaded.error();
  set_up_logging(loaded->config.log);
  // The page replays how it learnt, and a demo is short.
  loaded->config.storage.keep.shares_every = std::chrono::seconds(2);
  engine::DaemonOptions daemon;
  daemon.handle_signals = false;
  daemon.grace = std::chrono::seconds(1);  // people wait for the summary
  socket_ = control_socket_for(loaded->config);
  daemon.meta.emplace_back(control_socket_row, socket_);

  std::promise<Status> created;
  std::future<Status> ready = created.get_future();
  std::promise<Status> ended;
  outcome_ = ended.get_future();
  start_ = clock_.now();
  wall_start_ = clock_.wall();
  thread_ = std::thread([this, created = std::move(created), ended = std::move(ended),
                         config = std::move(loaded->config), daemon]() mutable {
    auto made = engine::Daemon::create(std::move(config), std::move(daemon), clock_);
    if (!made) return created.set_value(made.error());
    daemon_ = std::move(*made);
    created.set_value(success());
    ended.set_value(daemon_->run());
  });
  return ready.get();
}

// At the usual port, or at a free one.
Status Demonstration::start_web() {
  workshop_ = std::make_unique<web::Workshop>(
      web::WorkshopOptions{.configuration_text = demo_configuration(options_, *site_),
                           .database = std::filesystem::absolute(options_.database).string()});
  web::Options wish;
  auto web = web::Web::start(wish, options_.database, daemon_->steering(), daemon_->snapshots(),
                             clock_, workshop_.get());
  if (!web) {
    wish.port = 0;
    web = web::Web::start(wish, options_.database, daemon_->steering(), daemon_->snapshots(),
                          clock_, workshop_.get());
  }
  if (!web) return web.error();
  web_ = std::move(*web);
  progress_.web_url = web_->url();
  return success();
}

// `pollux top`, `tail`, `pause` and the like work on a demo as on any daemon.
Status Demonstration::start_socket() {
  auto control =
      start_control({.socket = socket_, .database = options_.database, .workshop = workshop_.get()},
                    daemon_->steering(), clock_);
  if (!control) return control.error();
  control_ = std::move(*control);
  return success();
}

Demonstration::~Demonstration() {
  control_.reset();
  web_.reset();
  workshop_.reset();
  if (daemon_) daemon_->request_stop();
  if (thread_.joinable()) thread_.join();
}

bool Demonstration::running() const {
  return outcome_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

Status Demonstration::update(std::size_t rows) {
  return read(clock_.now(), rows);
}

Status Demonstration::stop() {
  const Instant end = clock_.now();
  control_.reset();
  web_.reset();
  workshop_.reset();
  daemon_->request_stop();
  thread_.join();
  if (Status outcome = outcome_.get(); !outcome) return outcome;
  if (Status status = read(end, 0); !status) return status;
  std::stable_sort(
      progress_.watched.begin(), progress_.watched.end(),
      [](const demo::WatchedPage& a, const demo::WatchedPage& b) { return a.polls > b.polls; });
  return success();
}

Status Demonstration::read(Instant now, std::size_t rows) {
  const auto summary = reader_->summary();
  if (!summary) return summary.error();
  store::Reader::PageQuery query;
  query.order = store::PageOrder::share;
  const std::size_t top = progress_.top_pages();
  const double uniform = 1 / static_cast<double>(options_.pages);
  const bool choose = !progress_.anything_found() && options_.pages <= few_pages;
  query.limit = static_cast<std::int64_t>(rows == 0 || choose ? 0 : std::max(rows, top));
  const auto pages = reader_->pages(query);
  if (!pages) return pages.error();
  progress_.watched.clear();
  progress_.top_share = 0;
  for (const store::PageRow& row : *pages) {
    // What has not been polled yet has no share in the database; it is a uniform one.
    const double share = row.progress.share > 0 ? row.progress.share : uniform;
    if (progress_.watched.size() < top) progress_.top_share += share;
    progress_.watched.push_back(watched(row));
  }
  if (choose) liveliest_first(progress_.watched);
  progress_.visits = site_->visits();
  progress_.failing = summary->failing;
  const auto masks = reader_->masks(std::nullopt);
  if (!masks) return masks.error();
  std::set<PageId> masked;
  for (const store::MaskView& mask : *masks) {
    if (mask.state != "expired") masked.insert(mask.page);
  }
  progress_.masked = masked.size();

  const std::vector<demo::Change> fresh = site_->history(history_.size());
  history_.insert(history_.end(), fresh.begin(), fresh.end());
  const auto made =
      std::upper_bound(history_.begin(), history_.end(), now,
                       [](Instant t, const demo::Change& change) { return t < change.at; });
  if (Status judged = judge_changes(); !judged) return judged;
  demo::Tally tally;
  tally.at = to_seconds(now - start_);
  tally.requests = site_->requests();
  tally.made = static_cast<std::uint64_t>(made - history_.begin());
  tally.found = found_;
  tally.uniform = demo::uniform_would_find(history_, options_.pages, tally.requests, start_, now);
  progress_.timeline.push_back(tally);
  return success();
}

// A change is true if the site made one since the page was last seen.
Status Demonstration::judge_changes() {
  constexpr auto clocks_differ = std::chrono::milliseconds(20);
  store::Reader::ChangeQuery query;
  query.since = judged_until_ - std::chrono::seconds(10);  // they are not written in order
  query.limit = most_judged;
  const auto changes = reader_->changes(query);
  if (!changes) return changes.error();
  const std::int64_t before = judged_;
  for (const store::ChangeView& change : *changes) {
    if (change.id <= before) continue;
    judged_ = std::max(judged_, change.id);
    judged_until_ = std::max(judged_until_, change.row.found_at);
    const auto moment = [this](WallTime at) { return start_ + (at - wall_start_); };
    const bool is_true = demo::changed_between(history_, demo::PageNumber{number_in(change.url)},
                                               moment(change.row.previous_poll_at) - clocks_differ,
                                               moment(change.row.found_at) + clocks_differ);
    ++(is_true ? found_ : progress_.useless);
  }
  return success();
}

demo::WatchedPage Demonstration::watched(const store::PageRow& row) const {
  demo::WatchedPage page;
  page.page = demo::PageNumber{number_in(row.spec.url)};
  page.role = site_->role(page.page);
  page.true_rate = site_->rate(page.page);
  if (row.progress.change_rate_per_day) {
    page.learnt_rate = *row.progress.change_rate_per_day / 86400;
  }
  page.share = row.progress.share;
  page.polls = row.progress.polls;
  page.changes = row.progress.changes;
  return page;
}

}  // namespace pollux::cli
