#include "simulation/simulated_agents.hpp"

namespace pollux::simulation {

using namespace std::chrono_literals;

class WebDoors::Door final : public fetch::Fetcher {
 public:
  Door(WebDoors& house, fetch::Handler& told) : handler(told), house_(house) {}
  ~Door() override {
    std::erase_if(house_.asked_, [this](const auto& one) { return one.second.door == this; });
  }
  void start(fetch::Request request) override {
    const fetch::Token outside{++house_.last_};
    house_.asked_.emplace(outside, Asked{this, request.token});
    inside_[request.token] = outside;
    request.token = outside;
    house_.web_.start(std::move(request));
  }
  void send(fetch::Token token) override { house_.web_.send(inside_.at(token)); }
  void grant(fetch::Token, std::size_t) override {}
  void cancel(fetch::Token token) override {
    if (const auto known = inside_.find(token); known != inside_.end())
      house_.web_.cancel(known->second);
  }
  void cancel_all() override {
    for (const auto& [token, outside] : inside_) house_.web_.cancel(outside);
  }
  std::size_t in_flight() const override { return inside_.size(); }
  void set_access_points(std::vector<fetch::AccessPoint>) override {}
  void ended(fetch::Token token) { inside_.erase(token); }

  fetch::Handler& handler;

 private:
  WebDoors& house_;
  std::unordered_map<fetch::Token, fetch::Token> inside_;
};

std::unique_ptr<fetch::Fetcher> WebDoors::open(fetch::Handler& handler) {
  return std::make_unique<Door>(*this, handler);
}

// What nobody waits for any more never leaves.
void WebDoors::on_ready(fetch::Token token) {
  const auto found = asked_.find(token);
  if (found == asked_.end()) return web_.cancel(token);
  found->second.door->handler.on_ready(found->second.token);
}

void WebDoors::on_done(fetch::Response response) {
  const auto found = asked_.extract(response.token);
  if (!found) return;
  Door& door = *found.mapped().door;
  response.token = found.mapped().token;
  door.ended(response.token);
  door.handler.on_done(std::move(response));
}

namespace {

// Wrong by as much as one likes, and it jumps ahead while its machine sleeps.
class OwnClock final : public Clock {
 public:
  OwnClock(const Clock& true_clock, Duration off) : true_(true_clock), off_(off) {}
  Instant now() const override { return true_.now() + off_; }
  WallTime wall() const override { return true_.wall() - 1h; }
  void jump(Duration time) { off_ += time; }

 private:
  const Clock& true_;
  Duration off_;
};

}  // namespace

struct SimulatedAgents::Agent {
  Agent(const Clock& clock, Duration off) : boot(clock, off) {}
  OwnClock boot;
  std::unique_ptr<bus::Bus> bus;
  std::unique_ptr<agent::Worker> worker;
  std::unique_ptr<fetch::Fetcher> door;
  std::uint64_t polls_before = 0;  // of those that were killed

  void kill() {
    if (!worker) return;
    polls_before += worker->figures().polls;
    door.reset();
    worker.reset();
    bus.reset();
  }
};

SimulatedAgents::SimulatedAgents(EventLoop& loop, const Clock& clock, std::size_t agents,
                                 std::uint64_t seed)
    : loop_(loop), clock_(clock), rng_(seed), hub_(clock, [&] {
        bus::MemoryOptions options;
        options.seed = seed + 1;
        return options;
      }()) {
  for (std::size_t i = 0; i < agents; ++i)
    agents_.push_back(std::make_unique<Agent>(clock, i * 1h));
}

SimulatedAgents::~SimulatedAgents() = default;

std::string SimulatedAgents::name(std::size_t agent) {
  return "agent-" + std::to_string(agent);
}

fetch::Fetcher& SimulatedAgents::make_fetcher(SimulatedWeb& web, fetch::Handler& handler,
                                              const std::vector<fetch::AccessPoint>& points,
                                              std::function<leases::Ceiling()> budget) {
  doors_ = std::make_unique<WebDoors>(web);
  brain_bus_ = hub_.join(loop_, "brain");
  router_ = std::make_unique<fetch::Router>(handler);
  agent::RemoteOptions options;
  options.brain = 77;
  options.budget = std::move(budget);
  // So that the second pair of messages gets lost as often as possible.
  options.content = agent::ContentMode::hash_first;
  auto remote = std::make_unique<agent::RemoteFetcher>(loop_, clock_, *brain_bus_, options,
                                                       router_->second_handler());
  remote_ = remote.get();
  remote_->set_access_points(points);
  auto local = remote_->pace(doors_->open(handler));
  router_->begin(std::move(local), std::move(remote),
                 [this](const fetch::Request& request) { return remote_->serves(request); });
  for (std::size_t i = 0; i < agents_.size(); ++i) start(i);
  return *router_;
}

void SimulatedAgents::start(std::size_t index) {
  Agent& one = *agents_[index];
  one.bus = hub_.join(loop_, name(index));
  agent::WorkerOptions options;
  options.name = name(index);
  options.instance = ++instances_;
  one.worker = std::make_unique<agent::Worker>(
      agent::Worker::Parts{
          loop_, clock_, one.boot, *one.bus,
          [this](agent::Extraction task, std::function<void(agent::Extracted)> done) {
            loop_.post([task = std::move(task), done = std::move(done)] {
              done(agent::extract_for_brain(task));
            });
          }},
      std::move(options));
  one.door = doors_->open(*one.worker);
  one.worker->begin(*one.door);
}

void SimulatedAgents::later(Duration time, std::function<void()> what) {
  timers_.push_back(loop_.make_timer());
  timers_.back()->arm(clock_.now() + time, std::move(what));
}

void SimulatedAgents::set_line(std::size_t agent, const bus::Line& line, Duration time) {
  hub_.set_line(name(agent), line);
  later(time, [this, agent] { hub_.set_line(name(agent), {}); });
}

void SimulatedAgents::lose_something() {
  const std::size_t agent = rng_.below(agents_.size());
  const Duration time = 1s + from_seconds(rng_.uniform() * 20);
  switch (rng_.below(5)) {
    case 0:
      ++losses_.kills;
      agents_[agent]->kill();
      return later(time, [this, agent] {
        if (!agents_[agent]->worker) start(agent);
      });
    case 1:
      ++losses_.freezes;
      return set_line(agent, {.held = true}, time);
    case 2:
      ++losses_.cuts;
      return set_line(agent, {.cut_off = true}, time);
    case 3:
      ++losses_.slow_lines;
      return set_line(agent, {.delay = 200ms, .jitter = 1s, .lost = 0.1, .twice = 0.2}, time);
    default:
      ++losses_.sleeps;
      agents_[agent]->boot.jump(time);
  }
}

std::uint64_t SimulatedAgents::polls_of(std::size_t agent) const {
  const Agent& one = *agents_[agent];
  return one.polls_before + (one.worker ? one.worker->figures().polls : 0);
}

}  // namespace pollux::simulation
