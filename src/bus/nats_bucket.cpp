#include "bus/nats_bucket.hpp"

#include "bus/nats_words.hpp"

#include <utility>

namespace pollux::bus {
namespace {

constexpr int patience_ms = 2000;
constexpr std::size_t most_calls = 1024;

bool is_conflict(natsStatus status) {
  return status == NATS_ERR &&
         last_nats_error(status).find("wrong last sequence") != std::string::npos;
}

}  // namespace

NatsBucket::NatsBucket(std::shared_ptr<NatsCore> core, const Options& options)
    : core_(std::move(core)), options_(options) {
  thread_ = std::thread([this] { run(); });
}

NatsBucket::~NatsBucket() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  thread_.join();
}

void NatsBucket::add(Call call) {
  const std::lock_guard lock(mutex_);
  if (calls_.size() >= most_calls) return core_->post(std::move(call.unreachable));
  calls_.push_back(std::move(call));
  wake_.notify_all();
}

void NatsBucket::run() {
  for (;;) {
    Call next;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !calls_.empty(); });
      if (stopping_) break;
      next = std::move(calls_.front());
      calls_.pop_front();
    }
    core_->post(answer(next));
  }
  forget();
}

NatsBucket::Answer NatsBucket::answer(const Call& call) {
  kvStore* store = reach();
  return store ? call.make(store) : call.unreachable;
}

kvStore* NatsBucket::reach() {
  NatsConnection now = core_->connection();
  if (!now) return forget(), nullptr;
  if (store_ && now == connection_) return store_;
  forget();
  connection_ = std::move(now);
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = patience_ms;
  natsStatus status = natsConnection_JetStream(&stream_, connection_.get(), &options);
  if (status == NATS_OK) status = js_KeyValue(&store_, stream_, options_.bucket.c_str());
  if (status == NATS_NOT_FOUND) {
    kvConfig config;
    kvConfig_Init(&config);
    config.Bucket = options_.bucket.c_str();
    config.StorageType = js_MemoryStorage;
    config.Replicas = options_.replicas;
    config.TTL = std::chrono::nanoseconds(options_.entries_live).count();
    status = js_CreateKeyValue(&store_, stream_, &config);
  }
  if (!reached(status)) return nullptr;
  core_->set_trouble("");
  return store_;
}

bool NatsBucket::reached(natsStatus status) {
  if (status == NATS_OK) return true;
  if (core_->connection()) {
    // A server that denies the subjects of the bucket does not answer either.
    core_->set_trouble("the bucket " + options_.bucket +
                       " cannot be reached: " + last_nats_error(status) +
                       " (is JetStream on, and are we allowed to use it?)");
  }
  forget();
  return false;
}

void NatsBucket::forget() {
  kvStore_Destroy(std::exchange(store_, nullptr));
  jsCtx_Destroy(std::exchange(stream_, nullptr));
  connection_.reset();
}

void NatsBucket::get(std::string key, Got done) {
  const auto unreachable = [done] { done(Error{"the bucket cannot be reached"}); };
  add({[this, key = std::move(key), done, unreachable](kvStore* store) -> Answer {
         kvEntry* found = nullptr;
         const natsStatus status = kvStore_Get(&found, store, key.c_str());
         if (status == NATS_NOT_FOUND) return [done] { done(std::optional<Entry>()); };
         if (!reached(status)) return unreachable;
         Entry entry;
         if (const int size = kvEntry_ValueLen(found); size > 0) {
           entry.value.assign(static_cast<const char*>(kvEntry_Value(found)),
                              static_cast<std::size_t>(size));
         }
         entry.revision = kvEntry_Revision(found);
         kvEntry_Destroy(found);
         return [done, entry] { done(std::optional(entry)); };
       },
       unreachable});
}

void NatsBucket::update(std::string key, std::string value, std::uint64_t revision, Written done) {
  const auto unreachable = [done] { done(Wrote::unreachable, 0); };
  add({[this, key = std::move(key), value = std::move(value), revision, done,
        unreachable](kvStore* store) -> Answer {
         const int size = static_cast<int>(value.size());
         std::uint64_t now = 0;
         const natsStatus status =
             revision == 0 ? kvStore_Create(&now, store, key.c_str(), value.data(), size)
                           : kvStore_Update(&now, store, key.c_str(), value.data(), size, revision);
         if (is_conflict(status)) return [done] { done(Wrote::conflict, 0); };
         if (!reached(status)) return unreachable;
         return [done, now] { done(Wrote::yes, now); };
       },
       unreachable});
}

void NatsBucket::remove(std::string key, std::function<void(bool)> done) {
  const auto unreachable = [done] { done(false); };
  add({[this, key = std::move(key), done, unreachable](kvStore* store) -> Answer {
         if (!reached(kvStore_Delete(store, key.c_str()))) return unreachable;
         return [done] { done(true); };
       },
       unreachable});
}

}  // namespace pollux::bus
