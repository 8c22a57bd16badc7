#include "pollux/agent/worker.hpp"

#include "agent/host_locks.hpp"
#include "agent/known_polls.hpp"
#include "agent/messages.hpp"
#include "agent/own_stalls.hpp"
#include "agent/put_aside.hpp"
#include "agent/result_post.hpp"
#include "agent/rule_cache.hpp"
#include "agent/sign_of_life.hpp"
#include "pollux/base/byte_room.hpp"
#include "pollux/base/url.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/extract/packed.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

namespace pollux::agent {
namespace {

using fetch::Token;

constexpr Duration collect = std::chrono::milliseconds(5);
constexpr Duration longest_pause = std::chrono::seconds(5);  // between two sendings of a result
constexpr Duration without_lease = std::chrono::milliseconds(100);
constexpr Duration unlimited_for = std::chrono::seconds(4);
constexpr int quick_sendings = 8;  // while the brain still waits for it
constexpr Duration longest_timeout = std::chrono::minutes(10);

enum class Stage : std::uint8_t { queued, preparing, ready, fetching, extracting, reported };

// Whatever its brain says: no line of it ends a header, or the head, and begins another request.
bool is_one_request(const fetch::Request& request) {
  const auto ends_line = [](const std::string& text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
  };
  if (ends_line(request.user_agent) || ends_line(request.etag) || ends_line(request.last_modified))
    return false;
  if (request.headers && std::ranges::any_of(*request.headers, ends_line)) return false;
  return !request.cookies || std::ranges::none_of(*request.cookies, ends_line);
}

struct Task {
  Stage stage = Stage::queued;
  std::uint64_t brain = 0;
  Poll poll;
  std::string host;
  Instant arrived{};
  Instant begins_until{};  // on the clock of the boot
  Duration stalls{};       // of ours, when it was begun
  std::shared_ptr<CountedBytes> body;
  Result result;      // reported
  Instant done_at{};  // likewise
  Instant repeat_at{};
  int sendings = 0;
};

}  // namespace

struct Worker::State {
  State(Parts given, WorkerOptions chosen)
      : parts(std::move(given)),
        options(std::move(chosen)),
        subjects{options.name},
        known(options.longest_ttl),
        locks(options.manners),
        lease(parts.boot.now()),
        aside(options.aside_room, options.keep_aside),
        sign(parts.loop, parts.clock, [this] { ask(); }),
        stalls(parts.loop, parts.clock),
        rules(parts.clock),
        asks(parts.loop.make_timer()),
        wakes(parts.loop.make_timer()),
        flushes(parts.loop.make_timer()) {}
  ~State() {
    if (listener) room->forget(*listener);  // it may never have begun
  }

  Parts parts;
  const WorkerOptions options;
  const Subjects subjects;
  fetch::Fetcher* fetcher = nullptr;
  KnownPolls known;
  HostLocks locks;
  leases::Holder lease;                      // on the clock of the boot
  Instant unlimited_until = Instant::min();  // likewise
  PutAside aside;
  SignOfLife sign;
  OwnStalls stalls;
  RuleCache rules;
  std::unique_ptr<Timer> asks, wakes, flushes;
  bool flush_armed = false;
  std::unique_ptr<bus::Subscription> polls, answers;
  std::map<Token, Task> tasks;                     // in the order of their arrival
  std::unordered_map<std::uint64_t, Token> by_id;  // of this brain
  std::uint64_t last_token = 0;
  std::deque<Token> ready;    // wait for the pace
  std::vector<Token> outbox;  // results to be sent
  std::uint64_t brain = 0;
  Instant brain_heard{};
  std::shared_ptr<ByteRoom> room = std::make_shared<ByteRoom>(options.room);
  std::optional<ByteRoom::Listener> listener;
  std::deque<std::pair<Token, std::size_t>> owed;  // credit that waits for room
  bool leaving = false;
  std::function<void()> on_idle;
  WorkerFigures figures;
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);

  void begin(fetch::Fetcher& used) {
    fetcher = &used;
    listener = room->listen([this, is_alive = std::weak_ptr(alive)] {
      parts.loop.post([this, is_alive] {
        if (!is_alive.expired()) pay();
      });
    });
    polls = parts.bus.subscribe(subjects.polls(options.instance),
                                [this](bus::Message message) { hear_polls(message.payload); });
    answers = parts.bus.subscribe(subjects.answers(options.instance),
                                  [this](bus::Message message) { hear_answer(message.payload); });
    parts.bus.on_connection([this](bool connected) {
      if (connected) ask();
    });
    ask();
  }

