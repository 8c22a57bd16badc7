// A Fetcher whose requests are made by agents on other machines; which one, the request's access
// point says. on_ready() comes as soon as the agent has room for one more poll. What it brings is
// hashed already (Response::body_hash), so no piece comes and there is no credit to grant.
//
// A poll is RESERVED (start), then SENT, and ends once: DONE by the first result, UNUSED because it
// never began, or LOST when nothing was heard by the moment at which the agent must have ended it.
// UNUSED and LOST are Failure::agent, Response::sent tells them apart. A poll is never sent twice;
// results are repeated until they are acknowledged, and counted once.
//
// An agent that has not asked for `silence` is gone: nothing more is sent to it, and what is on its
// way stays until it is LOST, so that nobody else asks the same host meanwhile. Threading: all of
// it on the loop's thread. Destruction drops what is in flight, unanswered.
#pragma once

#include "pollux/agent/contents.hpp"
#include "pollux/agent/figures.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/bus/bus.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/leases/leases.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::agent {

// For one more page that is to be rendered. busy: as many as it may have are, or wait for it.
enum class RenderRoom : std::uint8_t { none, busy, yes };

struct RemoteOptions {
  std::uint64_t brain = 0;  // this run of the brain: random, not 0
  // So long after it asked an agent may begin a poll that answers it.
  Duration ttl = std::chrono::seconds(2);
  Duration silence = std::chrono::seconds(3);
  Duration slack = std::chrono::seconds(1);         // for the way back, until a poll is LOST
  Duration collect = std::chrono::milliseconds(5);  // polls that go in one message
  Duration patience = std::chrono::seconds(1);      // of a request, for room at its agent
  // Polls of a brain before this one may be under way for so long; see when_settled().
  Duration settles = std::chrono::seconds(23);
  // The ceiling over all of them and the brain's own requests, as it is now; null or infinity:
  // none.
  std::function<leases::Ceiling()> budget = {};
  std::uint64_t epoch = 1;  // of the leases: higher than those of brains before this one
  bool encrypted = false;   // headers, cookies and logins may leave
  // For who brings what was put aside: see contents().
  ContentMode content = ContentMode::at_once;
};

class RemoteFetcher final : public fetch::Fetcher {
 public:
  // Everything outlives it.
  RemoteFetcher(EventLoop& loop, const Clock& clock, bus::Bus& bus, const RemoteOptions& options,
                fetch::Handler& handler);
  ~RemoteFetcher() override;

  void start(fetch::Request request) override;
  void send(fetch::Token token) override;
  void grant(fetch::Token, std::size_t) override {}
  void cancel(fetch::Token token) override;
  void cancel_all() override;
  std::size_t in_flight() const override;
  void set_access_points(std::vector<fetch::AccessPoint> points) override;

  // Its access point is an agent.
  bool serves(const fetch::Request& request) const;
  // May a poll go there; `secrets`: one with headers, cookies or a login.
  bool takes(std::string_view agent, bool secrets) const;
  // False: it has as many polls as it may have and enough wait for their ends to keep it busy, or
  // it has not been heard of for a moment.
  bool has_room(std::string_view agent) const;
  // Likewise one that needs a browser. none: the agent has none, or is not there.
  RenderRoom render_room(std::string_view agent, bool secrets) const;
  // The brain's own fetcher, held to its part of the budget. It may not outlive this.
  std::unique_ptr<fetch::Fetcher> pace(std::unique_ptr<fetch::Fetcher> local);
  // Once, when no agent can be at work for a brain that was here before: until then a host may be
  // asked by two.
  void when_settled(std::function<void()> told);
  // What agents have put aside; a handler that is not to know of it chooses at_once.
  Contents& contents();
  // Of the budget: what the agents and the brain's own fetcher may still send.
  leases::InUse in_use() const;
  std::vector<AgentFigures> figures() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::agent
