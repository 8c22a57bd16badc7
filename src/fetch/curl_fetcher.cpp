#include "pollux/fetch/curl_fetcher.hpp"

#include "fetch/curl_set_up.hpp"
#include "fetch/fetcher_with_names.hpp"
#include "fetch/multi_driver.hpp"
#include "fetch/transfer.hpp"
#include "pollux/base/bad_ports.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/thread_owner.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace pollux::fetch {
namespace {

using SteadyClock = std::chrono::steady_clock;
using TimePoint = SteadyClock::time_point;

constexpr std::size_t max_spare_transfers = 256;
// Bodies that go on: after so long the rest of the program gets its turn.
constexpr auto longest_feeding = std::chrono::milliseconds(2);

class CurlFetcher final : public Fetcher, MultiDriver::Listener, Names::Listener {
 public:
  CurlFetcher(boost::asio::io_context& io, Options options, AddressGate gate, Handler& handler,
              Resolver::Options resolver)
      : options_(std::move(options)),
        gate_(std::move(gate)),
        handler_(handler),
        driver_(io, *this),
        environment_{options_, gate_, handler, driver_},
        names_(io, std::move(resolver), *this),
        tick_timer_(io) {
    raise_connection_limit();
  }

  ~CurlFetcher() override {
    *alive_ = false;
    for (const auto& transfer : active_) {
      if (transfer->in_curl()) {
        curl_multi_remove_handle(driver_.multi(), transfer->easy);
      }
    }
  }

  void start(Request request) override {
    owner_.check();
    std::unique_ptr<Transfer> transfer = take_spare();
    transfer->accept(std::move(request), SteadyClock::now());
    transfer->index = active_.size();
    active_.push_back(std::move(transfer));
    enqueue(*active_.back());
  }

  void send(Token token) override;
  void grant(Token token, std::size_t bytes) override;

  void cancel(Token token) override {
    owner_.check();
    for (const auto& transfer : active_) {
      if (transfer->request.token == token) transfer->cancelled = true;
    }
    cancel_wanted_ = true;
    driver_.request_turn();
  }

  void cancel_all() override {
    owner_.check();
    for (const auto& transfer : active_) transfer->cancelled = true;
    cancel_wanted_ = true;
    driver_.request_turn();
  }

  std::size_t in_flight() const override { return active_.size(); }

  void set_access_points(std::vector<AccessPoint> points) override {
    owner_.check();
    options_.access_points = std::move(points);
    environment_.strays_until = SteadyClock::now() + Transfer::connection_lifetime;
  }

 private:
  void on_turn() override;
  void on_name(Names::Waiter& waiter, const std::string& error) override;

  Transfer* find(Token token);
  void enqueue(Transfer& transfer);
  void reap();
  void conclude(Transfer& transfer, CURLcode code);
  void park(Transfer& transfer);
  void request_feeding();
  void feed_bodies();
  void go_on(Transfer& transfer);
  void sweep_cancelled();
  void launch_queued();
  void launch(Transfer& transfer, TimePoint now);
  void arm_tick_timer();
  void sweep_late();
  void finish(Transfer& transfer, Response response);
  void raise_connection_limit();
  bool may_use(unsigned port) const {
    const auto& allowed = options_.allow_ports;
    return !is_bad_port(port) || std::find(allowed.begin(), allowed.end(), port) != allowed.end();
  }
  std::unique_ptr<Transfer> take_spare();

