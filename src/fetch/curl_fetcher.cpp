#include "pollux/fetch/curl_fetcher.hpp"

#include "fetch/fetcher_with_names.hpp"
#include "fetch/multi_driver.hpp"
#include "fetch/transfer.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/thread_owner.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <utility>

#include <boost/asio/steady_timer.hpp>

namespace pollux::fetch {
namespace {

using SteadyClock = std::chrono::steady_clock;
using TimePoint = SteadyClock::time_point;

constexpr std::size_t max_spare_transfers = 256;

class CurlFetcher final : public Fetcher, MultiDriver::Listener, Names::Listener {
 public:
  CurlFetcher(boost::asio::io_context& io, Options options, AddressGate gate, Handler& handler,
              Resolver::Options resolver)
      : options_(std::move(options)),
        gate_(std::move(gate)),
        handler_(handler),
        driver_(io, *this),
        environment_{options_, gate_, handler, driver_, {}, {}},
        names_(io, std::move(resolver), *this),
        name_timer_(io) {
    raise_connection_limit();
  }

  ~CurlFetcher() override {
    *alive_ = false;
    for (const auto& transfer : active_) {
      if (transfer->stage == Transfer::Stage::running) {
        curl_multi_remove_handle(driver_.multi(), transfer->easy);
      }
    }
  }

  bool resolved(const std::string& url, Token token,
                std::optional<std::uint32_t> access_point) override {
    owner_.check();
    const std::string& proxy = proxy_for(options_, access_point);
    const std::string& asked = proxy.empty() ? url : proxy;
    const Names::State state = names_.check(origin_of(asked), token, SteadyClock::now());
    if (state == Names::State::failed) on_name(token);
    arm_name_timer();
    return state == Names::State::known;
  }

  void start(Request request) override {
    owner_.check();
    std::unique_ptr<Transfer> transfer = take_spare();
    transfer->accept(std::move(request), SteadyClock::now());
    transfer->index = active_.size();
    queued_.push_back(transfer.get());
    active_.push_back(std::move(transfer));
    if (!in_turn_) driver_.request_turn();
  }

