#include "bench/web/asker.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/algorithm/string/find.hpp>
#include <boost/asio.hpp>

namespace pollux::bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using SteadyClock = std::chrono::steady_clock;

constexpr int load_connections = 16;

tcp::endpoint on_loopback(std::uint16_t port) {
  return {asio::ip::address_v4::loopback(), port};
}

std::string request_for(std::uint16_t port, const std::string& target, const std::string& fields) {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" +
         fields + "\r\n";
}

// Bytes of the body that a head announces.
std::size_t announced(std::string_view head) {
  const auto name = boost::algorithm::ifind_first(head, "\r\ncontent-length:");
  if (name.empty()) return 0;
  return std::strtoul(&*name.end(), nullptr, 10);
}

int status_in(std::string_view head) {
  return head.size() > 12 ? std::atoi(head.data() + 9) : 0;
}

struct Load {
  SteadyClock::time_point end;
  std::vector<double> waited;  // ms
  std::size_t failed = 0;
};

asio::awaitable<void> one_client(std::uint16_t port, int number, double per_second, Load& load) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::socket socket(executor);
  co_await socket.async_connect(on_loopback(port), asio::use_awaitable);
  socket.set_option(tcp::no_delay(true));
  const std::string requests[] = {request_for(port, "/api/v1/status", ""),
                                  request_for(port, "/metrics", "")};
  asio::steady_timer timer(executor);
  const auto between = std::chrono::duration_cast<SteadyClock::duration>(
      std::chrono::duration<double>(load_connections / per_second));
  SteadyClock::time_point due = SteadyClock::now() + between * number / load_connections;
  std::string bytes;
  for (int turn = number; due < load.end && SteadyClock::now() < load.end; ++turn) {
    timer.expires_at(due);
    co_await timer.async_wait(asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer(requests[turn % 2]), asio::use_awaitable);
    const std::size_t head = co_await asio::async_read_until(socket, asio::dynamic_buffer(bytes),
                                                             "\r\n\r\n", asio::use_awaitable);
    const std::string_view text = std::string_view(bytes).substr(0, head);
    if (status_in(text) != 200) ++load.failed;
    const std::size_t whole = head + announced(text);
    if (whole > bytes.size()) {
      co_await asio::async_read(socket, asio::dynamic_buffer(bytes),
                                asio::transfer_exactly(whole - bytes.size()), asio::use_awaitable);
    }
    bytes.erase(0, whole);
    load.waited.push_back(
        std::chrono::duration<double, std::milli>(SteadyClock::now() - due).count());
    due += between;
  }
}

}  // namespace

struct Asker::State {
  explicit State(std::uint16_t of) : port(of) {}
  const std::uint16_t port;
  asio::io_context context;
  tcp::socket socket{context};
};

Asker::Asker(std::uint16_t port) : state_(std::make_unique<State>(port)) {}
Asker::~Asker() = default;

Reply Asker::get(const std::string& target, const std::string& fields) {
  boost::system::error_code problem;
  tcp::socket& socket = state_->socket;
  for (int tries = 0; tries < 2; ++tries) {
    if (!socket.is_open()) socket.connect(on_loopback(state_->port), problem);
    std::string bytes;
    if (!problem)
      asio::write(socket, asio::buffer(request_for(state_->port, target, fields)), problem);
    std::size_t head = 0;
    if (!problem) head = asio::read_until(socket, asio::dynamic_buffer(bytes), "\r\n\r\n", problem);
    if (!problem) {
      const std::size_t whole = head + announced(std::string_view(bytes).substr(0, head));
      if (whole > bytes.size()) {
        asio::read(socket, asio::dynamic_buffer(bytes),
                   asio::transfer_exactly(whole - bytes.size()), problem);
      }
    }
    if (!problem) return {status_in(bytes), bytes.substr(head)};
    socket.close(problem);
    problem.clear();
  }
  return {};
}

double Asker::milliseconds(const std::string& target) {
  const auto begin = SteadyClock::now();
  const Reply reply = get(target);
  const auto end = SteadyClock::now();
  if (reply.status != 200) {
    std::fprintf(stderr, "%s: %d %.300s\n", target.c_str(), reply.status, reply.body.c_str());
    std::abort();
  }
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

std::uint16_t free_port() {
  asio::io_context context;
  return tcp::acceptor(context, on_loopback(0)).local_endpoint().port();
}

void wait_until_ready(std::uint16_t port) {
  Asker asker(port);
  for (int turn = 0; turn < 6'000; ++turn) {
    if (asker.get("/readyz").status == 200) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::fputs("the daemon does not become ready\n", stderr);
  std::abort();
}

int run_load(std::uint16_t port, double per_second, int seconds) {
  asio::io_context context(1);
  Load load{.end = SteadyClock::now() + std::chrono::seconds(seconds), .waited = {}};
  for (int number = 0; number < load_connections; ++number) {
    asio::co_spawn(context, one_client(port, number, per_second, load),
                   [&](const std::exception_ptr& problem) {
                     if (problem) ++load.failed;
                   });
  }
  context.run();
  std::sort(load.waited.begin(), load.waited.end());
  const std::size_t count = load.waited.size();
  std::printf("%.0f %.2f %.2f %zu\n", static_cast<double>(count) / seconds,
              count > 0 ? load.waited[count / 2] : 0, count > 0 ? load.waited[count * 99 / 100] : 0,
              load.failed);
  return 0;
}

}  // namespace pollux::bench
