// Brains that share a budget and pass it on to agents of their own: what all their servers see.
#include "pollux/agent/remote_fetcher.hpp"
#include "pollux/agent/worker.hpp"
#include "pollux/base/virtual_loop.hpp"
#include "pollux/brains/member.hpp"
#include "pollux/bus/memory.hpp"
#include "unit/agent/machines.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

namespace pollux::brains {
namespace {

using namespace std::chrono_literals;

constexpr double budget = 60;
constexpr int agents_each = 2;

// A brain with a list that is never polled to its end, and what joins its parts in the engine.
class Brain final : public fetch::Handler {
 public:
  Brain(VirtualLoop& loop, const ManualClock& clock, bus::MemoryHub& hub, const std::string& name,
        std::uint64_t process)
      : clock_(clock),
        bus_(hub.join(loop, name)),
        lent_(budget, clock.now()),
        here_(loop, clock),
        timer_(loop.make_timer()) {
    lent_.end_at(clock.now());
    agent::RemoteOptions remote;
    remote.brain = remote.epoch = process;
    remote.budget = [this] { return leases::Ceiling(lent_.rate(), lent_.ends()); };
    remote_ = std::make_unique<agent::RemoteFetcher>(loop, clock, *bus_, remote, *this);
    std::vector<fetch::AccessPoint> points(agents_each);
    for (int i = 0; i < agents_each; ++i)
      points[static_cast<std::size_t>(i)].name = points[static_cast<std::size_t>(i)].agent =
          name + std::to_string(i);
    remote_->set_access_points(points);
    here_.set_handler(*this);
    here_.otherwise = agent::page("x");
    local_ = remote_->pace(std::make_unique<agent::BorrowedWeb>(here_));
    Options options;
    options.name = name;
    options.budget = budget;
    member_.emplace(*bus_, loop, clock, options, process,
                    Member::Callbacks{[] {
                                        return Figures{0.1, 100, 10};
                                      },
                                      [this](double rate, Instant ends) {
                                        if (rate > 0) lent_.set_rate(rate, clock_.now());
                                        lent_.end_at(rate > 0 ? ends : clock_.now());
                                      },
                                      [this] { return remote_->in_use(); }});
    remote_->when_settled([this] { poll(); });
  }
  ~Brain() override {
    lent_.end_at(clock_.now());
    member_.reset();
  }
  const std::vector<agent::ScriptedWeb::Asked>& asked() const { return here_.asked; }

 private:
  // A request every so often to each agent, and here.
  void poll() {
    const Instant now = clock_.now();
    while (!lent_.over(now) && lent_.next_allowed() <= now) {
      lent_.take(now);
      fetch::Request request;
      request.token = fetch::Token{++tokens_};
      request.url = "http://a.test/";
      request.timeout = 4s;
      request.remote = std::make_shared<const fetch::Remote>();
      request.keep_in = room_;
      const auto where = static_cast<std::uint32_t>(tokens_ % (agents_each + 1));
      if (where < agents_each) request.access_point = fetch::AccessPointId{where};
      fetcher_of(request.token).start(request);
    }
    timer_->arm(now + 5ms, [this] { poll(); });
  }
  fetch::Fetcher& fetcher_of(fetch::Token token) {
    if (static_cast<std::uint64_t>(token) % (agents_each + 1) < agents_each) return *remote_;
    return *local_;
  }
  void on_ready(fetch::Token token) override { fetcher_of(token).send(token); }
  void on_piece(fetch::Token, std::string) override {}
  void on_done(fetch::Response) override {}

  const ManualClock& clock_;
  std::unique_ptr<bus::Bus> bus_;
  schedule::Budget lent_;
  agent::ScriptedWeb here_;
  std::unique_ptr<agent::RemoteFetcher> remote_;
  std::unique_ptr<fetch::Fetcher> local_;
  std::optional<Member> member_;
  std::unique_ptr<Timer> timer_;
  std::shared_ptr<ByteRoom> room_ = std::make_shared<ByteRoom>(32u << 20);
  std::uint64_t tokens_ = 0;
};

class BrainsWithAgents {
 public:
  BrainsWithAgents(std::uint64_t seed, int brains) : rng_(seed), hub_(clock_, {.seed = seed}) {
    for (int i = 0; i < brains; ++i) {
      brains_.push_back(nullptr);
      start_brain(i);
      for (int j = 0; j < agents_each; ++j) {
        agents_.push_back(nullptr);
        start_agent(i * agents_each + j);
      }
    }
  }
  void run(Duration how_long) { loop_.run_until(clock_.now() + how_long); }
  Instant now() const { return clock_.now(); }