  void resume(Token token) override {
    owner_.check();
    resumed_.push_back(token);
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
  void on_name(Transfer& transfer, const std::string& error) override;
  void on_name(Token token) override;

  void tell_resolved();
  void resume_paused();
  void pause_wanted();
  void reap();
  void sweep_cancelled();
  void launch_queued();
  void launch(Transfer& transfer, TimePoint now);
  void arm_name_timer();
  void sweep_waiting();
  void finish(Transfer& transfer, Response response);
  void raise_connection_limit();
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
  std::vector<Transfer*> paused_;
  std::vector<Token> resumed_;
  std::vector<Token> name_settled_;  // on_resolved() is due
  Names names_;
  boost::asio::steady_timer name_timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for the timer's handler
  std::size_t connection_room_ = 0;
  bool name_timer_armed_ = false;
  bool cancel_wanted_ = false;
  bool in_turn_ = false;
};

// One turn: everything that callbacks and callers asked for since the last one. Curl is idle here.
void CurlFetcher::on_turn() {
  owner_.check();
  in_turn_ = true;
  resume_paused();
  pause_wanted();
  reap();
  sweep_cancelled();
  tell_resolved();
  launch_queued();
  in_turn_ = false;
}

void CurlFetcher::resume_paused() {
  for (const Token token : std::exchange(resumed_, {})) {
    const auto found = std::find_if(paused_.begin(), paused_.end(), [&](const Transfer* transfer) {
      return transfer->request.token == token;
    });
    if (found == paused_.end()) continue;
    Transfer& transfer = **found;
    if (!transfer.deliver_held_back()) continue;
    paused_.erase(found);
    if (std::exchange(transfer.held_by_curl, false)) curl_easy_pause(transfer.easy, CURLPAUSE_CONT);
  }
}

void CurlFetcher::pause_wanted() {
  for (Transfer* transfer : std::exchange(environment_.pause_wanted, {})) {
    paused_.push_back(transfer);
    transfer->held_by_curl = curl_easy_pause(transfer->easy, CURLPAUSE_RECV) == CURLE_OK;
  }
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
    Response response = transfer->finish(code, SteadyClock::now());
    finish(*transfer, std::move(response));
  }
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

void CurlFetcher::tell_resolved() {
  for (const Token token : std::exchange(name_settled_, {})) handler_.on_resolved(token);
}

void CurlFetcher::launch_queued() {
  if (queued_.empty()) return;
  const TimePoint now = SteadyClock::now();
  // A handler may start more while this runs.
  for (std::size_t i = 0; i < queued_.size(); ++i) {
    Transfer& transfer = *queued_[i];
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
  arm_name_timer();
}

void CurlFetcher::launch(Transfer& transfer, TimePoint now) {
  if (active_.size() > connection_room_) raise_connection_limit();
  transfer.prepare(names_.instructions(transfer.lookup), now);
  transfer.stage = Transfer::Stage::running;
  if (curl_multi_add_handle(driver_.multi(), transfer.easy) == CURLM_OK) return;
  transfer.stage = Transfer::Stage::queued;
  finish(transfer, transfer.finish(Failure::internal, "curl did not accept the request", now));
}

void CurlFetcher::on_name(Transfer& transfer, const std::string& error) {
  std::erase(waiting_, &transfer);
  transfer.stage = Transfer::Stage::queued;
  if (!error.empty()) transfer.name_error = "name lookup: " + error;
  queued_.push_back(&transfer);
  driver_.request_turn();
}

void CurlFetcher::on_name(Token token) {
  name_settled_.push_back(token);
  driver_.request_turn();
}

// A coarse tick while a lookup is under way: they are rare, and 100 ms is well inside the 250 ms
// that an answer may be late.
void CurlFetcher::arm_name_timer() {
  if (name_timer_armed_ || (waiting_.empty() && !names_.busy())) return;
  name_timer_armed_ = true;
  name_timer_.expires_after(std::chrono::milliseconds(100));
  name_timer_.async_wait([this, alive = alive_](const boost::system::error_code&) {
    if (!*alive) return;
    name_timer_armed_ = false;
    names_.tick(SteadyClock::now());
    sweep_waiting();
    arm_name_timer();
  });
}

void CurlFetcher::sweep_waiting() {
  const TimePoint now = SteadyClock::now();
  std::vector<Transfer*> late;
  std::erase_if(waiting_, [&](Transfer* transfer) {
    const Duration limit = std::min(transfer->request.timeout, options_.connect_timeout);
    if (transfer->time_left(limit, now) > Duration::zero()) return false;
    late.push_back(transfer);
    return true;
  });
  for (Transfer* transfer : late) {
    finish(*transfer, transfer->finish(Failure::timeout, "the name lookup took too long", now));
  }
}

void CurlFetcher::finish(Transfer& transfer, Response response) {
  if (transfer.stage == Transfer::Stage::running) {
    curl_multi_remove_handle(driver_.multi(), transfer.easy);
  } else {
    names_.forget(transfer.lookup, transfer);
    std::erase(waiting_, &transfer);
  }
  if (transfer.paused) std::erase(paused_, &transfer);
  std::unique_ptr<Transfer> owned = std::move(active_[transfer.index]);
  if (owned->index + 1 != active_.size()) {
    active_[owned->index] = std::move(active_.back());
    active_[owned->index]->index = owned->index;
  }
  active_.pop_back();
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

bool set_up_curl() {
  static const bool ready = [] {
    // NOSIGNAL leaves SIGPIPE to the program, and TLS writes with write(2).
    std::signal(SIGPIPE, SIG_IGN);
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }();
  return ready;
}

std::string system_ca_file() {
  const curl_version_info_data* info = curl_version_info(CURLVERSION_NOW);
  if (info->cainfo != nullptr) return info->cainfo;
  return "/etc/ssl/certs/ca-certificates.crt";
}

}  // namespace

Result<std::unique_ptr<Fetcher>> make_curl_fetcher(boost::asio::io_context& io, Options options,
                                                   Handler& handler) {
  return make_curl_fetcher(io, std::move(options), handler, {});
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
