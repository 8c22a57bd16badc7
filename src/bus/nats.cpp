#include "bus/nats_bucket.hpp"
#include "bus/nats_core.hpp"
#include "bus/nats_link.hpp"
#include "bus/nats_words.hpp"
#include "pollux/bus/bus.hpp"
#include "pollux/bus/subject.hpp"

#include <algorithm>
#include <cassert>
#include <random>
#include <utility>

namespace pollux::bus {
namespace {

constexpr std::size_t most_servers = 64;

class HeardOnNats final : public Subscription {
 public:
  HeardOnNats(std::shared_ptr<NatsCore> core, std::shared_ptr<NatsSubject> subject)
      : core_(std::move(core)), subject_(std::move(subject)) {}
  ~HeardOnNats() override {
    subject_->open = false;
    {
      const std::lock_guard lock(core_->mutex);
      std::erase(core_->subjects, subject_);
    }
    core_->send({.what = Outgoing::What::unsubscribe, .heard = subject_});
  }
  std::uint64_t dropped() const override { return subject_->dropped; }

 private:
  std::shared_ptr<NatsCore> core_;
  std::shared_ptr<NatsSubject> subject_;
};

class NatsBus final : public Bus {
 public:
  NatsBus(EventLoop& loop, Options options, std::vector<NatsAddress> addresses)
      : core_(std::make_shared<NatsCore>(loop)) {
    std::random_device entropy;
    inboxes_ = "_INBOX." + std::to_string(entropy()) + std::to_string(entropy()) + ".";
    bucket_.emplace(core_, options);
    link_.emplace(core_, std::move(options), std::move(addresses));
  }
  ~NatsBus() override {
    core_->end();
    link_.reset();  // ends the connection, so that no call of the bucket waits any more
    bucket_.reset();
  }

  bool publish(std::string_view subject, std::string payload, std::string_view reply) override {
    if (!core_->told_connected || payload.size() > largest_payload() || !is_subject(subject) ||
        !(reply.empty() || is_subject(reply))) {
      return false;
    }
    return core_->send({.subject = std::string(subject),
                        .payload = std::move(payload),
                        .reply = std::string(reply)});
  }
  std::unique_ptr<Subscription> subscribe(std::string_view subject,
                                          std::function<void(Message)> handler,
                                          std::size_t most_bytes) override {
    assert(is_pattern(subject));
    auto heard = std::make_shared<NatsSubject>();
    heard->pattern = subject;
    heard->handler = std::move(handler);
    heard->most_bytes = most_bytes;
    {
      const std::lock_guard lock(core_->mutex);
      core_->subjects.push_back(heard);
    }
    core_->send({.what = Outgoing::What::subscribe, .heard = heard});
    return std::make_unique<HeardOnNats>(core_, std::move(heard));
  }
  std::size_t largest_payload() const override { return core_->largest_payload; }
  std::string new_inbox() override { return inboxes_ + std::to_string(++inbox_); }
  bool connected() const override { return core_->told_connected; }
  std::string trouble() const override { return core_->trouble(); }
  void on_connection(std::function<void(bool)> listener) override {
    core_->listener = std::move(listener);
  }

  void get(std::string_view key, NatsBucket::Got done) override {
    assert(is_key(key));
    bucket_->get(std::string(key), std::move(done));
  }
  void create(std::string_view key, std::string value, NatsBucket::Written done) override {
    update(key, std::move(value), 0, std::move(done));
  }
  void update(std::string_view key, std::string value, std::uint64_t revision,
              NatsBucket::Written done) override {
    assert(is_key(key));
    bucket_->update(std::string(key), std::move(value), revision, std::move(done));
  }
  void remove(std::string_view key, std::function<void(bool)> done) override {
    assert(is_key(key));
    bucket_->remove(std::string(key), std::move(done));
  }

 private:
  std::shared_ptr<NatsCore> core_;
  std::string inboxes_;
  std::uint64_t inbox_ = 0;
  std::optional<NatsBucket> bucket_;
  std::optional<NatsLink> link_;
};

}  // namespace

Result<std::unique_ptr<Bus>> connect(EventLoop& loop, Options options) {
  const auto wrong = [](std::string what) {
    return Error{"nats: " + std::move(what), ExitCode::configuration};
  };
  if (options.servers.empty()) return wrong("no server is named");
  if (options.servers.size() > most_servers) return wrong("there are more than 64 servers");
  if (!is_word(options.bucket)) return wrong("'" + options.bucket + "' is no name of a bucket");
  std::vector<NatsAddress> addresses;
  for (const std::string& server : options.servers) {
    auto address = parse_nats_address(server);
    if (!address) return wrong(address.error().message);
    // Once now, for what no time mends.
    if (auto made = make_nats_options(options, *address); !made) return wrong(made.error().message);
    addresses.push_back(std::move(*address));
  }
  options.replicas = std::clamp(options.replicas, 1, 3);
  return std::unique_ptr<Bus>(
      std::make_unique<NatsBus>(loop, std::move(options), std::move(addresses)));
}

}  // namespace pollux::bus
