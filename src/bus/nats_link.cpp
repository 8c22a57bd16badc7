#include "bus/nats_link.hpp"

#include "bus/nats_words.hpp"
#include "pollux/base/rng.hpp"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::bus {
namespace {

constexpr Duration first_wait = std::chrono::milliseconds(50);
constexpr Duration longest_wait = std::chrono::seconds(2);
constexpr int flush_ms = 2000, last_flush_ms = 200;

// libnats may call back about a connection that has been destroyed already. So it is given a
// number, not a pointer.
class Callbacks {
 public:
  static Callbacks& all() {
    static Callbacks& never_destroyed = *new Callbacks;
    return never_destroyed;
  }
  void* add(std::weak_ptr<NatsCore> core, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    known_[++last_] = {std::move(core), number};
    return reinterpret_cast<void*>(last_);
  }
  void remove(void* id) {
    const std::lock_guard lock(mutex_);
    known_.erase(reinterpret_cast<std::uintptr_t>(id));
  }
  static void lost(natsConnection*, void* id) {
    const auto [core, number] = all().find(id);
    if (const auto alive = core.lock()) alive->lost(number);
  }
  static void error(natsConnection* connection, natsSubscription*, natsStatus status, void* id) {
    const auto alive = all().find(id).first.lock();
    if (!alive || status == NATS_SLOW_CONSUMER) return;
    const char* text = nullptr;
    natsConnection_GetLastError(connection, &text);
    alive->warn_once(text && *text ? text : natsStatus_GetText(status));
  }

 private:
  using Known = std::pair<std::weak_ptr<NatsCore>, std::uint64_t>;
  Known find(void* id) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(reinterpret_cast<std::uintptr_t>(id));
    return found == known_.end() ? Known{} : found->second;
  }
  std::mutex mutex_;
  std::map<std::uintptr_t, Known> known_;
  std::uintptr_t last_ = 0;
};

// What a subscription of libnats needs as long as it may call back.
struct Listening {
  std::weak_ptr<NatsCore> core;
  std::shared_ptr<NatsSubject> subject;
};

void on_message(natsConnection*, natsSubscription*, natsMsg* message, void* closure) {
  const auto& listening = *static_cast<const Listening*>(closure);
  if (const auto core = listening.core.lock()) {
    Message copy;
    copy.subject = natsMsg_GetSubject(message);
    if (const char* reply = natsMsg_GetReply(message)) copy.reply = reply;
    copy.nobody_there = natsMsg_IsNoResponders(message);
    if (const int size = natsMsg_GetDataLength(message); size > 0) {
      copy.payload.assign(natsMsg_GetData(message), static_cast<std::size_t>(size));
    }
    core->arrived(listening.subject, std::move(copy));
  }
  natsMsg_Destroy(message);
}

void on_complete(void* closure) {
  delete static_cast<Listening*>(closure);
}

}  // namespace

NatsLink::NatsLink(std::shared_ptr<NatsCore> core, Options options,
                   std::vector<NatsAddress> addresses)
    : core_(std::move(core)), options_(std::move(options)), addresses_(std::move(addresses)) {
  thread_ = std::thread([this] { run(); });
}

NatsLink::~NatsLink() {
  core_->stop();
  thread_.join();
}

void NatsLink::run() {
  Rng rng(0);  // members that lost one server spread over the others
  std::size_t next = rng.below(addresses_.size());
  Duration wait = first_wait;
  while (!core_->stopping()) {
    if (begin(addresses_[next])) {
      wait = first_wait;
      serve();
      end_connection();
    }
    if (core_->stopping()) break;
    next = (next + 1) % addresses_.size();
    core_->wait(wait + Duration(static_cast<Duration::rep>(rng.uniform() *
                                                           static_cast<double>(wait.count()))));
    wait = std::min(2 * wait, longest_wait);
  }
}

