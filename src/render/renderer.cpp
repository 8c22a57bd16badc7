#include "pollux/render/renderer.hpp"

#include "pollux/base/text.hpp"
#include "render/browser.hpp"
#include "render/visit.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <unistd.h>

namespace pollux::render {
namespace {

using fetch::Failure;
using fetch::Token;
using TimePoint = std::chrono::steady_clock::time_point;

constexpr auto tick_every = std::chrono::milliseconds(100);
constexpr auto longest_opening = std::chrono::seconds(10);  // of a page's context
constexpr auto longest_closing = std::chrono::seconds(5);
constexpr auto longest_idle = std::chrono::minutes(5);
constexpr std::size_t most_visits = 500;  // then a new browser: it forgets what the old one lost
constexpr int most_openings = 3;          // of one page, by browsers that ended

struct Job {
  enum class Stage { queued, opening, ready, sent, delivering };
  fetch::Request request;
  Stage stage = Stage::queued;
  int openings = 0;
  bool told_ready = false;  // once, also when another browser opens it anew
  std::size_t place = 0;
  TimePoint since{};  // this stage
  std::shared_ptr<Visit> visit = {};
  std::size_t credit = 0;
  std::size_t delivered = 0;  // of the body
  fetch::Response response = {};
};

struct Place {
  bool taken = false;
  std::shared_ptr<Visit> closing = {};  // its page is over, its context not yet
  TimePoint since{};
};

class Renderer final : public fetch::Fetcher {
 public:
  Renderer(boost::asio::io_context& io, const Options& options, const fetch::Options& network,
           fetch::AddressGate gate, fetch::Handler& handler, fetch::Resolver::LookupFunction lookup)
      : io_(io),
        options_(options),
        piece_bytes_(network.piece_bytes),
        longest_rest_(network.longest_rest),
        handler_(handler),
        names_(io, std::move(lookup)),
        browser_(
            io, options_,
            std::make_shared<const ProxyRules>(ProxyRules{std::move(gate), network.allow_ports}),
            names_,
            {.up = [this] { fill(); },
             .down = [this](const std::string& why) { down(why); },
             .event = [this](const Message& message) { event(message); }}),
        places_(options.pages),
        timer_(io) {}
  ~Renderer() override {
    for (auto& [token, job] : jobs_) {
      if (job.visit) job.visit->drop();
    }
    for (Place& place : places_) {
      if (place.closing) place.closing->drop();
    }
  }

  void start(fetch::Request request) override {
    const Token token = request.token;
    Job job{.request = std::move(request)};
    job.credit = job.request.credit;
    job.since = now();
    jobs_.insert_or_assign(token, std::move(job));
    queue_.push_back(token);
    later([this] { fill(); });
    wake();
  }
  void send(Token token) override {
    Job* const job = find(token);
    if (job == nullptr || !job->told_ready) return;
    // Its browser has ended since on_ready(). In the next one it would leave when neither the
    // budget nor its host's pause was asked: so it does not leave, and that is no fault of the
    // page's.
    if (job->stage == Job::Stage::queued || job->stage == Job::Stage::opening)
      return later(
          [this, token] { end(token, Failure::agent, "its browser ended before it was sent"); });
    if (job->stage != Job::Stage::ready) return;
    enter(*job, Job::Stage::sent);
    job->visit->send();
  }
  void grant(Token token, std::size_t bytes) override {
    Job* const job = find(token);
    if (job == nullptr) return;
    job->credit += bytes;
    if (job->stage == Job::Stage::delivering) later([this, token] { deliver(token); });
  }
  void cancel(Token token) override {
    later([this, token] { end(token, Failure::cancelled, "cancelled"); });
  }
  void cancel_all() override {
    for (const auto& [token, job] : jobs_) cancel(token);
  }
  std::size_t in_flight() const override { return jobs_.size(); }
  void set_access_points(std::vector<fetch::AccessPoint>) override {}

 private:
  static TimePoint now() { return std::chrono::steady_clock::now(); }
  // What is posted may come when the renderer has gone.
  template <typename Function>
  void later(Function function) {
    boost::asio::post(io_, [alive = std::weak_ptr<char>(alive_), function] {
      if (!alive.expired()) function();
    });
  }
  Job* find(Token token) {
    const auto found = jobs_.find(token);
    return found != jobs_.end() ? &found->second : nullptr;
  }
  static void enter(Job& job, Job::Stage stage) {
    job.stage = stage;
    job.since = now();
  }

