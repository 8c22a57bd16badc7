#include "support/dns_server.hpp"

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace pollux::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;
using boost::system::error_code;

namespace {

constexpr std::size_t head_size = 12;
constexpr std::size_t largest_datagram = 512;
enum Code : unsigned { no_error = 0, server_failure = 2, no_such_name = 3 };
enum RecordType : unsigned { type_a = 1, type_cname = 5 };

void add16(std::string& out, unsigned value) {
  out += static_cast<char>(value >> 8);
  out += static_cast<char>(value & 0xff);
}

std::string encoded_name(const std::string& name) {
  std::string out;
  for (std::size_t start = 0; start < name.size();) {
    const std::size_t end = std::min(name.find('.', start), name.size());
    out += static_cast<char>(end - start);
    out += name.substr(start, end - start);
    start = end + 1;
  }
  return out + '\0';
}

void add_record(std::string& out, RecordType type, const std::string& data) {
  add16(out, 0xc000 | head_size);  // the name of the question
  add16(out, type);
  add16(out, 1);  // IN
  add16(out, 0);  // may not be kept: a time to live of 0
  add16(out, 0);
  add16(out, static_cast<unsigned>(data.size()));
  out += data;
}

struct Question {
  std::string name;
  unsigned type = 0;
  std::string bytes;  // as it was asked
};

std::optional<Question> parse(const std::string& packet) {
  Question question;
  std::size_t at = head_size;
  while (at < packet.size() && packet[at] != 0) {
    const auto size = static_cast<unsigned char>(packet[at]);
    if (at + 1 + size >= packet.size()) return std::nullopt;
    if (!question.name.empty()) question.name += '.';
    question.name += packet.substr(at + 1, size);
    at += 1 + size;
  }
  if (at + 5 > packet.size()) return std::nullopt;
  question.type = static_cast<unsigned char>(packet[at + 2]);
  question.bytes = packet.substr(head_size, at + 5 - head_size);
  return question;
}

}  // namespace

struct DnsServer::State {
  mutable std::mutex mutex;
  std::map<std::string, DnsAnswer> answers;
  std::map<std::string, std::size_t> questions;
  asio::io_context io{1};
  std::optional<udp::socket> datagrams;
  std::optional<tcp::acceptor> acceptor;
  std::thread thread;

  std::optional<std::string> reply(const std::string& packet);
  asio::awaitable<void> serve_udp();
  asio::awaitable<void> serve_tcp();
  asio::awaitable<void> serve(tcp::socket socket);
};

// Nothing: silence.
std::optional<std::string> DnsServer::State::reply(const std::string& packet) {
  if (packet.size() < head_size) return std::nullopt;
  const std::optional<Question> question = parse(packet);
  if (!question) return std::nullopt;
  std::optional<DnsAnswer> answer;
  {
    const std::lock_guard lock(mutex);
    ++questions[question->name];
    const auto found = answers.find(question->name);
    if (found != answers.end()) answer = found->second;
  }
  if (answer && answer->kind == DnsAnswer::Kind::silence) return std::nullopt;
  std::string records;
  unsigned count = 0;
  unsigned code = answer ? no_error : no_such_name;
  if (answer && answer->kind == DnsAnswer::Kind::servfail) code = server_failure;
  if (answer && answer->kind == DnsAnswer::Kind::cname) {
    add_record(records, type_cname, encoded_name(answer->alias));
    ++count;
  }
  if (answer && answer->kind == DnsAnswer::Kind::addresses && question->type == type_a) {
    for (const std::string& address : answer->addresses) {
      const auto bytes = asio::ip::make_address_v4(address).to_bytes();
      add_record(records, type_a, std::string(bytes.begin(), bytes.end()));
      ++count;
    }
  }
  std::string out = packet.substr(0, 2);
  add16(out, 0x8580 | code);  // an answer, with authority, recursion wanted and offered
  add16(out, 1);
  add16(out, count);
  add16(out, 0);
  add16(out, 0);
  return out + question->bytes + records;
}

asio::awaitable<void> DnsServer::State::serve_udp() {
  std::array<char, 4096> buffer;
  for (;;) {
    udp::endpoint sender;
    error_code error;
    const std::size_t size = co_await datagrams->async_receive_from(
        asio::buffer(buffer), sender, asio::redirect_error(asio::use_awaitable, error));
    if (error) continue;
    std::optional<std::string> out = reply({buffer.data(), size});
    if (!out) continue;
    if (out->size() > largest_datagram) {
      constexpr char truncated = 0x02;
      (*out)[2] = static_cast<char>((*out)[2] | truncated);
      out->resize(parse({buffer.data(), size})->bytes.size() + head_size);
      (*out)[6] = (*out)[7] = 0;
    }
    datagrams->send_to(asio::buffer(*out), sender, 0, error);
  }
}

asio::awaitable<void> DnsServer::State::serve_tcp() {
  for (;;) {
    error_code error;
    tcp::socket socket =
        co_await acceptor->async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (!error) asio::co_spawn(io, serve(std::move(socket)), asio::detached);
  }
}

asio::awaitable<void> DnsServer::State::serve(tcp::socket socket) {
  error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  for (;;) {
    std::array<unsigned char, 2> size{};
    co_await asio::async_read(socket, asio::buffer(size), token);
    if (error) co_return;
    std::string packet(size[0] * 256u + size[1], '\0');
    co_await asio::async_read(socket, asio::buffer(packet), token);
    const std::optional<std::string> out = error ? std::nullopt : reply(packet);
    if (!out) co_return;
    std::string framed;
    add16(framed, static_cast<unsigned>(out->size()));
    framed += *out;
    co_await asio::async_write(socket, asio::buffer(framed), token);
    if (error) co_return;
  }
}

DnsServer::DnsServer(const std::string& address) : state_(std::make_unique<State>()) {
  constexpr unsigned short port = 53;
  const auto at = asio::ip::make_address(address);
  state_->datagrams.emplace(state_->io, udp::endpoint(at, port));
  state_->acceptor.emplace(state_->io, tcp::endpoint(at, port));
  asio::co_spawn(state_->io, state_->serve_udp(), asio::detached);
  asio::co_spawn(state_->io, state_->serve_tcp(), asio::detached);
  state_->thread = std::thread([this] { state_->io.run(); });
}

DnsServer::~DnsServer() {
  state_->io.stop();
  state_->thread.join();
}

void DnsServer::set(const std::string& name, DnsAnswer answer) {
  const std::lock_guard lock(state_->mutex);
  state_->answers[name] = std::move(answer);
}

std::size_t DnsServer::questions(const std::string& name) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->questions.find(name);
  return found == state_->questions.end() ? 0 : found->second;
}

}  // namespace pollux::test
