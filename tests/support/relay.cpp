#include "support/relay.hpp"

#include <array>
#include <functional>
#include <set>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace pollux::test {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

tcp::endpoint loopback(std::uint16_t port) {
  return {boost::asio::ip::address_v4::loopback(), port};
}

}  // namespace

struct Relay::State {
  struct Wire {
    explicit Wire(boost::asio::io_context& io) : near(io), far(io) {}
    void close() {
      error_code ignored;
      near.close(ignored);
      far.close(ignored);
    }
    tcp::socket near, far;
    std::array<char, 16384> to_far, to_near;
  };
  using Shared = std::shared_ptr<Wire>;

  explicit State(std::uint16_t target) : target_port(target) {
    accept();
    thread = std::thread([this] { io.run(); });
  }
  ~State() {
    io.stop();
    thread.join();
  }

  void accept() {
    auto wire = std::make_shared<Wire>(io);
    acceptor.async_accept(wire->near, [this, wire](const error_code& error) {
      if (!error && !cut) {
        error_code failed;
        wire->far.connect(loopback(target_port), failed);
        if (!failed) {
          wires.insert(wire);
          pump(wire, wire->near, wire->far, wire->to_far);
          pump(wire, wire->far, wire->near, wire->to_near);
        }
      }
      accept();
    });
  }
  void pump(const Shared& wire, tcp::socket& from, tcp::socket& to, std::array<char, 16384>& room) {
    if (held) {
      waiting.push_back([this, wire, &from, &to, &room] { pump(wire, from, to, room); });
      return;
    }
    from.async_read_some(boost::asio::buffer(room), [this, wire, &from, &to, &room](
                                                        const error_code& error, std::size_t size) {
      if (error) return end(wire);
      forward(wire, from, to, room, size);
    });
  }
  void forward(const Shared& wire, tcp::socket& from, tcp::socket& to,
               std::array<char, 16384>& room, std::size_t size) {
    if (held) {
      waiting.push_back(
          [this, wire, &from, &to, &room, size] { forward(wire, from, to, room, size); });
      return;
    }
    boost::asio::async_write(to, boost::asio::buffer(room.data(), size),
                             [this, wire, &from, &to, &room](const error_code& error, std::size_t) {
                               if (error) return end(wire);
                               pump(wire, from, to, room);
                             });
  }
  void end(const Shared& wire) {
    wire->close();
    wires.erase(wire);
  }
  void set(bool cut_now, bool held_now) {
    boost::asio::post(io, [this, cut_now, held_now] {
      cut = cut_now;
      held = held_now;
      if (cut) {
        for (const Shared& wire : wires) wire->close();
        wires.clear();
        waiting.clear();
      }
      if (held) return;
      for (const auto& go_on : std::exchange(waiting, {})) go_on();
    });
  }

  std::uint16_t target_port;
  boost::asio::io_context io;
  tcp::acceptor acceptor{io, loopback(0)};
  std::set<Shared> wires;
  std::vector<std::function<void()>> waiting;
  bool cut = false, held = false;
  std::thread thread;
};

Relay::Relay(std::uint16_t target_port) : state_(std::make_unique<State>(target_port)) {}
Relay::~Relay() = default;
std::uint16_t Relay::port() const {
  return state_->acceptor.local_endpoint().port();
}
void Relay::cut_off() {
  state_->set(true, false);
}
void Relay::hold() {
  state_->set(false, true);
}
void Relay::mend() {
  state_->set(false, false);
}

}  // namespace pollux::test
