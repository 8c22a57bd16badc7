#include "support/receiver.hpp"

#include <cstdlib>
#include <utility>

namespace pollux::test {

Receiver::Receiver(Decide decide, Origin::Options options)
    : decide_(std::move(decide)), origin_(std::move(options)) {
  origin_.otherwise([this](Exchange& x) -> Step {
    Received message{.path = x.path, .method = x.method, .body = {}, .headers = x.headers};
    const std::string length = x.header("content-length");
    const auto wanted = static_cast<std::size_t>(std::atoll(length.c_str()));
    while (message.body.size() < wanted) {
      const std::string piece = co_await x.receive();
      if (piece.empty()) break;
      message.body += piece;
    }
    if (message.body.size() < wanted) co_return;  // the sender was killed meanwhile
    const Reply reply = decide_(message);
    message.reply = reply;
    {
      const std::lock_guard lock(mutex_);
      received_.push_back(std::move(message));
    }
    switch (reply) {
      case Reply::ok:
        co_await x.respond(204, "", "");
        break;
      case Reply::error:
        co_await x.respond(500, "", "no");
        break;
      case Reply::busy:
        co_await x.respond(429, "Retry-After: 1\r\n", "");
        break;
      case Reply::hang:
        co_await x.wait_for_close();
        break;
      case Reply::stall:
        co_await x.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
        co_await x.wait_for_close();
        break;
      case Reply::half:
        co_await x.send("HTTP/1.1 20");
        x.close();
        break;
      case Reply::gone:
        co_await x.respond(410, "", "");
        break;
      case Reply::elsewhere:
        co_await x.respond(302, "Location: /elsewhere\r\n", "");
        break;
    }
  });
}

std::vector<Received> Receiver::all() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

std::vector<Received> Receiver::taken(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  std::vector<Received> some;
  for (const Received& message : received_) {
    if (message.path == path && message.reply == Reply::ok) some.push_back(message);
  }
  return some;
}

std::size_t Receiver::count() const {
  const std::lock_guard lock(mutex_);
  return received_.size();
}

}  // namespace pollux::test
