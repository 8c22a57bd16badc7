// A brain's end and some agents on one virtual bus and one virtual clock; each agent has a web of
// its own.
#pragma once

#include "pollux/agent/remote_fetcher.hpp"
#include "pollux/agent/worker.hpp"
#include "pollux/base/virtual_loop.hpp"
#include "pollux/bus/memory.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/extract/packed.hpp"
#include "unit/agent/scripted_web.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pollux::agent {

// A page whose content is wanted, by no rules.
inline fetch::Remote content_wish() {
  fetch::Remote wish;
  wish.wish = fetch::Remote::Wish::content;
  wish.rules = extract::pack(extract::Rules{});
  return wish;
}

inline detect::Hash hash_of(std::string_view text) {
  detect::Digest digest;
  digest.update(text);
  return digest.finish();
}

// What a poll loop does: it sends when it may, and keeps the answers.
class Caller final : public fetch::Handler {
 public:
  fetch::Fetcher* fetcher = nullptr;
  fetch::Fetcher* local_fetcher = nullptr;  // of the requests in `local`
  std::set<fetch::Token> local;
  bool sends = true;
  std::vector<fetch::Token> ready;
  std::map<fetch::Token, fetch::Response> answers;
  int answered_twice = 0;

  void on_ready(fetch::Token token) override {
    ready.push_back(token);
    if (sends) (local.contains(token) ? local_fetcher : fetcher)->send(token);
  }
  void on_piece(fetch::Token, std::string) override { ADD_FAILURE() << "no piece may come"; }
  void on_done(fetch::Response response) override {
    const fetch::Token token = response.token;
    answered_twice += answers.contains(token) ? 1 : 0;
    answers[token] = std::move(response);
  }
};

struct Machine {
  Machine(EventLoop& loop, const Clock& clock, const Clock& boot, bus::MemoryHub& hub,
          WorkerOptions options)
      : bus(hub.join(loop, options.name)),
        web(loop, clock),
        worker({loop, clock, boot, *bus,
                [&loop](Extraction task, std::function<void(Extracted)> done) {
                  loop.post([task = std::move(task), done = std::move(done)] {
                    done(extract_for_brain(task));
                  });
                }},
               std::move(options)) {
    web.set_handler(worker);
  }
  std::unique_ptr<bus::Bus> bus;
  ScriptedWeb web;
  Worker worker;
};

class Machines {
 public:
  explicit Machines(RemoteOptions options = {}) : remote_options(options) {
    remote_options.brain = 1000;
    start_brain();
  }

  void start_brain() {
    brain_bus = hub.join(loop, "brain");
    remote = std::make_unique<RemoteFetcher>(loop, clock, *brain_bus, remote_options, caller);
    caller.fetcher = remote.get();
    remote->set_access_points(points);
  }
  void stop_brain() {
    remote.reset();
    brain_bus.reset();
  }

  Machine& add(const std::string& name, WorkerOptions options = {}) {
    options.name = name;
    options.instance = ++instances;
    if (!options.manners)
      options.manners = [](const std::string&) { return HostManners{Duration::zero(), 64}; };
    machines.push_back(std::make_unique<Machine>(loop, clock, clock, hub, options));
    fetch::AccessPoint point;
    point.name = point.agent = name;
    const bool known = std::ranges::any_of(points, [&](const auto& one) { return one == point; });
    if (!known) points.push_back(point);
    remote->set_access_points(points);
    machines.back()->worker.begin(machines.back()->web);
    return *machines.back();
  }
  void pass(Duration time) { loop.run_until(clock.now() + time); }

  fetch::Token ask(const std::string& url, std::size_t point = 0, fetch::Remote wish = {}) {
    fetch::Request request;
    request.token = fetch::Token{++tokens};
    request.url = url;
    request.timeout = std::chrono::seconds(4);
    request.access_point = fetch::AccessPointId{static_cast<std::uint32_t>(point)};
    request.remote = std::make_shared<const fetch::Remote>(std::move(wish));
    request.keep_in = room;
    remote->start(request);
    return request.token;
  }
  bool has(fetch::Token token) const { return caller.answers.contains(token); }

  ManualClock clock;
  VirtualLoop loop{clock};
  bus::MemoryHub hub{clock};
  RemoteOptions remote_options;
  Caller caller;
  std::unique_ptr<bus::Bus> brain_bus;
  std::unique_ptr<RemoteFetcher> remote;
  std::vector<std::unique_ptr<Machine>> machines;
  std::vector<fetch::AccessPoint> points;
  std::shared_ptr<ByteRoom> room = std::make_shared<ByteRoom>(32u << 20);
  std::uint64_t tokens = 0, instances = 0;
};

}  // namespace pollux::agent