  Options options_;
  const AddressGate gate_;
  Handler& handler_;
  ThreadOwner owner_;
  MultiDriver driver_;
  TransferEnvironment environment_;
  std::vector<std::unique_ptr<Transfer>> active_;
  std::vector<std::unique_ptr<Transfer>> spare_;
  std::vector<Transfer*> queued_;   // started, not yet launched
  std::vector<Transfer*> waiting_;  // for a name
  Names names_;
  boost::asio::steady_timer tick_timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for the timer's handler
  std::size_t connection_room_ = 0;
  bool tick_timer_armed_ = false;
  bool feeding_posted_ = false;
  bool cancel_wanted_ = false;
  bool in_turn_ = false;
};

// One turn: everything that callbacks and callers asked for since the last one. Curl is idle here.
void CurlFetcher::on_turn() {
  owner_.check();
  in_turn_ = true;
  reap();
  sweep_cancelled();
  launch_queued();
  in_turn_ = false;
  environment_.body_quota.begin_turn();
  if (!environment_.may_go_on.empty()) request_feeding();
}

Transfer* CurlFetcher::find(Token token) {
  // In the common case the caller answers a call of ours, and nothing is looked up.
  Transfer* const speaking = environment_.speaking;
  if (speaking != nullptr && speaking->request.token == token) return speaking;
  const auto found = environment_.heard_of.find(token);
  return found != environment_.heard_of.end() ? found->second : nullptr;
}

void CurlFetcher::enqueue(Transfer& transfer) {
  transfer.stage = Transfer::Stage::queued;
  queued_.push_back(&transfer);
  if (!in_turn_) driver_.request_turn();
}

void CurlFetcher::send(Token token) {
  owner_.check();
  Transfer* const transfer = find(token);
  if (transfer == nullptr) return;
  if (transfer->stage == Transfer::Stage::preparing) {  // inside on_ready()
    transfer->may_send = true;
    return;
  }
  if (transfer->let_go(SteadyClock::now())) enqueue(*transfer);
}

void CurlFetcher::grant(Token token, std::size_t bytes) {
  owner_.check();
  Transfer* transfer = find(token);
  if (transfer == nullptr) {  // ahead of the first piece: seldom
    const auto found = std::find_if(active_.begin(), active_.end(), [&](const auto& active) {
      return active->request.token == token;
    });
    if (found == active_.end()) return;
    transfer = found->get();
  }
  transfer->grant(bytes);
  // A piece is being handed over: the credit is seen as soon as the handler has taken it.
  if (transfer == environment_.speaking || !transfer->body.held_back()) return;
  transfer->become_known();
  transfer->go_on_later();
  request_feeding();
}

void CurlFetcher::reap() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(driver_.multi(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    if (transfer->names != nullptr) {
      names_.instructed(transfer->lookup, *transfer->names);
    }
    if (transfer->stage == Transfer::Stage::parking && code == CURLE_OK) {
      park(*transfer);
    } else {
      conclude(*transfer, code);
    }
  }
}

void CurlFetcher::conclude(Transfer& transfer, CURLcode code) {
  if (transfer.is_over(code)) {
    finish(transfer, transfer.finish(code, SteadyClock::now()));
    return;
  }
  if (transfer.in_curl()) curl_multi_remove_handle(driver_.multi(), transfer.easy);
  transfer.stage = Transfer::Stage::ended;
  transfer.ended_with = code;
}

// The connection is among the kept ones; the request goes on when it may be sent.
void CurlFetcher::park(Transfer& transfer) {
  curl_easy_setopt(transfer.easy, CURLOPT_CONNECT_ONLY, 0L);  // or the connection would be closed
  curl_multi_remove_handle(driver_.multi(), transfer.easy);
  transfer.stage = Transfer::Stage::parked;
  if (transfer.may_send) enqueue(transfer);
}

void CurlFetcher::request_feeding() {
  if (std::exchange(feeding_posted_, true)) return;
  boost::asio::post(tick_timer_.get_executor(), [this, alive = alive_] {
    if (!*alive) return;
    feeding_posted_ = false;
    feed_bodies();
  });
}

// A little of each, in turn, for a moment; curl is idle here.
void CurlFetcher::feed_bodies() {
  owner_.check();
  const TimePoint enough = SteadyClock::now() + longest_feeding;
  while (!environment_.may_go_on.empty()) {
    const auto found = environment_.heard_of.find(environment_.may_go_on.front());
    environment_.may_go_on.pop_front();
    if (found == environment_.heard_of.end()) continue;
    Transfer& transfer = *found->second;
    transfer.in_line = false;
    environment_.body_quota.begin_turn();
    if (transfer.body.held_back()) go_on(transfer);
    if (SteadyClock::now() > enough) break;
  }
  environment_.body_quota.begin_turn();
  if (!environment_.may_go_on.empty()) request_feeding();
}

void CurlFetcher::go_on(Transfer& transfer) {
  const bool more = transfer.go_on();
  const bool ended = transfer.stage == Transfer::Stage::ended;
  if (ended && !transfer.is_over(transfer.ended_with)) return;
  if (ended || !more) {
    conclude(transfer, ended ? transfer.ended_with : CURLE_WRITE_ERROR);
    return;
  }
  if (transfer.body.held_back() || !std::exchange(transfer.paused_by_curl, false)) return;
  const CURLcode code = curl_easy_pause(transfer.easy, CURLPAUSE_CONT);
  // The chunk that curl had kept was not liked, and curl forgets about it.
  if (code == CURLE_WRITE_ERROR) conclude(transfer, code);
}

void CurlFetcher::sweep_cancelled() {
  if (!std::exchange(cancel_wanted_, false)) return;
  const TimePoint now = SteadyClock::now();
  std::erase_if(queued_, [](const Transfer* transfer) { return transfer->cancelled; });
  // From the back: finish() fills a gap with the last one. Those started meanwhile are not marked.
  for (std::size_t i = active_.size(); i-- > 0;) {
    if (i >= active_.size() || !active_[i]->cancelled) continue;
    Transfer& transfer = *active_[i];
    finish(transfer, transfer.finish(Failure::cancelled, "cancelled", now));
  }
}

void CurlFetcher::launch_queued() {
  if (queued_.empty()) return;
  const TimePoint now = SteadyClock::now();
  // A handler may start more while this runs.
  for (std::size_t i = 0; i < queued_.size(); ++i) {
    Transfer& transfer = *queued_[i];
    if (const unsigned port = written_port(transfer.origin); !may_use(port)) {
      finish(transfer, transfer.finish(Failure::address_refused,
                                       "port " + std::to_string(port) +
                                           " belongs to another service than the web; "
                                           "network.allow_ports can permit it",
                                       now));
      continue;
    }
    // A proxy looks the name up and connects; an address written in the URL is still ours to
    // refuse.
    if (!transfer.proxy().empty() && !gate_.permits_origin(transfer.origin)) {
      finish(transfer, transfer.finish(Failure::address_refused,
                                       "the address in the URL is not public; network.allow can "
                                       "permit it",
                                       now));
      continue;
    }
    if (!transfer.name_error.empty()) {
      finish(transfer, transfer.finish(Failure::dns, transfer.name_error, now));
      continue;
    }
    switch (names_.check(transfer.lookup, transfer, now)) {
      case Names::State::known:
        launch(transfer, now);
        break;
      case Names::State::failed:
        finish(transfer,
               transfer.finish(Failure::dns, "name lookup: " + names_.error(transfer.lookup), now));
        break;
      case Names::State::asking:
        transfer.stage = Transfer::Stage::waiting_for_name;
        waiting_.push_back(&transfer);
        break;
    }
  }
  queued_.clear();
  arm_tick_timer();
}

void CurlFetcher::launch(Transfer& transfer, TimePoint now) {
  if (active_.size() > connection_room_) raise_connection_limit();
  const bool sensible = transfer.prepare(names_.instructions(transfer.lookup), now);
  transfer.stage = Transfer::Stage::preparing;
  if (sensible && curl_multi_add_handle(driver_.multi(), transfer.easy) == CURLM_OK) return;
  transfer.stage = Transfer::Stage::queued;
  finish(transfer, transfer.finish(Failure::internal, "curl did not accept the request", now));
}

void CurlFetcher::on_name(Names::Waiter& waiter, const std::string& error) {
  auto& transfer = static_cast<Transfer&>(waiter);
  std::erase(waiting_, &transfer);
  if (!error.empty()) transfer.name_error = "name lookup: " + error;
  enqueue(transfer);
}

// A coarse tick while anything is in flight: 100 ms is well inside the 250 ms that an answer may be
// late. curl keeps its timers in one tree over all its handles, which costs more at every request
// than checking all of them ten times a second; and its clock cannot stop for a hold.
void CurlFetcher::arm_tick_timer() {
  if (tick_timer_armed_ || (active_.empty() && !names_.busy())) return;
  tick_timer_armed_ = true;
  tick_timer_.expires_after(std::chrono::milliseconds(100));
  tick_timer_.async_wait([this, alive = alive_](const boost::system::error_code&) {
    if (!*alive) return;
    tick_timer_armed_ = false;
    names_.tick(SteadyClock::now());
    sweep_late();
    arm_tick_timer();
  });
}

void CurlFetcher::sweep_late() {
  const TimePoint now = SteadyClock::now();
  std::vector<Transfer*> late;
  for (const auto& transfer : active_) {
    if (transfer->is_late(now)) late.push_back(transfer.get());
  }
  for (Transfer* transfer : late) {
    const bool waiting = transfer->stage == Transfer::Stage::waiting_for_name;
    std::erase(queued_, transfer);
    finish(*transfer,
           waiting
               ? transfer->finish(Failure::dns, "the name was not found in time", now)
               : transfer->finish(Failure::timeout, "no whole answer within the time-out", now));
  }
}

void CurlFetcher::finish(Transfer& transfer, Response response) {
  if (transfer.in_curl()) {
    curl_multi_remove_handle(driver_.multi(), transfer.easy);
  } else {
    names_.forget(transfer.lookup, transfer);
    std::erase(waiting_, &transfer);
  }
  if (transfer.known) environment_.heard_of.erase(transfer.request.token);
  std::unique_ptr<Transfer> owned = std::move(active_[transfer.index]);
  if (owned->index + 1 != active_.size()) {
    active_[owned->index] = std::move(active_.back());
    active_[owned->index]->index = owned->index;
  }
  active_.pop_back();
  response.final_url = std::move(transfer.request.url);
  if (spare_.size() < max_spare_transfers) spare_.push_back(std::move(owned));
  handler_.on_done(std::move(response));
}

// curl counts the connections in use among those it may keep.
void CurlFetcher::raise_connection_limit() {
  connection_room_ = std::max<std::size_t>(64, connection_room_ * 2);
  curl_multi_setopt(driver_.multi(), CURLMOPT_MAXCONNECTS,
                    static_cast<long>(options_.max_idle_connections + connection_room_));
}

std::unique_ptr<Transfer> CurlFetcher::take_spare() {
  if (spare_.empty()) return std::make_unique<Transfer>(environment_);
  std::unique_ptr<Transfer> transfer = std::move(spare_.back());
  spare_.pop_back();
  return transfer;
}

}  // namespace

