#include "support/relay.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <set>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

namespace pollux::test {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

tcp::endpoint loopback(std::uint16_t port) {
  return {boost::asio::ip::address_v4::loopback(), port};
}

}  // namespace

struct Relay::State {
  // What is under way on a long line.
  struct UnderWay {
    explicit UnderWay(boost::asio::io_context& io) : timer(io) {}
    struct Piece {
      std::string bytes;
      steady_clock::time_point due;
    };
    std::deque<Piece> pieces;
    steady_clock::time_point free_at{};  // the line carries what came before until then
    boost::asio::steady_timer timer;
  };
  struct Wire {
    explicit Wire(boost::asio::io_context& io) : near(io), far(io), outward(io), inward(io) {}
    void close() {
      error_code ignored;
      near.close(ignored);
      far.close(ignored);
      outward.timer.cancel();
      inward.timer.cancel();
    }
    UnderWay& way(const tcp::socket& to) { return &to == &far ? outward : inward; }
    tcp::socket near, far;
    UnderWay outward, inward;
    std::array<char, 16384> to_far, to_near;
  };
  using Shared = std::shared_ptr<Wire>;

  State(std::uint16_t target, Line chosen) : target_port(target), line(chosen) {
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
      carried += size;
      if (line.latency.count() == 0 && line.bytes_per_second == 0)
        return forward(wire, from, to, room, size);
      take_in(wire, to, {room.data(), size});
      pump(wire, from, to, room);
    });
  }
  // One piece after the other leaves, and each is under way for a while.
  void take_in(const Shared& wire, tcp::socket& to, std::string bytes) {
    UnderWay& way = wire->way(to);
    way.free_at = std::max(way.free_at, steady_clock::now());
    if (line.bytes_per_second > 0)
      way.free_at += std::chrono::duration_cast<steady_clock::duration>(
          std::chrono::duration<double>(static_cast<double>(bytes.size()) / line.bytes_per_second));
    way.pieces.push_back({std::move(bytes), way.free_at + line.latency});
    if (way.pieces.size() == 1) wait_for_first(wire, to);
  }
  void wait_for_first(const Shared& wire, tcp::socket& to) {
    UnderWay& way = wire->way(to);
    way.timer.expires_at(way.pieces.front().due);
    way.timer.async_wait([this, wire, &to, &way](const error_code& error) {
      if (error) return;
      boost::asio::async_write(to, boost::asio::buffer(way.pieces.front().bytes),
                               [this, wire, &to, &way](const error_code& failed, std::size_t) {
                                 if (failed) return end(wire);
                                 way.pieces.pop_front();
                                 if (!way.pieces.empty()) wait_for_first(wire, to);
                               });
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

  const std::uint16_t target_port;
  const Line line;
  std::atomic<std::uint64_t> carried{0};
  boost::asio::io_context io;
  tcp::acceptor acceptor{io, loopback(0)};
  std::set<Shared> wires;
  std::vector<std::function<void()>> waiting;
  bool cut = false, held = false;
  std::thread thread;
};

Relay::Relay(std::uint16_t target_port, Line line)
    : state_(std::make_unique<State>(target_port, line)) {}
Relay::~Relay() = default;
std::uint16_t Relay::port() const {
  return state_->acceptor.local_endpoint().port();
}
std::uint64_t Relay::carried() const {
  return state_->carried;
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
