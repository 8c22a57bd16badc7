// The one file that joins the stages: schedule.next → fetch.start → detect → learn.feed → store.
//
// A turn starts as many polls as budget, politeness and room allow; answers come back one by one
// and each makes room for another turn. Nothing waits in a queue that is not bounded: when bodies
// cannot be hashed or results cannot be written fast enough, no new poll begins. Threading: the I/O
// thread, asserted.
#pragma once

#include "engine/back_off.hpp"
#include "engine/detect_pool.hpp"
#include "engine/host_table.hpp"
#include "engine/page_table.hpp"
#include "engine/robots_book.hpp"
#include "engine/ways_out.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/thread_owner.hpp"
#include "pollux/concurrency/controller.hpp"
#include "pollux/config/config.hpp"
#include "pollux/detect/verdict.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/schedule/budget.hpp"
#include "pollux/schedule/scheduler.hpp"
#include "pollux/store/writer.hpp"

#include <functional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace pollux::engine {

struct PollLoopOptions {
  concurrency::ControllerOptions fetches = {.most = 128,
                                            .most_if_slow = 128};  // how many may be out
  std::function<void()> on_detection = {};  // see DetectPool::Options::each_body
  int max_redirects = 5;
  BackOff back_off = {};
  RobotsOptions robots = {};
};

class PollLoop final : public fetch::Handler {
 public:
  // What the loop works with; all of it outlives the loop.
  struct Parts {
    boost::asio::io_context& io;
    const Clock& clock;
    Rng& rng;
    const config::Config& config;  // settings and politeness; replaced in place on reload
    PageTable& pages;
    HostTable& hosts;
    learn::Policy& policy;
    schedule::Scheduler& scheduler;
    schedule::Budget& budget;
    store::Writer& writer;
    WaysOut* ways = nullptr;                        // null: as if there were no access points
    const config::Config* config_before = nullptr;  // of pages that are not PageTable::current
  };
  PollLoop(const Parts& parts, const PollLoopOptions& options, int detect_threads);

  void begin(fetch::Fetcher& fetcher);
  // No new polls; on_idle is called once nothing is in flight any more.
  void stop(std::function<void()> on_idle);
  void turn();
  // Its page is being removed: the answer will be dropped.
  void forget(PageSlot page);

  std::size_t in_flight() const { return flights_in_use_; }
  // Grows while polls are decided or end; stands still when every place is taken and none comes
  // free.
  std::uint64_t turns() const { return turns_; }
  // Counts since the last call; `minute` and `budget` are the caller's to fill.
  store::MinuteRow take_counts();

  RobotsBook& robots() { return robots_; }

  // How many fetches may be out from now on.
  void set_fetches(const concurrency::ControllerOptions& fetches);
  concurrency::Controller& controller() { return controller_; }

  Flow on_piece(fetch::Token token, std::string piece) override;
  void on_resolved(fetch::Token token) override;
  void on_done(fetch::Response response) override;

 private:
  // One poll under way, over all its redirects; or an errand: robots.txt of a host.
  struct Flight {
    PageSlot page{};
    HostSlot host{};  // of the present hop
    std::uint32_t generation = 0;
    bool in_use = false;
    bool orphan = false;       // the page is gone
    bool host_taken = false;   // a connection of `host` is ours
    bool resolving = false;    // the name of `host` is being looked up
    bool conditional = false;  // validators are sent
    bool left_origin = false;  // a redirect led to another scheme, host or port
    bool retried = false;      // after a kept connection had gone stale
    bool errand = false;       // no page's poll: it brings robots.txt of `robots_of`
    bool unchecked = false;    // whether robots.txt lets it go on is not known yet
    bool moved = true;         // every redirect so far was a permanent one
    HostSlot robots_of{};
    std::optional<std::uint32_t> way;  // the access point of the present hop
    bool rerouted = false;             // after its way had failed
    int hops = 0;
    bool detecting = false;  // its body waits for its hash
    Instant started{};       // unset for errands and when it was put off
    Instant deadline{};      // the poll's time-out, over all its hops and waits
    Instant asked{};         // when the present hop was sent
    std::string url;         // of the present hop
    std::string moved_to;    // where permanent redirects have led
    std::string text;        // of robots.txt, as far as it has come
    fetch::Response answer;  // kept while its body is hashed
  };