  // --- The heartbeat.

  void ask() {
    Ask message;
    message.instance = options.instance;
    message.brain = brain;
    message.id = known.ask(parts.boot.now());
    message.slots = options.slots;
    for (const auto& [token, task] : tasks)
      ++(task.brain == brain ? message.in_use : message.foreign);
    message.secrets = options.secrets;
    message.leaving = leaving;
    message.renders = options.renders;
    message.version = POLLUX_VERSION;
    message.lease = leaving ? lease.leave(parts.boot.now()) : lease.ask({}, parts.boot.now());
    parts.bus.publish(subjects.ask(), encode(message));
    sign.gave();
    repeat_results();
    aside.drop_old(parts.clock.now());
    asks->arm(parts.clock.now() + options.ask_every, [this] { ask(); });
  }

  void hear_answer(const std::string& bytes) {
    const std::optional<Answer> answer = decode_answer(bytes);
    if (!answer) return count_fault("an answer");
    if (answer->refused) {
      if (!std::exchange(figures.refused, true))
        spdlog::error("another agent is called '{}'; this one gets no polls", options.name);
      return;
    }
    figures.refused = false;
    for (const std::uint64_t id : answer->taken) taken(answer->brain, id);
    const Instant now = parts.clock.now();
    if (answer->brain != brain) {
      if (brain != 0 && now - brain_heard < options.loyalty) return;
      obey(answer->brain);
    }
    brain_heard = now;
    for (const std::uint64_t id : answer->wants) send_rest(id);
    const Instant boot_now = parts.boot.now();
    if (answer->unlimited) unlimited_until = boot_now + unlimited_for;
    const bool again = answer->grant && !leaving &&
                       lease.take(*answer->grant, boot_now) == leases::Holder::Took::ask_again;
    if (again) ask();
    go_on();
  }

  // What the brain before has not seen begin does not begin; what is under way ends, for nobody.
  void obey(std::uint64_t another) {
    spdlog::info("{}", brain == 0 ? "the brain is there" : "the brain has been started anew");
    brain = another;
    known.clear();
    by_id.clear();
    aside.clear();
    std::vector<Token> dropped;
    for (const auto& [token, task] : tasks) {
      if (task.stage == Stage::queued || task.stage == Stage::reported) dropped.push_back(token);
      if (task.stage == Stage::preparing || task.stage == Stage::ready) fetcher->cancel(token);
    }
    for (const Token token : dropped) forget(token);
    ask();
  }

  void taken(std::uint64_t by, std::uint64_t id) {
    if (by != brain) return;
    const auto found = by_id.find(id);
    if (found != by_id.end() && tasks.at(found->second).stage == Stage::reported)
      forget(found->second);
  }

  void forget(Token token) {
    const auto found = tasks.find(token);
    if (found->second.brain == brain) by_id.erase(found->second.poll.id);
    tasks.erase(found);
    std::erase(outbox, token);
    check_idle();
  }

  void check_idle() {
    if (tasks.empty() && on_idle) parts.loop.post(std::exchange(on_idle, nullptr));
  }

  // --- Polls in.

  void count_fault(const char* what) {
    if (figures.faults++ % 64 == 0) spdlog::warn("{} cannot be understood", what);
  }

  void hear_polls(const std::string& bytes) {
    std::optional<Polls> message = decode_polls(bytes);
    if (!message) return count_fault("a message with polls");
    sign.owe();
    const Instant boot_now = parts.boot.now();
    const std::optional<Instant> until = known.begins_until(message->ask, message->ttl);
    for (Poll& poll : message->polls) {
      // A copy of one that is here or has been: the first is what counts.
      if (message->brain == brain && !known.add(poll.id, boot_now)) continue;
      if (const char* why = refusal(*message, poll, until, boot_now)) {
        refuse(message->brain, poll.id, why);
      } else {
        accept(message->brain, std::move(poll), *until);
      }
    }
    go_on();
  }