  void wake();
  void tick();
  void tick_job(Token token, TimePoint at);
  void fill();
  void open(Token token, Job& job, std::size_t place);
  void ready(Token token);
  void done(Token token, fetch::Response response);
  void closed(std::size_t place);
  void deliver(Token token);
  void end(Token token, Failure failure, std::string text);
  void event(const Message& message);
  void down(const std::string& why);
  bool idle() const;

  boost::asio::io_context& io_;
  const Options options_;
  const std::size_t piece_bytes_;
  const Duration longest_rest_;
  fetch::Handler& handler_;
  const std::shared_ptr<char> alive_ = std::make_shared<char>();
  Names names_;
  Browser browser_;
  std::vector<Place> places_;
  std::unordered_map<Token, Job> jobs_;
  std::deque<Token> queue_;
  std::size_t visits_ = 0;  // by this browser
  TimePoint used_{};
  bool ticking_ = false;
  boost::asio::steady_timer timer_;
};

bool Renderer::idle() const {
  return jobs_.empty() &&
         std::ranges::none_of(places_, [](const Place& place) { return place.taken; });
}

void Renderer::wake() {
  if (std::exchange(ticking_, true)) return;
  timer_.expires_after(tick_every);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    ticking_ = false;
    tick();
  });
}

void Renderer::tick() {
  const TimePoint at = now();
  browser_.tick(at);
  std::vector<Token> tokens;
  for (const auto& [token, job] : jobs_) tokens.push_back(token);
  for (const Token token : tokens) tick_job(token, at);
  for (const Place& place : places_) {
    if (place.closing && at - place.since > longest_closing) {
      browser_.end("it does not close a page");
      break;
    }
  }
  if (!idle()) used_ = at;
  if (browser_.is_up() && at - used_ > longest_idle) browser_.rest();
  fill();
  if (browser_.running() || !idle()) wake();
}

void Renderer::tick_job(Token token, TimePoint at) {
  Job* const job = find(token);
  if (job == nullptr) return;
  if (job->visit && job->stage == Job::Stage::sent) job->visit->tick(at);
  if (job->stage == Job::Stage::opening && at - job->since > longest_opening)
    return browser_.end("it does not open a page");
  if (job->stage == Job::Stage::sent && at - job->since > job->request.timeout)
    return job->visit->fail(Failure::timeout, "its scripts did not end in time");
  if (job->stage == Job::Stage::delivering && at - job->since > longest_rest_)
    end(token, Failure::timeout, "nobody takes its document");
}

// Who waits gets the places that are free.
void Renderer::fill() {
  while (!queue_.empty() && find(queue_.front()) == nullptr) queue_.pop_front();
  if (queue_.empty()) return;
  if (visits_ >= most_visits && std::ranges::none_of(places_, &Place::taken)) browser_.rest();
  if (!browser_.is_up()) {
    if (!browser_.running()) visits_ = 0;
    return browser_.want(now());
  }
  if (visits_ >= most_visits) return;
  for (std::size_t place = 0; place < places_.size() && !queue_.empty(); ++place) {
    if (places_[place].taken) continue;
    const Token token = queue_.front();
    queue_.pop_front();
    if (Job* const job = find(token)) open(token, *job, place);
  }
}

void Renderer::open(Token token, Job& job, std::size_t place) {
  enter(job, Job::Stage::opening);
  ++job.openings;
  ++visits_;
  job.place = place;
  places_[place].taken = true;
  job.visit = Visit::open(
      {browser_.tools(), &browser_.proxy(place), first_proxy_port + static_cast<int>(place)},
      options_, job.request,
      {.ready = [this, token] { ready(token); },
       .done = [this, token](fetch::Response response) { done(token, std::move(response)); },
       .closed = [this, place] { closed(place); },
       .refused =
           [this](const std::string& why) {
             later([this, why] { browser_.end("it does not do as told: " + why); });
           }});
}

void Renderer::ready(Token token) {
  Job* const job = find(token);
  if (job == nullptr) return;
  enter(*job, Job::Stage::ready);
  const bool told = std::exchange(job->told_ready, true);
  if (job->request.send_when_ready) return send(token);
  if (!told) handler_.on_ready(token);
}

