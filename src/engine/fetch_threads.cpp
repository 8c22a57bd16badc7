#include "engine/fetch_threads.hpp"

#include "engine/asio_loop.hpp"
#include "engine/handover.hpp"
#include "engine/text_credit.hpp"
#include "pollux/base/url.hpp"
#include "pollux/detect/digest.hpp"
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

bool is_whole(const fetch::Response& response) {
  return response.failure == fetch::Failure::none && fetch::is_success(response.status);
}

}  // namespace

// One thread. But for put(), construction and destruction, everything happens on it.
class FetchThreads::Shard final : fetch::Handler {
 public:
  Shard(EventLoop& engine, std::function<void(Event)> take)
      : commands_(std::make_shared<Handover<Command>>(
            engine, loop_, [this](Command command) { obey(std::move(command)); })),
        events_(std::make_shared<Handover<Event>>(loop_, engine, std::move(take))) {}
  ~Shard() override {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Status begin(const fetch::Options& options) {
    auto made = fetch::make_curl_fetcher(io_, options, *this);
    if (!made.ok()) return made.error();
    fetcher_ = std::move(made).value();
    thread_ = std::thread([this] { io_.run(); });
    pthread_setname_np(thread_.native_handle(), "fetch");  // for top -H
    return success();
  }
  void put(Command command) { commands_->put(std::move(command)); }

 private:
  void obey(Command command) {
    std::visit(Visitor{[this](fetch::Request& request) { start(std::move(request)); },
                       [this](const Send& send) { fetcher_->send(send.token); },
                       [this](const Cancel& cancel) { fetcher_->cancel(cancel.token); },
                       [this](const CancelAll&) { fetcher_->cancel_all(); },
                       [this](Points& points) { fetcher_->set_access_points(std::move(points)); }},
               command);
  }
  void start(fetch::Request request) {
    if (request.cut_body) texts_.try_emplace(request.token);
    if (request.keep_body) kept_.try_emplace(request.token);
    fetcher_->start(std::move(request));
  }

  void on_ready(fetch::Token token) override { events_->put(token); }

  void on_piece(fetch::Token token, std::string piece) override {
    if (const auto text = texts_.find(token); text != texts_.end()) {
      text->second += piece;
      text_credit_.took(token, piece.size(), *fetcher_);
    } else {
      digests_[token].update(piece);
      keep(token, piece);
      fetcher_->grant(token, piece.size());
    }
  }

  void on_done(fetch::Response response) override {
    if (auto text = texts_.extract(response.token)) {
      response.body = std::move(text.mapped()) + response.body;
      text_credit_.ended(response.token, *fetcher_);
    } else {
      hash(response);
    }
    events_->put(std::move(response));
  }

  void keep(fetch::Token token, const std::string& piece) {
    const auto kept = kept_.find(token);
    if (kept == kept_.end() || kept->second.let_go) return;
    kept->second.let_go = kept_bytes_ + piece.size() > most_kept;
    if (kept->second.let_go) {
      kept_bytes_ -= kept->second.body.size();
      std::string().swap(kept->second.body);
    } else {
      kept_bytes_ += piece.size();
      kept->second.body += piece;
    }
  }

  void hash(fetch::Response& response) {
    auto pieces = digests_.extract(response.token);
    auto kept = kept_.extract(response.token);
    if (kept) kept_bytes_ -= kept.mapped().body.size();
    if (is_whole(response)) {
      detect::Digest& digest = pieces ? pieces.mapped() : whole_;
      digest.update(response.body);
      response.body_hash = digest.finish();
      response.body_let_go = kept && kept.mapped().let_go;
      if (kept && !response.body_let_go) {
        if (!kept.mapped().body.empty())
          response.body = std::move(kept.mapped().body) + response.body;
        return;
      }
    }
    std::string().swap(response.body);  // freed where it was made
  }

  boost::asio::io_context io_{1};
  AsioLoop loop_{io_};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::shared_ptr<Handover<Command>> commands_;
  std::shared_ptr<Handover<Event>> events_;
  std::unique_ptr<fetch::Fetcher> fetcher_;
  std::unordered_map<fetch::Token, detect::Digest> digests_;  // bodies of which pieces have come
  std::unordered_map<fetch::Token, std::string> texts_;       // of requests with cut_body
  struct KeptBody {
    std::string body;
    bool let_go = false;
  };
  static constexpr std::size_t most_kept = 32u << 20;
  std::unordered_map<fetch::Token, KeptBody> kept_;
  std::size_t kept_bytes_ = 0;
  TextCredit text_credit_;
  detect::Digest whole_;  // for bodies that come whole
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
  for (std::size_t i = 0; i < threads; ++i) {
    auto shard = std::make_unique<Shard>(
        loop, [self = made.get()](Event event) { self->take(std::move(event)); });
    if (const Status begun = shard->begin(options); !begun.ok()) return begun.error();
    made->shards_.push_back(std::move(shard));
  }
  return made;
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