Result<std::unique_ptr<Fetcher>> make_curl_fetcher(boost::asio::io_context& io, Options options,
                                                   Handler& handler) {
  Resolver::Options resolver;
  resolver.max_threads =
      static_cast<unsigned>(std::clamp<std::size_t>(options.name_threads, 2, 128));
  resolver.at_once = std::max(resolver.max_threads / 8, 1u);
  return make_curl_fetcher(io, std::move(options), handler, std::move(resolver));
}

Result<std::unique_ptr<Fetcher>> make_curl_fetcher(boost::asio::io_context& io, Options options,
                                                   Handler& handler, Resolver::Options resolver) {
  if (!set_up_curl()) return Error{"libcurl cannot be initialised", ExitCode::software};
  Result<AddressGate> gate = AddressGate::create(options.allow);
  if (!gate) return gate.error();
  if (options.ca_file.empty()) options.ca_file = system_ca_file();
  if (!std::ifstream(options.ca_file).is_open()) {
    return Error{"the CA file " + printable(options.ca_file) +
                     " cannot be read; install the package ca-certificates",
                 ExitCode::missing_input};
  }
  options.piece_bytes = std::max<std::size_t>(options.piece_bytes, 1);
  return std::unique_ptr<Fetcher>(std::make_unique<CurlFetcher>(
      io, std::move(options), std::move(gate).value(), handler, std::move(resolver)));
}

}  // namespace pollux::fetch