NatsConnection NatsLink::connect(const NatsAddress& address, std::uint64_t number) {
  auto options = make_nats_options(options_, address);
  if (!options) {
    core_->set_trouble(options.error().message);
    return nullptr;
  }
  void* id = Callbacks::all().add(core_, number);
  natsOptions_SetClosedCB(options->get(), &Callbacks::lost, id);
  natsOptions_SetErrorHandler(options->get(), &Callbacks::error, id);
  natsConnection* made = nullptr;
  const natsStatus status = natsConnection_Connect(&made, options->get());
  if (status != NATS_OK) {
    core_->set_trouble(why_no_connection(status, address, options_));
    Callbacks::all().remove(id);
    return nullptr;
  }
  return {made, [id](natsConnection* connection) {
            natsConnection_Destroy(connection);
            Callbacks::all().remove(id);
          }};
}

bool NatsLink::begin(const NatsAddress& address) {
  connection_ = connect(address, core_->next_number());
  if (!connection_) return false;
  std::vector<std::shared_ptr<NatsSubject>> subjects;
  {
    const std::lock_guard lock(core_->mutex);
    subjects = core_->subjects;
  }
  for (const auto& subject : subjects) subscribe(subject);
  // Whoever is told of the connection is heard and hears.
  const natsStatus status = natsConnection_FlushTimeout(connection_.get(), flush_ms);
  if (status != NATS_OK) {
    core_->set_trouble(why_no_connection(status, address, options_));
    end_connection();
    return false;
  }
  spdlog::info("bus: connected to {}", address.url.substr(7));
  core_->set_up(connection_, static_cast<std::size_t>(std::max<std::int64_t>(
                                 natsConnection_GetMaxPayload(connection_.get()), 0)));
  return true;
}

void NatsLink::serve() {
  for (;;) {
    const auto all = core_->next_outgoing();
    for (const Outgoing& what : all) send(what);
    if (all.empty()) break;
  }
  if (core_->stopping()) {
    natsConnection_FlushTimeout(connection_.get(), last_flush_ms);
  } else {
    core_->set_trouble("the connection to the server was lost");
  }
}

void NatsLink::send(const Outgoing& what) {
  if (what.what == Outgoing::What::subscribe) return subscribe(what.heard);
  if (what.what == Outgoing::What::unsubscribe) return unsubscribe(what.heard);
  const int size = static_cast<int>(what.payload.size());  // a server's limit is below 2 GB
  // One that fails is lost, as one that is on its way when the connection ends.
  if (what.reply.empty()) {
    natsConnection_Publish(connection_.get(), what.subject.c_str(), what.payload.data(), size);
  } else {
    natsConnection_PublishRequest(connection_.get(), what.subject.c_str(), what.reply.c_str(),
                                  what.payload.data(), size);
  }
}

void NatsLink::subscribe(const std::shared_ptr<NatsSubject>& subject) {
  if (subscriptions_.contains(subject)) return;
  auto listening = std::make_unique<Listening>(Listening{core_, subject});
  natsSubscription* made = nullptr;
  if (natsConnection_Subscribe(&made, connection_.get(), subject->pattern.c_str(), &on_message,
                               listening.get()) != NATS_OK) {
    return;  // the connection is lost, and all are made again with the next
  }
  // on_message() never waits, and what it takes is bounded by the subject: no second limit.
  natsSubscription_SetPendingLimits(made, -1, -1);
  if (natsSubscription_SetOnCompleteCB(made, &on_complete, listening.get()) == NATS_OK) {
    subscriptions_.emplace(subject, made);
  }
  // From here on on_complete() ends it. Without that it stays: libnats may still call back.
  static_cast<void>(listening.release());
}

void NatsLink::unsubscribe(const std::shared_ptr<NatsSubject>& subject) {
  const auto found = subscriptions_.find(subject);
  if (found == subscriptions_.end()) return;
  natsSubscription_Unsubscribe(found->second);
  natsSubscription_Destroy(found->second);
  subscriptions_.erase(found);
}

void NatsLink::end_connection() {
  core_->set_down();
  // Closed now, whoever else still waits for an answer by it.
  natsConnection_Close(connection_.get());
  for (const auto& [subject, subscription] : subscriptions_) natsSubscription_Destroy(subscription);
  subscriptions_.clear();
  connection_.reset();
}

}  // namespace pollux::bus
