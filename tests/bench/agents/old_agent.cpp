#include "bench/agents/old_agent.hpp"

#include "agent/messages.hpp"
#include "engine/asio_loop.hpp"
#include "pollux/base/clock.hpp"

#include <functional>
#include <memory>

namespace pollux::bench {

OldAgent::OldAgent(const std::string& name, const bus::Options& nats)
    : thread_([this, name, nats] { run(name, nats); }) {}

OldAgent::~OldAgent() {
  io_.stop();
  thread_.join();
}

void OldAgent::run(const std::string& name, const bus::Options& nats) {
  const SystemClock clock;
  engine::AsioLoop loop(io_);
  const std::unique_ptr<bus::Bus> bus = bus::connect(loop, nats).value();
  const agent::Subjects subjects{name};
  const auto heard =
      bus->subscribe("px.to." + name + ".*.poll", [this](const bus::Message&) { ++polls_; });
  const std::unique_ptr<Timer> timer = loop.make_timer();
  std::uint64_t id = 0;
  std::function<void()> ask = [&] {
    agent::Ask message;
    message.instance = 1;
    message.id = ++id;
    message.slots = 256;
    message.version = "0.7.0";
    std::string bytes = agent::encode(message);
    bytes[0] = static_cast<char>(agent::protocol - 1);
    if (bus->publish(subjects.ask(), std::move(bytes))) ++asked_;
    timer->arm(clock.now() + std::chrono::milliseconds(300), ask);
  };
  ask();
  io_.run();
}

}  // namespace pollux::bench