  void lose_something() {
    for (std::size_t i = 0; i < brains_.size(); ++i) {
      hub_.set_line(brain_name(i), line());
      if (!brains_[i] && rng_.chance(0.3)) {
        start_brain(static_cast<int>(i));
      } else if (brains_[i] && rng_.chance(0.04)) {
        if (rng_.chance(0.5)) hub_.set_line(brain_name(i), {.cut_off = true});
        end_brain(i);
      }
    }
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      hub_.set_line(agent_name(i), line());
      if (rng_.chance(0.03)) start_agent(static_cast<int>(i));
    }
    run(Duration(rng_.below(6'000'000)));
  }
  // Of everything that was sent; the fullest second, wherever it begins.
  std::size_t most_in_a_second() {
    std::vector<Instant> all = sent();
    std::size_t most = 0, first = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      while (all[i] - all[first] >= 1s) ++first;
      most = std::max(most, i - first + 1);
    }
    return most;
  }
  std::vector<Instant> sent() {
    std::vector<Instant> all = before_;
    for (const auto& brain : brains_) {
      if (brain) add(brain->asked(), all);
    }
    for (const auto& agent : agents_) add(agent->web.asked, all);
    std::ranges::sort(all);
    return all;
  }
  double senders() const { return static_cast<double>(brains_.size() + agents_.size()); }

 private:
  static std::string brain_name(std::size_t brain) { return "b" + std::to_string(brain) + "-"; }
  static std::string agent_name(std::size_t agent) {
    return brain_name(agent / agents_each) + std::to_string(agent % agents_each);
  }
  static void add(const std::vector<agent::ScriptedWeb::Asked>& asked, std::vector<Instant>& all) {
    for (const auto& one : asked) all.push_back(one.at);
  }
  bus::Line line() {
    bus::Line line{.delay = Duration(rng_.below(150'000)), .jitter = Duration(rng_.below(300'000))};
    line.lost = rng_.chance(0.3) ? rng_.uniform() * 0.6 : 0;
    line.twice = rng_.uniform() * 0.3;
    line.cut_off = rng_.chance(0.08);
    line.held = rng_.chance(0.05);
    return line;
  }
  void start_brain(int index) {
    const auto i = static_cast<std::size_t>(index);
    brains_[i] = std::make_unique<Brain>(loop_, clock_, hub_, brain_name(i), ++processes_);
  }
  void end_brain(std::size_t index) {
    add(brains_[index]->asked(), before_);
    brains_[index].reset();
  }
  void start_agent(int index) {
    auto& agent = agents_[static_cast<std::size_t>(index)];
    if (agent) add(agent->web.asked, before_);
    agent.reset();
    agent::WorkerOptions options;
    options.name = agent_name(static_cast<std::size_t>(index));
    options.instance = ++processes_;
    options.manners = [](const std::string&) { return agent::HostManners{Duration::zero(), 64}; };
    agent = std::make_unique<agent::Machine>(loop_, clock_, clock_, hub_, options);
    agent->web.otherwise = agent::page("x");
    agent->worker.begin(agent->web);
  }

  Rng rng_;
  ManualClock clock_;
  VirtualLoop loop_{clock_};
  bus::MemoryHub hub_;
  std::uint64_t processes_ = 0;
  std::vector<std::unique_ptr<Brain>> brains_;
  std::vector<std::unique_ptr<agent::Machine>> agents_;
  std::vector<Instant> before_;  // sent by processes that have ended
};

TEST(BrainsWithAgentsProperty, use_nearly_all_of_the_budget_when_nothing_fails) {
  BrainsWithAgents town(1, 2);
  town.run(40s);
  const std::size_t begun = town.sent().size();
  town.run(60s);
  EXPECT_GE(static_cast<double>(town.sent().size() - begun), 0.9 * 60 * budget);
  EXPECT_LE(static_cast<double>(town.most_in_a_second()), budget + town.senders());
}

TEST(BrainsWithAgentsProperty, no_second_has_more_than_the_budget_and_one_for_each_sender) {
  const char* given = std::getenv("POLLUX_SEED");
  const std::uint64_t first = given ? std::strtoull(given, nullptr, 10) : 1;
  spdlog::set_level(spdlog::level::off);  // thousands of losses
  for (std::uint64_t seed = first; seed < (given ? first + 1 : 12); ++seed) {
    BrainsWithAgents town(seed, 2 + static_cast<int>(seed % 2));
    while (town.now() < Instant(10min)) town.lose_something();
    ASSERT_LE(static_cast<double>(town.most_in_a_second()), budget + town.senders())
        << "seed " << seed;
    ASSERT_GT(town.sent().size(), 500u) << "seed " << seed << ": this shows nothing";
  }
  spdlog::set_level(spdlog::level::info);
}

}  // namespace
}  // namespace pollux::brains