  const char* refusal(const Polls& message, const Poll& poll, std::optional<Instant> until,
                      Instant boot_now) const {
    if (message.brain != brain || brain == 0) return "the agent has another brain";
    if (leaving) return "the agent stops";
    if (!until || *until <= boot_now) return "the agent was told too late";
    if (tasks.size() >= options.slots) return "the agent has no room";
    const bool secret =
        poll.request.headers != nullptr || (poll.request.cookies && !poll.request.cookies->empty());
    if (secret && !options.secrets) return "the agent takes no secrets";
    if (poll.request.render && options.renders == 0) return "the agent renders no pages";
    if (!is_one_request(poll.request)) return "the agent was told what is no request";
    if (!parse_url(poll.request.url).ok()) return "the agent does not understand the URL";
    return nullptr;
  }

  // Sent at once and not repeated: if it does not arrive the poll is lost to its brain, no more.
  void refuse(std::uint64_t whose, std::uint64_t id, const char* why) {
    ++figures.unused;
    Results message{options.instance, whose, {}};
    Result& result = message.results.emplace_back();
    result.id = id;
    result.fate = Fate::unused;
    result.response.failure = fetch::Failure::agent;
    result.response.failure_text = why;
    parts.bus.publish(subjects.results(), encode(message));
  }

  void accept(std::uint64_t whose, Poll poll, Instant until) {
    const Token token{++last_token};
    Task& task = tasks[token];
    task.brain = whose;
    task.arrived = parts.clock.now();
    task.begins_until = until;
    task.host = parse_url(poll.request.url).value().host_port;
    task.poll = std::move(poll);
    by_id[task.poll.id] = token;
    fetch::Request& request = task.poll.request;
    request.token = token;
    request.timeout = std::min(request.timeout, longest_timeout);
    request.max_body = std::min(request.max_body, options.max_body);
    request.access_point.reset();
    // A browser's bodies are hashed and counted where they come in.
    if (request.render) request.keep_in = room;
  }

  // --- On their way: host by host, and as the pace allows.

  void go_on() {
    const Instant now = parts.clock.now(), boot_now = parts.boot.now();
    Instant wake = Instant::max();
    std::vector<Token> late;
    for (auto& [token, task] : tasks) {
      if (task.stage != Stage::queued) continue;
      if (task.begins_until <= boot_now) {
        late.push_back(token);
        continue;
      }
      const Instant free = locks.ready_at(task.host);
      if (free > now) {
        wake = std::min({wake, free, now + (task.begins_until - boot_now)});
        continue;
      }
      locks.take(task.host);
      task.stage = Stage::preparing;
      task.stalls = stalls.begin();
      fetcher->start(task.poll.request);
    }
    for (const Token token : late) report_unused(token, "the agent's host was busy");
    wake = std::min(wake, send_ready(now));
    if (wake != Instant::max()) wakes->arm(wake, [this] { go_on(); });
  }

  void on_ready(Token token) {
    const auto found = tasks.find(token);
    if (found == tasks.end() || found->second.stage != Stage::preparing) return;
    found->second.stage = Stage::ready;
    ready.push_back(token);
    go_on();
  }

  // On the clock of the boot.
  Instant next_send(Instant boot_now) const {
    if (boot_now < unlimited_until) return boot_now;
    const Instant next = lease.next_allowed(boot_now);
    return next == leases::Holder::never ? boot_now + without_lease : next;
  }

  // When to try again. The last look at its age is just before it is written.
  Instant send_ready(Instant now) {
    Instant wake = Instant::max();
    std::deque<Token> left;
    for (const Token token : std::exchange(ready, {})) {
      const auto found = tasks.find(token);
      if (found == tasks.end() || found->second.stage != Stage::ready) continue;
      Task& task = found->second;
      const Instant rested = locks.rests_until(task.host);
      const Duration left_to_begin = task.begins_until - parts.boot.now();
      if (left_to_begin <= Duration::zero()) {
        fetcher->cancel(token);
        continue;
      }
      const Instant boot_now = parts.boot.now();
      const Duration pause = next_send(boot_now) - boot_now;
      if (rested > now || pause > Duration::zero()) {
        wake = std::min({wake, now + left_to_begin, std::max(rested, now + pause)});
        left.push_back(token);
        continue;
      }
      if (boot_now >= unlimited_until)
        lease.take_one(boot_now, static_cast<int>(task.poll.request.price));
      task.stage = Stage::fetching;
      locks.sent(task.host, now);
      fetcher->send(token);
    }
    // What became ready meanwhile comes after those that waited.
    ready.insert(ready.begin(), left.begin(), left.end());
    return wake;
  }

