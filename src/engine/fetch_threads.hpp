// A Fetcher that spreads the hosts over several threads, each with an event loop and a curl fetcher
// of its own; which one a URL goes to follows from its host:port, so kept connections and HTTP/2
// stay together. Requests and answers cross in batches.
//
// Bodies are hashed where their bytes are: Response::body_hash is set, no piece comes and `body` is
// empty, so there is no credit to grant. What is kept (Request::keep_in) comes with the hash, as
// Response::kept_body. Only the text of a request with `cut_body` (robots.txt) is handed over,
// whole, as Response::body. Threading: as Fetcher says, on the thread of `loop`, whatever happens
// on the others. Destruction ends the threads and drops what is in flight, unanswered.
#pragma once

#include "pollux/base/event_loop.hpp"
#include "pollux/base/thread_owner.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <functional>
#include <memory>
#include <unordered_map>
#include <variant>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace pollux::engine {

class FetchThreads final : public fetch::Fetcher {
 public:
  // The loop and the handler outlive it. What `options` limits (idle connections, threads that look
  // names up) is divided among the threads. Fails as make_curl_fetcher() does.
  static Result<std::unique_ptr<FetchThreads>> create(EventLoop& loop, fetch::Options options,
                                                      std::size_t threads, fetch::Handler& handler);
  // One thread with this name, and any fetcher on it.
  using Maker = std::function<Result<std::unique_ptr<fetch::Fetcher>>(boost::asio::io_context&,
                                                                      fetch::Handler&)>;
  static Result<std::unique_ptr<FetchThreads>> create(EventLoop& loop, const char* name,
                                                      const Maker& make, fetch::Handler& handler);
  ~FetchThreads() override;

  void start(fetch::Request request) override;
  void send(fetch::Token token) override;
  void grant(fetch::Token, std::size_t) override {}
  void cancel(fetch::Token token) override;
  void cancel_all() override;
  std::size_t in_flight() const override { return in_flight_.size(); }
  void set_access_points(std::vector<fetch::AccessPoint> points) override;

 private:
  class Shard;
  using Ready = fetch::Token;
  using Event = std::variant<Ready, fetch::Response>;

  explicit FetchThreads(fetch::Handler& handler);
  Status add(EventLoop& loop, const char* name, const Maker& make);
  void take(Event event);
  Shard& shard_of(std::string_view url) const;
  Shard* shard_of(fetch::Token token) const;

  fetch::Handler& handler_;
  ThreadOwner owner_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::unordered_map<fetch::Token, Shard*> in_flight_;
};

}  // namespace pollux::engine
