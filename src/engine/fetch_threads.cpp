#include "engine/fetch_threads.hpp"

#include "engine/asio_loop.hpp"
#include "engine/body_credit.hpp"
#include "engine/handover.hpp"
#include "engine/incoming_bodies.hpp"
#include "pollux/base/url.hpp"
#include "pollux/fetch/curl_fetcher.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <pthread.h>

namespace pollux::engine {
namespace {

struct Send {
  fetch::Token token;
};
struct Cancel {
  fetch::Token token;
};
struct CancelAll {};
using Points = std::vector<fetch::AccessPoint>;
using Command = std::variant<fetch::Request, Send, Cancel, CancelAll, Points>;

template <typename... Functions>
struct Visitor : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Visitor(Functions...) -> Visitor<Functions...>;  // clang before 17 does not deduce it

bool is_whole(const fetch::Response& response) {
  return response.failure == fetch::Failure::none && fetch::is_success(response.status);
}

}  // namespace

// One thread. But for put(), construction and destruction, everything happens on it.
class FetchThreads::Shard final : fetch::Handler {
 public:
  Shard(EventLoop& engine, std::function<void(Event)> take)
      : commands_(std::make_shared<Handover<Command>>(
            engine, loop_, [this](Command&& command) { obey(command); })),
        events_(std::make_shared<Handover<Event>>(loop_, engine, std::move(take))) {}
  ~Shard() override {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Status begin(const char* name, const Maker& make) {
    auto made = make(io_, *this);
    if (!made.ok()) return made.error();
    fetcher_ = std::move(made).value();
    thread_ = std::thread([this] { io_.run(); });
    pthread_setname_np(thread_.native_handle(), name);  // for top -H
    return success();
  }
  void put(Command command) { commands_->put(std::move(command)); }

 private:
  void obey(Command& command) {
    std::visit(Visitor{[this](fetch::Request& request) { start(std::move(request)); },
                       [this](const Send& send) { fetcher_->send(send.token); },
                       [this](const Cancel& cancel) { fetcher_->cancel(cancel.token); },
                       [this](const CancelAll&) { fetcher_->cancel_all(); },
                       [this](Points& points) { fetcher_->set_access_points(std::move(points)); }},
               command);
  }
  void start(fetch::Request request) {
    if (request.cut_body) {
      texts_.try_emplace(request.token, text_room_, static_cast<ByteRoom::Name>(request.token));
      rooms_.try_emplace(request.token, text_room_);
    } else if (request.keep_in) {
      rooms_.try_emplace(request.token, request.keep_in);
    }
    fetcher_->start(std::move(request));
  }

  void on_ready(fetch::Token token) override { events_->put(token); }

  void on_piece(fetch::Token token, std::string piece) override {
    const std::size_t bytes = piece.size();
    const std::shared_ptr<ByteRoom>& room = room_of(token);
    if (room) room->add(bytes);
    if (const auto text = texts_.find(token); text != texts_.end()) {
      text->second.add_counted(std::move(piece));
    } else {
      bodies_.add(token, std::move(piece), room);
    }
    if (!room) return fetcher_->grant(token, bytes);
    credit_.took(token, room, bytes);
  }

  void on_done(fetch::Response response) override {
    credit_.ended(response.token);
    const auto room = rooms_.extract(response.token);
    if (auto text = texts_.extract(response.token)) {
      response.body = text.mapped().join() + response.body;
    } else {
      hash(response, room ? room.mapped() : nowhere_);
    }
    events_->put(std::move(response));
  }

  void hash(fetch::Response& response, const std::shared_ptr<ByteRoom>& room) {
    std::string last = std::exchange(response.body, {});
    if (!is_whole(response)) {
      bodies_.drop(response.token);
      return;
    }
    if (room) room->add(last.size());
    HashedBody body = bodies_.finish(response.token, std::move(last), room);
    response.body_hash = body.hash;
    response.kept_body = std::move(body.body);
  }

  const std::shared_ptr<ByteRoom>& room_of(fetch::Token token) const {
    const auto found = rooms_.find(token);
    return found != rooms_.end() ? found->second : nowhere_;
  }

  boost::asio::io_context io_{1};
  AsioLoop loop_{io_};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::shared_ptr<Handover<Command>> commands_;
  std::shared_ptr<Handover<Event>> events_;
  std::unique_ptr<fetch::Fetcher> fetcher_;
  IncomingBodies bodies_;
  std::unordered_map<fetch::Token, CountedBytes> texts_;               // with cut_body
  std::unordered_map<fetch::Token, std::shared_ptr<ByteRoom>> rooms_;  // of what is kept
  const std::shared_ptr<ByteRoom> nowhere_;
  const std::shared_ptr<ByteRoom> text_room_ = std::make_shared<ByteRoom>(BodyCredit::most_text);
  BodyCredit credit_{
      loop_, [this](fetch::Token token, std::size_t bytes) { fetcher_->grant(token, bytes); }};
  std::thread thread_;
};

Result<std::unique_ptr<FetchThreads>> FetchThreads::create(EventLoop& loop, fetch::Options options,
                                                           std::size_t threads,
                                                           fetch::Handler& handler) {
  threads = std::max<std::size_t>(threads, 1);
  const auto part = [threads](std::size_t all) { return (all + threads - 1) / threads; };
  options.max_idle_connections = part(options.max_idle_connections);
  options.name_threads = part(options.name_threads);
  std::unique_ptr<FetchThreads> made(new FetchThreads(handler));
  const auto make = [&options](boost::asio::io_context& io, fetch::Handler& of) {
    return fetch::make_curl_fetcher(io, options, of);
  };
  for (std::size_t i = 0; i < threads; ++i) {
    if (const Status added = made->add(loop, "fetch", make); !added.ok()) return added.error();
  }
  return made;
}

Result<std::unique_ptr<FetchThreads>> FetchThreads::create(EventLoop& loop, const char* name,
                                                           const Maker& make,
                                                           fetch::Handler& handler) {
  std::unique_ptr<FetchThreads> made(new FetchThreads(handler));
  if (const Status added = made->add(loop, name, make); !added.ok()) return added.error();
  return made;
}

Status FetchThreads::add(EventLoop& loop, const char* name, const Maker& make) {
  auto shard = std::make_unique<Shard>(loop, [this](Event event) { take(std::move(event)); });
  if (Status begun = shard->begin(name, make); !begun.ok()) return begun;
  shards_.push_back(std::move(shard));
  return success();
}

FetchThreads::FetchThreads(fetch::Handler& handler) : handler_(handler) {}
FetchThreads::~FetchThreads() = default;

FetchThreads::Shard& FetchThreads::shard_of(std::string_view url) const {
  return *shards_[std::hash<std::string_view>()(authority_of(url)) % shards_.size()];
}

FetchThreads::Shard* FetchThreads::shard_of(fetch::Token token) const {
  const auto found = in_flight_.find(token);
  return found != in_flight_.end() ? found->second : nullptr;
}

void FetchThreads::start(fetch::Request request) {
  owner_.check();
  Shard& shard = shard_of(request.url);
  in_flight_[request.token] = &shard;
  shard.put(std::move(request));
}

void FetchThreads::send(fetch::Token token) {
  owner_.check();
  if (Shard* shard = shard_of(token)) shard->put(Send{token});
}

void FetchThreads::cancel(fetch::Token token) {
  owner_.check();
  if (Shard* shard = shard_of(token)) shard->put(Cancel{token});
}

void FetchThreads::cancel_all() {
  owner_.check();
  for (const auto& shard : shards_) shard->put(CancelAll{});
}

void FetchThreads::set_access_points(std::vector<fetch::AccessPoint> points) {
  owner_.check();
  for (const auto& shard : shards_) shard->put(points);
}

void FetchThreads::take(Event event) {
  owner_.check();
  std::visit(Visitor{[this](Ready token) { handler_.on_ready(token); },
                     [this](fetch::Response& response) {
                       in_flight_.erase(response.token);
                       handler_.on_done(std::move(response));
                     }},
             event);
}

}  // namespace pollux::engine