  void on_piece(Token token, std::string piece) {
    const auto found = tasks.find(token);
    if (found == tasks.end()) return;
    const std::size_t bytes = piece.size();
    keep(found->first, found->second, std::move(piece));
    if (room->may_grow(static_cast<ByteRoom::Name>(token))) return fetcher->grant(token, bytes);
    owed.emplace_back(token, bytes);
  }

  void keep(Token token, Task& task, std::string piece) {
    if (!task.body)
      task.body = std::make_shared<CountedBytes>(room, static_cast<ByteRoom::Name>(token));
    task.body->add(std::move(piece));
  }

  void pay() {
    for (auto& [token, bytes] : std::exchange(owed, {})) {
      if (room->may_grow(static_cast<ByteRoom::Name>(token))) {
        fetcher->grant(token, bytes);
      } else {
        owed.emplace_back(token, bytes);
      }
    }
  }

  // --- What came of it.

  void on_done(fetch::Response response) {
    const Token token = response.token;
    std::erase_if(owed, [token](const auto& one) { return one.first == token; });
    const auto found = tasks.find(token);
    if (found == tasks.end()) return;
    Task& task = found->second;
    const bool asked = task.stage == Stage::fetching;
    locks.let_go(task.host, asked, parts.clock.now());
    if (stalls.are_to_blame(task.stalls, response)) response.failure = fetch::Failure::agent;
    if (task.brain != brain) {
      forget(token);
    } else if (response.failure == fetch::Failure::cancelled) {
      report_unused(token, "the agent was too late");
    } else if ((!response.sent && response.failure == fetch::Failure::agent) ||
               (!asked && task.poll.request.render &&
                response.failure == fetch::Failure::internal)) {
      browser_failed(token, response.failure_text);
    } else {
      ++figures.polls;
      take_in(token, task, std::move(response));
    }
    go_on();
  }

  // Its own fault, none of the page's: nobody has been asked.
  void browser_failed(Token token, const std::string& why) {
    if (figures.browser_failures++ % 64 == 0) spdlog::warn("no page can be rendered: {}", why);
    report_unused(token, "the agent's browser does not work");
  }

  void take_in(Token token, Task& task, fetch::Response response) {
    if (!response.body.empty()) keep(token, task, std::exchange(response.body, {}));
    if (response.kept_body) task.body = std::exchange(response.kept_body, nullptr);
    Result& result = task.result;
    result.response = std::move(response);
    const bool success = result.response.failure == fetch::Failure::none &&
                         fetch::is_success(result.response.status);
    if (!success) {
      task.body.reset();
      return report(token, task);
    }
    std::string body = task.body ? task.body->join() : std::string();
    if (!task.poll.request.cut_body && !result.response.body_hash) {
      detect::Digest digest;
      digest.update(body);
      result.response.body_hash = digest.finish();
    }
    const fetch::Remote& wanted = task.poll.remote;
    const bool known_bytes = wanted.known_body && wanted.known_body == result.response.body_hash;
    if (known_bytes || (wanted.wish == fetch::Remote::Wish::hash && !task.poll.request.cut_body))
      return report(token, task);
    const extract::SharedRules how =
        wanted.wish == fetch::Remote::Wish::content ? rules.find(wanted.rules) : nullptr;
    if (how) return extract(token, task, std::move(body), how);
    result.content = Content::bytes;
    put_body(result, std::move(body));
    report(token, task);
  }

  void extract(Token token, Task& task, std::string body, const extract::SharedRules& how) {
    task.stage = Stage::extracting;
    const fetch::Remote& wanted = task.poll.remote;
    parts.extract({std::move(body), task.result.response.content_type, how, wanted.known_content,
                   wanted.wants_whole, task.poll.hash_first},
                  [this, token, is_alive = std::weak_ptr(alive)](Extracted found) {
                    if (!is_alive.expired()) extracted(token, std::move(found));
                  });
  }

