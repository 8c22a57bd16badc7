#include "pollux/agent/remote_fetcher.hpp"

#include "agent/agent_link.hpp"
#include "agent/content_desk.hpp"
#include "agent/messages.hpp"
#include "agent/paced_fetcher.hpp"
#include "agent/poll_post.hpp"
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
constexpr std::size_t longest_reason = 1024;

}  // namespace

struct RemoteFetcher::State final : Contents {
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
        desk(
            chosen.content,
            [this](AgentLink& link, std::uint64_t id) {
              link.wants.push_back(id);
              flush_soon(link);
            },
            [this](std::function<void()> what) { later(std::move(what)); }),
        post(its_bus),
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
  ContentDesk desk;
  PollPost post;
  std::unique_ptr<Timer> ticks;
  std::unique_ptr<bus::Subscription> heard;
  std::vector<std::unique_ptr<AgentLink>> links;  // never fewer
  std::vector<AgentLink*> by_point;               // null: no agent's
  std::unordered_map<Token, Pending> pending;
  std::unordered_map<std::uint64_t, Token> by_id;
  std::uint64_t last_id = 0;
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
    if (options.content == ContentMode::always)
      one.poll.remote.known_body = one.poll.remote.known_content = {};
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
    const Instant now = clock.now();
    while (link.has_place(now) && !link.waiting_to_render.empty()) {
      ++link.rendering;
      reserve(link, link.waiting_to_render);
    }
    while (link.has_room(now) && !link.waiting.empty()) reserve(link, link.waiting);
  }
  void reserve(AgentLink& link, std::deque<Token>& waiting) {
    const Token token = waiting.front();
    waiting.pop_front();
    pending.at(token).stage = Stage::reserved;
    ++link.in_flight;
    ++link.reserved;
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
    link.give(one.poll.request.price, clock.now());
    one.sent_at = clock.now();
    one.lost_at = Instant::max();  // until it is on its way
    by_id[one.poll.id] = token;
    const fetch::Remote& remote = one.poll.remote;
    const bool may_wait = remote.wish == fetch::Remote::Wish::content && !remote.wants_whole;
    one.poll.hash_first =
        may_wait &&
        desk.costs().hash_first({one.poll.request.url, remote.known_content.has_value()}, link.way);
    link.outbox.push_back(std::move(one.poll));
    one.poll = needed_of(link.outbox.back());
    flush_soon(link);
  }

  void flush_soon(AgentLink& link) {
    if (link.outbox.size() >= most_polls_at_once || link.taken.size() >= most_results_at_once ||
        link.wants.size() >= most_results_at_once)
      return flush(link);
    if (std::exchange(link.flush_armed, true)) return;
    link.flush->arm(clock.now() + options.collect, [this, &link] { flush(link); });
  }

  void flush(AgentLink& link) {
    link.flush_armed = false;
    link.flush->cancel();
    // First: it makes room there for the polls.
    while (!link.taken.empty() || !link.wants.empty()) {
      Answer reply = receipt(take_some(link.taken));
      reply.wants = take_some(link.wants);
      const std::size_t bytes = answer(link, link.last.instance, reply);
      if (!reply.wants.empty()) desk.asked(bytes, reply.wants.size());
    }
    const Instant now = clock.now();
    if (link.outbox.empty() || link.is_quiet(now)) return;
    link.unanswered = link.unanswered.value_or(now);
    send_polls(link, {options.brain, link.last.id, options.ttl, std::exchange(link.outbox, {})});
  }

  void send_polls(AgentLink& link, const Polls& message) {
    for (const Poll& poll : message.polls) {
      const auto known = by_id.find(poll.id);
      if (known == by_id.end()) continue;
      Pending& sent = pending.at(known->second);
      sent.sent_at = clock.now();
      sent.lost_at = sent.sent_at + options.ttl + poll.request.timeout + options.slack;
    }
    for (const auto& [id, why] : post.send(link, message)) unused(id, why);
  }

  Answer receipt(std::vector<std::uint64_t> ids) const {
    Answer message;
    message.brain = options.brain;
    message.taken = std::move(ids);
    return message;
  }
  // One that does not arrive is asked for again. Its bytes.
  std::size_t answer(AgentLink& link, std::uint64_t instance, const Answer& message) {
    std::string bytes = encode(message);
    const std::size_t size = bytes.size();
    bus.publish(link.subjects.answers(instance), std::move(bytes));
    return size;
  }

  // --- In.

  void hear(bus::Message message) {
    const std::vector<std::string_view> words = words_of(message.subject);
    AgentLink* link = words.size() >= 4 ? find(words[2]) : nullptr;
    if (link == nullptr) return;
    link->figures.bytes += message.payload.size();
    if (words[3] != "nr" && std::exchange(link->unanswered, {}) && !link->outbox.empty())
      flush_soon(*link);
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
      return link.note_fault(version_of(bytes) == protocol ? "cannot be understood"
                                                           : "is of another version of Pollux");
    }
    const bool another = ask->instance != link.last.instance && link.last.instance != 0;
    if (another && link.may_be_here() && now - link.asked < options.silence) {
      link.note_fault("there are two of that name; the later one is refused");
      Answer refusal = receipt({});
      refusal.refused = true;
      answer(link, ask->instance, refusal);
      return;
    }
    if (!another && ask->id < link.last.id) return;  // an older one, late
    link.last = *ask;
    link.asked = now;
    const Standing before = std::exchange(link.standing, standing_of(*ask, options.brain));
    Answer reply = receipt(take_some(link.taken));
    shares.answer(link.name, ask->instance, ask->lease, now, reply);
    link.note_lease(reply, now);
    answer(link, ask->instance, reply);
    if (!link.taken.empty()) flush_soon(link);
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
    const std::vector<std::uint64_t> ids = PollPost::met_nobody(link, batch);
    if (ids.empty()) return;
    for (const std::uint64_t id : ids) unused(id, "agent " + link.name + " is not there");
    if (link.standing != Standing::alive) return;
    link.standing = Standing::silent;
    gone(link, "is not there");
  }

  void hear_part(AgentLink& link, const std::string& bytes) {
    std::optional<Part> part = decode_part(bytes);
    if (!part) return link.note_fault("sent what cannot be read");
    const bool awaited = by_id.contains(part->id) || desk.awaits(part->id);
    if (part->brain != options.brain || !awaited) return late(link, part->instance, part->id);
    if (const auto whole = link.add_part(std::move(*part))) hear_results(link, *whole);
  }

  void hear_results(AgentLink& link, const std::string& bytes) {
    std::optional<Results> message = decode_results(bytes);
    if (!message) return link.note_fault("sent what cannot be read");
    for (Result& result : message->results) {
      if (result.fate == Fate::rest || result.fate == Fate::gone) {
        if (message->brain == options.brain) hear_rest(link, std::move(result), bytes.size());
        continue;
      }
      const auto known = by_id.find(result.id);
      const bool ours = message->brain == options.brain && known != by_id.end() &&
                        pending.at(known->second).link == &link;
      if (!ours) {
        late(link, message->instance, result.id);
        continue;
      }
      if (!may_unfold(pending.at(known->second).poll.request, result)) continue;  // it comes again
      if (message->instance == link.last.instance) link.taken.push_back(result.id);
      link.forget_parts(result.id);
      if (result.fate == Fate::unused) {
        came_to_nothing(link, pending.at(known->second));
        unused(result.id, printable(result.response.failure_text, longest_reason));
      } else if (result.response.failure == Failure::agent) {
        fail(known->second, "agent " + link.name + " was held up");
      } else {
        if (&result == &message->results.front())
          link.way.note(clock.now() - pending.at(known->second).sent_at - result.here,
                        bytes.size());
        done(link, known->second, std::move(result));
      }
    }
    if (!link.taken.empty()) flush_soon(link);
  }

  void hear_rest(AgentLink& link, Result result, std::size_t message_bytes) {
    link.forget_parts(result.id);
    const auto heard_as = desk.hear(link, std::move(result), message_bytes, clock.now());
    if (heard_as == ContentDesk::Heard::fault) link.note_fault("sent what cannot be read");
    if (heard_as == ContentDesk::Heard::late) ++link.figures.late;
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
    if (instance != link.last.instance) {
      answer(link, instance, receipt({id}));
      return;
    }
    link.taken.push_back(id);
    flush_soon(link);
  }

  void done(AgentLink& link, Token token, Result result) {
    const Pending& one = pending.at(token);
    const std::optional<Aside> aside = result.aside;
    const std::size_t bytes = aside ? aside->bytes : result.body.size();
    std::optional<fetch::Response> response =
        trusted_answer(std::move(result), one.poll.request, token, clock.now() - one.sent_at);
    if (!response || (aside && !one.poll.hash_first)) {
      link.note_fault("sent what cannot be read");
      came_to_nothing(link, one);
      return fail(token, "agent " + link.name + " sent an answer that makes no sense");
    }
    link.trial.came_to_something(clock.now());
    link.note_download(response->elapsed);
    if (response->extracted) {
      const bool known = desk.add(
          token,
          {&link, one.poll.id, one.poll.request.url, one.poll.remote.known_content.has_value(),
           aside, bytes, one.poll.request.keep_in},
          clock.now());
      if (aside && !known) return fail(token, "too much content has been put aside");
      link.figures.put_aside += aside ? 1 : 0;
    }
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
    if (found->second.stage == Stage::reserved) --link->reserved;
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
    if (!std::exchange(telling, true)) later([this] { tell(); });
  }
  void later(std::function<void()> what) {
    loop.post([what = std::move(what), is_alive = std::weak_ptr(alive)] {
      if (!is_alive.expired()) what();
    });
  }

  // --- Content that agents have put aside.

  std::optional<fetch::Remote::Hash> aside(Token token) const override { return desk.aside(token); }
  void bring(Token token, Brought brought) override {
    desk.bring(token, std::move(brought), clock.now());
  }
  void judged(Token token, Wanted wanted) override { desk.judged(token, wanted); }

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
    desk.tick(now);
    for (const auto& link : links) {
      make_room(*link);  // its lease goes on
      if (!link->may_be_here() || now - link->asked < options.silence) continue;
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
  state_->desk.cancel_all();
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

bool RemoteFetcher::has_room(std::string_view agent) const {
  const AgentLink* link = state_->find(agent);
  return link != nullptr && !link->is_crowded() && !link->is_quiet(state_->clock.now());
}

RenderRoom RemoteFetcher::render_room(std::string_view agent, bool secrets) const {
  return takes(agent, secrets) ? state_->find(agent)->render_room() : RenderRoom::none;
}

std::unique_ptr<fetch::Fetcher> RemoteFetcher::pace(std::unique_ptr<fetch::Fetcher> local) {
  return std::make_unique<PacedFetcher>(std::move(local), state_->shares, state_->loop,
                                        state_->clock);
}

void RemoteFetcher::when_settled(std::function<void()> told) {
  state_->settled = std::move(told);
  state_->check_settled(state_->clock.now());
}

Contents& RemoteFetcher::contents() {
  return *state_;
}

leases::InUse RemoteFetcher::in_use() const {
  return state_->shares.in_use(state_->clock.now());
}

std::vector<AgentFigures> RemoteFetcher::figures() const {
  std::vector<AgentFigures> all;
  for (const auto& link : state_->links) all.push_back(link->figures_at(state_->clock.now()));
  return all;
}

}  // namespace pollux::agent
