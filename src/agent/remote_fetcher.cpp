#include "pollux/agent/remote_fetcher.hpp"

#include "agent/agent_link.hpp"
#include "agent/messages.hpp"
#include "agent/paced_fetcher.hpp"
#include "agent/shares.hpp"
#include "agent/trusted_answer.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::agent {
namespace {

using fetch::Failure;
using fetch::Token;
using Standing = AgentLink::Standing;

constexpr Duration look_every = std::chrono::milliseconds(100);
constexpr std::size_t most_batches = 256;  // whose polls may turn out to have met nobody
constexpr std::size_t longest_reason = 1024;
constexpr double newest = 0.1;  // its weight in a smoothed time

bool has_secrets(const fetch::Request& request) {
  return (request.headers && !request.headers->empty()) ||
         (request.cookies && !request.cookies->empty());
}

// What stands between the dots.
std::vector<std::string_view> words_of(std::string_view subject) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= subject.size() && words.size() < 6;) {
    const std::size_t end = std::min(subject.find('.', begin), subject.size());
    words.push_back(subject.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

struct RemoteFetcher::State {
  enum class Stage : std::uint8_t { waiting, reserved, sent };
  struct Pending {
    Stage stage = Stage::waiting;
    AgentLink* link = nullptr;
    Poll poll;
    bool ready_told = false;
    Instant since{};    // it waits
    Instant sent_at{};  // it is with its agent
    Instant lost_at{};  // likewise
  };

  State(EventLoop& its_loop, const Clock& its_clock, bus::Bus& its_bus, const RemoteOptions& chosen,
        fetch::Handler& told)
      : loop(its_loop),
        clock(its_clock),
        bus(its_bus),
        options(chosen),
        handler(told),
        begun(its_clock.now()),
        shares(chosen.budget, chosen.epoch, its_clock.now()),
        ticks(its_loop.make_timer()) {
    heard = bus.subscribe("px.up.>", [this](bus::Message message) { hear(std::move(message)); });
    tick();
  }

  EventLoop& loop;
  const Clock& clock;
  bus::Bus& bus;
  const RemoteOptions options;
  fetch::Handler& handler;
  const Instant begun;
  Shares shares;
  std::unique_ptr<Timer> ticks;
  std::unique_ptr<bus::Subscription> heard;
  std::vector<std::unique_ptr<AgentLink>> links;  // never fewer
  std::vector<AgentLink*> by_point;               // null: no agent's
  std::unordered_map<Token, Pending> pending;
  std::unordered_map<std::uint64_t, Token> by_id;
  std::uint64_t last_id = 0, last_batch = 0;
  std::vector<fetch::Response> ended;  // to be told in the next turn
  std::vector<Token> ready;            // likewise
  bool telling = false;
  std::function<void()> settled;
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);

  AgentLink* find(std::string_view name) const {
    for (const auto& link : links) {
      if (link->name == name) return link.get();
    }
    return nullptr;
  }

  // --- Out.

  void start(fetch::Request request) {
    const Token token = request.token;
    Pending& one = pending[token];
    const auto point = static_cast<std::size_t>(request.access_point.value_or(
        fetch::AccessPointId{static_cast<std::uint32_t>(by_point.size())}));
    one.link = point < by_point.size() ? by_point[point] : nullptr;
    one.since = clock.now();
    one.poll.id = ++last_id;
    if (request.remote) one.poll.remote = *request.remote;
    one.poll.request = std::move(request);
    if (one.link == nullptr) return fail(token, "no agent is known for it");
    if (has_secrets(one.poll.request) && !(one.link->last.secrets && options.encrypted))
      return fail(token, "agent " + one.link->name + " may not be told secrets");
    if (one.link->standing != Standing::alive)
      return fail(token, "agent " + one.link->name + " is not there");
    if (!one.link->takes(clock.now()))
      return fail(token, "agent " + one.link->name + " makes nothing of its polls");
    const bool renders = one.poll.request.render;
    if (renders && one.link->last.renders == 0)
      return fail(token, "agent " + one.link->name + " renders no pages");
    std::deque<Token>& waiting = one.link->waiting_of(renders);
    if (waiting.size() >= std::max<std::size_t>(one.link->last.slots, 1))
      return fail(token, "agent " + one.link->name + " has no room");
    shares.wanted(one.link->name, one.poll.request.price);
    waiting.push_back(token);
    make_room(*one.link);
  }

  // Those that wait take what room there is.
  void make_room(AgentLink& link) {
    while (link.has_place() && !link.waiting_to_render.empty()) {
      ++link.rendering;
      reserve(link, link.waiting_to_render);
    }
    while (link.has_room() && !link.waiting.empty()) reserve(link, link.waiting);
  }
  void reserve(AgentLink& link, std::deque<Token>& waiting) {
    const Token token = waiting.front();
    waiting.pop_front();
    pending.at(token).stage = Stage::reserved;
    ++link.in_flight;
    ready.push_back(token);
    tell_soon();
  }

  void send(Token token) {
    const auto found = pending.find(token);
    if (found == pending.end() || found->second.stage != Stage::reserved) return;
    Pending& one = found->second;
    AgentLink& link = *one.link;
    if (link.standing != Standing::alive)
      return fail(token, "agent " + link.name + " is not there");
    one.stage = Stage::sent;
    one.sent_at = clock.now();
    one.lost_at =
        one.sent_at + options.collect + options.ttl + one.poll.request.timeout + options.slack;
    by_id[one.poll.id] = token;
    link.outbox.push_back(std::move(one.poll));
    one.poll.id = link.outbox.back().id;
    one.poll.request.keep_in = link.outbox.back().request.keep_in;
    one.poll.request.cut_body = link.outbox.back().request.cut_body;
    one.poll.request.render = link.outbox.back().request.render;
    one.poll.request.max_body = link.outbox.back().request.max_body;
    flush_soon(link);
  }

  void flush_soon(AgentLink& link) {
    if (link.outbox.size() >= most_polls_at_once || link.taken.size() >= most_results_at_once)
      return flush(link);
    if (std::exchange(link.flush_armed, true)) return;
    link.flush->arm(clock.now() + options.collect, [this, &link] { flush(link); });
  }

  void flush(AgentLink& link) {
    link.flush_armed = false;
    link.flush->cancel();
    // First: it makes room there for the polls.
    if (!link.taken.empty())
      answer(link, link.last.instance, receipt(std::exchange(link.taken, {})));
    if (link.outbox.empty()) return;
    send_polls(link, {options.brain, link.last.id, options.ttl, std::exchange(link.outbox, {})});
  }

  void send_polls(AgentLink& link, const Polls& message) {
    std::string bytes = encode(message);
    // Large requests go in halves, one that is too large by itself does not go.
    const bool fits = !bytes.empty() && bytes.size() <= bus.largest_payload();
    if (!fits && message.polls.size() > 1) {
      Polls half{message.brain, message.ask, message.ttl, {}};
      const auto middle = message.polls.begin() + static_cast<long>(message.polls.size() / 2);
      half.polls.assign(message.polls.begin(), middle);
      send_polls(link, half);
      half.polls.assign(middle, message.polls.end());
      return send_polls(link, half);
    }
    std::vector<std::uint64_t> ids;
    for (const Poll& poll : message.polls) ids.push_back(poll.id);
    const std::uint64_t batch = ++last_batch;
    if (fits && bus.publish(link.subjects.polls(link.last.instance), std::move(bytes),
                            link.subjects.nobody(batch))) {
      if (link.batches.size() >= most_batches) link.batches.erase(link.batches.begin());
      link.batches[batch] = std::move(ids);
      return;
    }
    for (const std::uint64_t id : ids)
      unused(id,
             fits ? "no message can be sent to agent " + link.name : "its request is too large");
  }

  Answer receipt(std::vector<std::uint64_t> ids) const {
    Answer message;
    message.brain = options.brain;
    message.taken = std::move(ids);
    return message;
  }
  void answer(AgentLink& link, std::uint64_t instance, const Answer& message) {
    // One that does not arrive is asked for again.
    bus.publish(link.subjects.answers(instance), encode(message));
  }

  // --- In.

  void hear(bus::Message message) {
    const std::vector<std::string_view> words = words_of(message.subject);
    AgentLink* link = words.size() >= 4 ? find(words[2]) : nullptr;
    if (link == nullptr) return;
    link->figures.bytes += message.payload.size();
    if (words[3] == "ask") return hear_ask(*link, message.payload);
    if (words[3] == "res") return hear_results(*link, message.payload);
    if (words[3] == "part") return hear_part(*link, message.payload);
    if (words[3] == "nr" && words.size() == 5 && message.nobody_there)
      hear_of_nobody(*link, words[4]);
  }

  void hear_ask(AgentLink& link, const std::string& bytes) {
    const Instant now = clock.now();
    const std::optional<Ask> ask = decode_ask(bytes);
    if (!ask) {
      if (link.figures.faults++ % 64 == 0)
        spdlog::warn("agent {}: {}", link.name,
                     version_of(bytes) == protocol ? "cannot be understood"
                                                   : "is of another version of Pollux");
      return;
    }
    const bool another = ask->instance != link.last.instance && link.last.instance != 0;
    if (another && is_here(link, now)) {
      if (link.figures.faults++ % 64 == 0)
        spdlog::warn("agent {}: there are two of that name; the later one is refused", link.name);
      Answer refusal = receipt({});
      refusal.refused = true;
      return answer(link, ask->instance, refusal);
    }
    if (!another && ask->id < link.last.id) return;  // an older one, late
    link.last = *ask;
    link.asked = now;
    const Standing before = std::exchange(link.standing, standing_of(*ask));
    Answer reply = receipt(std::exchange(link.taken, {}));
    shares.answer(link.name, ask->instance, ask->lease, now, reply);
    answer(link, ask->instance, reply);
    if (link.standing == Standing::alive) {
      if (before != Standing::alive) {
        link.trial.begins(now);
        spdlog::info("agent {} is there, version {}, {} polls at a time", link.name,
                     printable(ask->version), ask->slots);
      }
      make_room(link);
    } else if (before == Standing::alive) {
      gone(link, "leaves");
    }
    check_settled(now);
  }

  static bool may_be_here(Standing standing) {
    return standing == Standing::alive || standing == Standing::foreign;
  }
  bool is_here(const AgentLink& link, Instant now) const {
    return may_be_here(link.standing) && now - link.asked < options.silence;
  }
  Standing standing_of(const Ask& ask) const {
    if (ask.leaving) return Standing::leaving;
    return ask.brain == options.brain ? Standing::alive : Standing::foreign;
  }

  // What has not been sent goes elsewhere; what has may be on its way.
  void gone(AgentLink& link, const char* how) {
    spdlog::warn("agent {} {}", link.name, how);
    std::vector<Token> unsent;
    for (const auto& [token, one] : pending) {
      if (one.link == &link && one.stage != Stage::sent) unsent.push_back(token);
    }
    for (const Token token : unsent) fail(token, "agent " + link.name + " " + how);
    for (const Poll& poll : std::exchange(link.outbox, {}))
      unused(poll.id, "agent " + link.name + " " + how);
  }

  void hear_of_nobody(AgentLink& link, std::string_view batch) {
    std::uint64_t number = 0;
    for (const char c : batch.substr(0, 19)) {
      if (c < '0' || c > '9') return;
      number = number * 10 + static_cast<std::uint64_t>(c - '0');
    }
    auto ids = link.batches.extract(number);
    if (!ids) return;
    for (const std::uint64_t id : ids.mapped()) unused(id, "agent " + link.name + " is not there");
    if (link.standing != Standing::alive) return;
    link.standing = Standing::silent;
    gone(link, "is not there");
  }

  void hear_part(AgentLink& link, const std::string& bytes) {
    std::optional<Part> part = decode_part(bytes);
    if (!part) return count_fault(link);
    if (part->brain != options.brain || !by_id.contains(part->id))
      return late(link, part->instance, part->id);
    if (const auto whole = link.add_part(std::move(*part))) hear_results(link, *whole);
  }

  void hear_results(AgentLink& link, const std::string& bytes) {
    std::optional<Results> message = decode_results(bytes);
    if (!message) return count_fault(link);
    for (Result& result : message->results) {
      const auto known = by_id.find(result.id);
      const bool ours = message->brain == options.brain && known != by_id.end() &&
                        pending.at(known->second).link == &link;
      if (!ours) {
        late(link, message->instance, result.id);
        continue;
      }
      if (!has_room_for(pending.at(known->second), result)) continue;  // it comes again
      if (message->instance == link.last.instance) link.taken.push_back(result.id);
      link.forget_parts(result.id);
      if (result.fate == Fate::unused) {
        came_to_nothing(link, pending.at(known->second));
        unused(result.id, printable(result.response.failure_text, longest_reason));
      } else {
        done(link, known->second, std::move(result));
      }
    }
    if (!link.taken.empty()) flush_soon(link);
  }

  // What is small when it comes may be large when it is unfolded.
  static bool has_room_for(const Pending& one, const Result& result) {
    const std::shared_ptr<ByteRoom>& room = one.poll.request.keep_in;
    return !room || result.content == Content::none || !room->full();
  }

  // Many times in a row: its hosts go elsewhere.
  void came_to_nothing(AgentLink& link, const Pending& one) {
    const Instant now = clock.now();
    if (link.trial.came_to_nothing(one.sent_at, now) && link.standing == Standing::alive)
      gone(link, "makes nothing of its polls: it gets none for a while");
  }

  // Acknowledged all the same, or it would come again.
  void late(AgentLink& link, std::uint64_t instance, std::uint64_t id) {
    ++link.figures.late;
    if (instance != link.last.instance) return answer(link, instance, receipt({id}));
    link.taken.push_back(id);
    flush_soon(link);
  }

  void count_fault(AgentLink& link) {
    if (link.figures.faults++ % 64 == 0)
      spdlog::warn("agent {}: sent what cannot be read", link.name);
  }

  void done(AgentLink& link, Token token, Result result) {
    const Pending& one = pending.at(token);
    std::optional<fetch::Response> response =
        trusted_answer(std::move(result), one.poll.request, token, clock.now() - one.sent_at);
    if (!response) {
      count_fault(link);
      came_to_nothing(link, one);
      return fail(token, "agent " + link.name + " sent an answer that makes no sense");
    }
    link.trial.came_to_something(clock.now());
    ++link.figures.polls;
    const double took = to_seconds(response->elapsed);
    link.figures.seconds += (link.figures.polls == 1 ? 1 : newest) * (took - link.figures.seconds);
    end(token, std::move(*response));
  }

  // --- Ends. Each is told in the next turn, whoever calls.

  void end(Token token, fetch::Response response) {
    const auto found = pending.find(token);
    AgentLink* link = found->second.link;
    by_id.erase(found->second.poll.id);
    if (link != nullptr) link->forget_parts(found->second.poll.id);
    const bool renders = found->second.poll.request.render;
    if (link != nullptr && found->second.stage == Stage::waiting)
      std::erase(link->waiting_of(renders), token);
    const bool had_room = found->second.stage != Stage::waiting;
    pending.erase(found);
    std::erase(ready, token);
    response.token = token;
    ended.push_back(std::move(response));
    tell_soon();
    if (link == nullptr || !had_room) return;
    --link->in_flight;
    if (renders) --link->rendering;
    make_room(*link);
  }

  void fail(Token token, std::string why) {
    const Pending& one = pending.at(token);
    fetch::Response response;
    response.failure = Failure::agent;
    response.failure_text = std::move(why);
    response.sent = one.stage == Stage::sent;
    end(token, std::move(response));
  }

  void unused(std::uint64_t id, const std::string& why) {
    const auto known = by_id.find(id);
    if (known == by_id.end()) return;
    const Token token = known->second;
    Pending& one = pending.at(token);
    ++one.link->figures.unused;
    fetch::Response response;
    response.failure = Failure::agent;
    response.failure_text = why.empty() ? "agent " + one.link->name + " did not begin it" : why;
    response.sent = false;
    end(token, std::move(response));
  }

  void cancel(Token token) {
    if (!pending.contains(token)) return;
    fetch::Response response;
    response.failure = Failure::cancelled;
    response.failure_text = "cancelled";
    end(token, std::move(response));
  }

  void tell_soon() {
    if (std::exchange(telling, true)) return;
    loop.post([this, is_alive = std::weak_ptr(alive)] {
      if (!is_alive.expired()) tell();
    });
  }

  void tell() {
    telling = false;
    for (fetch::Response& response : std::exchange(ended, {})) handler.on_done(std::move(response));
    for (const Token token : std::exchange(ready, {})) {
      const auto found = pending.find(token);
      if (found == pending.end() || found->second.stage != Stage::reserved) continue;
      if (found->second.poll.request.send_when_ready) {
        send(token);
      } else {
        handler.on_ready(token);
      }
    }
  }

  // --- As time goes by.

  void tick() {
    const Instant now = clock.now();
    shares.tick(now);
    for (const auto& link : links) {
      if (!may_be_here(link->standing) || now - link->asked < options.silence) continue;
      link->standing = Standing::silent;
      gone(*link, "has not been heard of");
    }
    std::vector<Token> lost, tired;
    for (const auto& [token, one] : pending) {
      if (one.stage == Stage::sent && one.lost_at <= now) lost.push_back(token);
      if (one.stage == Stage::waiting && one.since + patience_of(one) <= now)
        tired.push_back(token);
    }
    for (const Token token : lost) {
      if (!pending.contains(token)) continue;
      AgentLink& link = *pending.at(token).link;
      ++link.figures.lost;
      came_to_nothing(link, pending.at(token));
      fail(token, "agent " + link.name + " did not answer");
    }
    for (const Token token : tired) {
      if (const auto one = pending.find(token); one != pending.end())
        fail(token, "agent " + one->second.link->name + " has no room");
    }
    check_settled(now);
    ticks->arm(now + look_every, [this] { tick(); });
  }

  // A place in a browser is free when the page before has come to its end.
  Duration patience_of(const Pending& one) const {
    const fetch::Request& request = one.poll.request;
    return options.patience + (request.render ? request.timeout : Duration::zero());
  }

  void check_settled(Instant now) {
    if (!settled) return;
    const bool all = std::ranges::all_of(links, [&](const auto& link) {
      return link->standing == Standing::alive && link->last.foreign == 0;
    });
    if (!shares.divides(now)) return;
    if (all || now - begun >= options.settles) loop.post(std::exchange(settled, nullptr));
  }
};

RemoteFetcher::RemoteFetcher(EventLoop& loop, const Clock& clock, bus::Bus& bus,
                             const RemoteOptions& options, fetch::Handler& handler)
    : state_(std::make_unique<State>(loop, clock, bus, options, handler)) {}
RemoteFetcher::~RemoteFetcher() = default;

void RemoteFetcher::start(fetch::Request request) {
  state_->start(std::move(request));
}
void RemoteFetcher::send(fetch::Token token) {
  state_->send(token);
}
void RemoteFetcher::cancel(fetch::Token token) {
  state_->cancel(token);
}
void RemoteFetcher::cancel_all() {
  std::vector<fetch::Token> all;
  for (const auto& [token, one] : state_->pending) all.push_back(token);
  for (const fetch::Token token : all) state_->cancel(token);
}
std::size_t RemoteFetcher::in_flight() const {
  return state_->pending.size();
}

void RemoteFetcher::set_access_points(std::vector<fetch::AccessPoint> points) {
  State& s = *state_;
  s.by_point.clear();
  for (const fetch::AccessPoint& point : points) {
    AgentLink* link = point.agent.empty() ? nullptr : s.find(point.agent);
    if (link == nullptr && !point.agent.empty()) {
      link = s.links.emplace_back(std::make_unique<AgentLink>(point.agent)).get();
      link->flush = s.loop.make_timer();
    }
    s.by_point.push_back(link);
  }
}

bool RemoteFetcher::serves(const fetch::Request& request) const {
  if (!request.access_point) return false;
  const auto point = static_cast<std::size_t>(*request.access_point);
  return point < state_->by_point.size() && state_->by_point[point] != nullptr;
}

bool RemoteFetcher::takes(std::string_view agent, bool secrets) const {
  const AgentLink* link = state_->find(agent);
  if (link == nullptr || !link->takes(state_->clock.now())) return false;
  return !secrets || (link->last.secrets && state_->options.encrypted);
}

RenderRoom RemoteFetcher::render_room(std::string_view agent, bool secrets) const {
  if (!takes(agent, secrets)) return RenderRoom::none;
  const AgentLink& link = *state_->find(agent);
  if (link.last.renders == 0) return RenderRoom::none;
  return link.is_busy_rendering() ? RenderRoom::busy : RenderRoom::yes;
}

std::unique_ptr<fetch::Fetcher> RemoteFetcher::pace(std::unique_ptr<fetch::Fetcher> local) {
  return std::make_unique<PacedFetcher>(std::move(local), state_->shares, state_->loop,
                                        state_->clock);
}

void RemoteFetcher::when_settled(std::function<void()> told) {
  state_->settled = std::move(told);
  state_->check_settled(state_->clock.now());
}

leases::InUse RemoteFetcher::in_use() const {
  return state_->shares.in_use(state_->clock.now());
}

std::vector<AgentFigures> RemoteFetcher::figures() const {
  std::vector<AgentFigures> all;
  for (const auto& link : state_->links) {
    AgentFigures& one = all.emplace_back(link->figures);
    one.name = link->name;
    one.version = link->last.version;
    one.alive = link->standing == Standing::alive;
    one.secrets = link->last.secrets;
    one.renders = link->last.renders;
    one.slots = link->last.slots;
    one.in_flight = link->in_flight;
    if (link->last.id > 0) one.silent_for = state_->clock.now() - link->asked;
  }
  return all;
}

}  // namespace pollux::agent