  bool can_start(Instant now) const;
  static constexpr Duration too_many_names = std::chrono::seconds(5);  // a host's name must wait
  static constexpr std::size_t most_waiting = 1024;  // bodies that may wait for their hash
  enum class Started { no, yes };
  Started start(const schedule::Choice& choice, Instant now);
  std::uint32_t take_flight(Instant now);
  // Names that are looked up at a time: those that hang leave places for those that are known.
  std::size_t most_resolving() const { return std::max<std::size_t>(1, controller_.limit() / 2); }
  void request(std::uint32_t index, Instant now);
  void resume_waiting(Instant now);
  bool resume(std::uint32_t index, Instant now);
  void put_off(std::uint32_t index, const schedule::Choice& choice, Instant now);
  void follow(std::uint32_t index, const std::string& target, Instant now);
  bool is_stale_connection(const Flight& flight) const;
  bool is_failed_look(const Flight& flight) const;
  std::optional<std::uint32_t> other_way(const Flight& flight);
  bool may_try_again(Flight& flight);
  void learn_way(const Flight& flight, const fetch::Response& response);
  bool name_is_known(std::uint32_t index);
  void wait_for_turn(std::uint32_t index, Instant now);

  // What makes a polite guest: poll_loop_polite.cpp.
  void pace(HostSlot host, const fetch::Response& response, Instant now);
  void note_move(PageRecord& page, const Flight& flight, bool conclusive);
  std::optional<Instant> fresh_until(PageRecord& page, const Flight& flight) const;
  void deny(const schedule::Choice& choice, Instant now);
  void ask_robots(HostSlot host, std::string_view url, Instant now,
                  std::optional<std::uint32_t> hop_before = {});
  void end_errand(std::uint32_t index, std::string error);
  enum class Permission { granted, refused, awaited };
  Permission permission(Flight& flight, Instant now, std::string& refusal);
  void on_hashed(fetch::Token token, const detect::Hash& hash);
  void conclude(std::uint32_t index, const std::optional<detect::Hash>& hash, std::string error);
  detect::Verdict judge(const Flight& flight, const std::optional<detect::Hash>& hash,
                        std::string& error) const;
  store::ChangeRow note_change(const Flight& flight, const detect::Hash& hash,
                               const Moment& moment);
  std::optional<Instant> note_content(const Flight& flight, detect::Verdict verdict,
                                      const std::optional<detect::Hash>& hash, Instant now);
  Instant note_error(const Flight& flight, Instant now);
  void teach(const Flight& flight, bool changed, Instant now);
  void note_cost(PageSlot slot, double seconds);
  void record(PageSlot slot, const fetch::Response& answer, const std::string& error,
              const Moment& moment, std::optional<Instant> not_before,
              std::optional<store::ChangeRow> change);
  void end_flight(std::uint32_t index, Instant now);
  void make_places();
  void request_turn();
  void arm(Instant now);
  Flight* find(fetch::Token token);
  fetch::Token token_of(std::uint32_t index) const;
  std::optional<HostSlot> host_slot(const std::string& name, Instant now);
  const config::PageSettings& settings(const PageRecord& page) const {
    return config_of(page).settings[page.settings];
  }
  const config::Config& config_of(const PageRecord& page) const {
    return parts_.pages.current(page) ? parts_.config : *parts_.config_before;
  }

  Parts parts_;
  PollLoopOptions options_;
  RobotsBook robots_;
  fetch::Fetcher* fetcher_ = nullptr;
  DetectPool detect_;
  concurrency::Controller controller_;
  boost::asio::steady_timer timer_;
  ThreadOwner owner_;

  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::size_t flights_in_use_ = 0;
  std::size_t resolving_ = 0;
  std::vector<std::uint32_t> waiting_;  // flights that wait for a name, for budget or for a host
  std::vector<fetch::Token> paused_;    // bodies that wait for the hashing threads
  std::function<void()> on_idle_;
  bool stopping_ = false;
  bool turn_requested_ = false;
  std::uint64_t turns_ = 0;
  store::MinuteRow counts_;
};

}  // namespace pollux::engine