void Renderer::done(Token token, fetch::Response response) {
  Job* const job = find(token);
  if (job == nullptr) return;
  places_[job->place].closing = std::move(job->visit);
  places_[job->place].since = now();
  if (response.failure == Failure::none) browser_.worked();
  response.sent = response.failure != Failure::agent;
  job->response = std::move(response);
  enter(*job, Job::Stage::delivering);
  later([this, token] { deliver(token); });
}

void Renderer::closed(std::size_t place) {
  places_[place] = {};
  later([this] { fill(); });
}

void Renderer::deliver(Token token) {
  for (;;) {
    Job* const job = find(token);
    if (job == nullptr || job->stage != Job::Stage::delivering) return;
    std::string& body = job->response.body;
    const std::size_t left = body.size() - job->delivered;
    if (left <= piece_bytes_) {
      body.erase(0, job->delivered);
      fetch::Response response = std::move(job->response);
      jobs_.erase(token);
      return handler_.on_done(std::move(response));
    }
    const std::size_t size = std::min(piece_bytes_, job->credit);
    if (size == 0) return;  // grant() goes on
    std::string piece = body.substr(job->delivered, size);
    job->delivered += size;
    job->credit -= size;
    handler_.on_piece(token, std::move(piece));
  }
}

void Renderer::end(Token token, Failure failure, std::string text) {
  Job* const job = find(token);
  if (job == nullptr) return;
  if (job->visit) return job->visit->fail(failure, std::move(text));
  fetch::Response response;
  response.token = token;
  response.final_url = job->request.url;
  response.failure = failure;
  response.failure_text = std::move(text);
  response.sent = failure != Failure::agent;
  jobs_.erase(token);
  handler_.on_done(std::move(response));
}

void Renderer::event(const Message& message) {
  if (message.method == "Target.targetCreated") {
    // Every page we open has nothing before it; a window that a script opens has its opener.
    if (!text_at(message.values, "targetInfo.openerId").empty())
      browser_.tools()->call("Target.closeTarget",
                             {{"targetId", text_at(message.values, "targetInfo.targetId")}});
    return;
  }
  std::vector<std::shared_ptr<Visit>> visits;
  for (const auto& [token, job] : jobs_) {
    if (job.visit) visits.push_back(job.visit);
  }
  for (const auto& visit : visits) visit->event(message);
}

// Pages that nobody has been asked for yet wait for the next browser; nobody waits for ever.
void Renderer::down(const std::string& why) {
  visits_ = 0;
  for (Place& place : places_) {
    if (place.closing) place.closing->drop();
    place = {};
  }
  std::vector<Token> over;
  for (auto& [token, job] : jobs_) {
    if (job.stage == Job::Stage::delivering) continue;
    if (job.visit) std::exchange(job.visit, nullptr)->drop();
    if (job.stage == Job::Stage::sent || job.openings >= most_openings) {
      over.push_back(token);
    } else if (job.stage != Job::Stage::queued) {
      enter(job, Job::Stage::queued);
      queue_.push_back(token);
    } else if (++job.openings >= most_openings) {
      over.push_back(token);
    }
  }
  later([this, over, text = printable(why, 300)] {
    for (const Token token : over) {
      const Job* const job = find(token);
      if (job == nullptr) continue;
      const bool sent = job->stage == Job::Stage::sent;
      end(token, sent ? Failure::rendering : Failure::internal, "the browser: " + text);
    }
  });
  wake();
}

}  // namespace

Result<std::unique_ptr<fetch::Fetcher>> make_renderer(boost::asio::io_context& io,
                                                      const Options& options,
                                                      const fetch::Options& network,
                                                      fetch::Handler& handler,
                                                      fetch::Resolver::LookupFunction lookup) {
  if (::access(options.program.c_str(), X_OK) != 0)
    return Error{"render.program: " + printable(options.program) +
                     " is no program; install chromium-headless-shell, or name another one",
                 ExitCode::configuration};
  Result<fetch::AddressGate> gate = fetch::AddressGate::create(network.allow);
  if (!gate) return gate.error();
  // A browser that has ended does not listen any more: that is an error of a write, no reason to
  // end.
  std::signal(SIGPIPE, SIG_IGN);
  return std::unique_ptr<fetch::Fetcher>(std::make_unique<Renderer>(
      io, options, network, std::move(*gate), handler, std::move(lookup)));
}

}  // namespace pollux::render