  void extracted(Token token, Extracted extraction) {
    const auto found = tasks.find(token);
    if (found == tasks.end()) return;
    Task& task = found->second;
    if (task.brain != brain) return forget(token);
    task.result.content = Content::extracted;
    put_body(task.result, std::move(extraction.packed));
    if (extraction.aside) {
      task.result.aside = Aside{extraction.aside->hash, extraction.aside->bytes.size()};
      aside.put(task.poll.id, std::move(*extraction.aside), parts.clock.now());
    }
    report(token, task);
  }

  // Once for each time that it is asked for.
  void send_rest(std::uint64_t id) {
    Result result;
    result.id = id;
    result.fate = Fate::gone;
    if (const SetAside* content = aside.find(id, parts.clock.now())) {
      result.fate = Fate::rest;
      result.size = content->size;
      result.squeezed = content->squeezed;
      result.body = content->bytes;
    }
    ResultPost post(parts.bus, subjects, options.instance, brain);
    post.add(result);
    post.send();
  }

  void report_unused(Token token, const char* why) {
    const auto found = tasks.find(token);
    ++figures.unused;
    Result& result = found->second.result;
    result = {};
    result.fate = Fate::unused;
    result.response.failure = fetch::Failure::agent;
    result.response.failure_text = why;
    report(token, found->second);
  }

  // --- Reports, until they are acknowledged.

  void report(Token token, Task& task) {
    task.stage = Stage::reported;
    task.result.id = task.poll.id;
    if (task.body) task.body->leave(task.result.body.size());
    task.done_at = parts.clock.now();
    task.poll.request = {};
    task.poll.remote = {};
    enqueue(token, task);
  }

  void enqueue(Token token, Task& task) {
    const Instant now = parts.clock.now();
    const int doublings = std::clamp(task.sendings - quick_sendings, 0, 4);
    task.repeat_at = now + std::min(options.repeat_after * (1 << doublings), longest_pause);
    ++task.sendings;
    outbox.push_back(token);
    if (std::exchange(flush_armed, true)) return;
    flushes->arm(now + collect, [this] { flush(); });
  }

  void repeat_results() {
    const Instant now = parts.clock.now();
    std::vector<Token> given_up;
    for (auto& [token, task] : tasks) {
      if (task.stage != Stage::reported || task.repeat_at > now) continue;
      if (now - task.done_at > options.keep_results) {
        given_up.push_back(token);
        continue;
      }
      ++figures.repeated;
      enqueue(token, task);
    }
    for (const Token token : given_up) forget(token);
  }

  void flush() {
    flush_armed = false;
    ResultPost post(parts.bus, subjects, options.instance, brain);
    for (const Token token : std::exchange(outbox, {})) {
      const auto found = tasks.find(token);
      if (found == tasks.end() || found->second.stage != Stage::reported) continue;
      Result& result = found->second.result;
      result.here = parts.clock.now() - found->second.arrived;
      post.add(result);
      sign.gave();
    }
    for (const std::uint64_t id : post.send()) {
      if (const auto known_task = by_id.find(id); known_task != by_id.end())
        report_unused(known_task->second, "what the agent found is too large to be told");
    }
  }
};

Worker::Worker(Parts parts, WorkerOptions options)
    : state_(std::make_unique<State>(std::move(parts), std::move(options))) {}
Worker::~Worker() = default;

void Worker::begin(fetch::Fetcher& fetcher) {
  state_->begin(fetcher);
}

void Worker::stop(std::function<void()> on_idle) {
  State& s = *state_;
  s.leaving = true;
  s.on_idle = std::move(on_idle);
  std::vector<Token> queued;
  for (const auto& [token, task] : s.tasks) {
    if (task.stage == Stage::queued) queued.push_back(token);
  }
  for (const Token token : queued) s.report_unused(token, "the agent stops");
  s.ask();
  s.check_idle();
}

WorkerFigures Worker::figures() const {
  WorkerFigures figures = state_->figures;
  figures.here = state_->tasks.size();
  figures.connected = state_->parts.bus.connected();
  figures.has_brain = state_->brain != 0;
  return figures;
}

void Worker::on_ready(Token token) {
  state_->on_ready(token);
}
void Worker::on_piece(Token token, std::string piece) {
  state_->on_piece(token, std::move(piece));
}
void Worker::on_done(fetch::Response response) {
  state_->on_done(std::move(response));
}

}  // namespace pollux::agent
