#include "support/http2.hpp"

#include <memory>
#include <utility>

namespace pollux::test::http2 {
namespace {

constexpr std::size_t head_size = 9;
constexpr unsigned char end_stream = 1, end_headers = 4, ack = 1;
// What follows "PRI * HTTP/2.0\r\n\r\n", which Origin takes for a request's head.
constexpr std::size_t preface_rest = 6;

unsigned byte(const std::string& text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Takes the next frame off the front; 0 while there is no request's in it.
std::uint32_t next_request(std::string& input) {
  while (input.size() >= head_size) {
    const std::size_t size = byte(input, 0) << 16 | byte(input, 1) << 8 | byte(input, 2);
    if (input.size() < head_size + size) return 0;
    const auto type = static_cast<Type>(input[3]);
    const std::uint32_t stream =
        byte(input, 5) << 24 | byte(input, 6) << 16 | byte(input, 7) << 8 | byte(input, 8);
    input.erase(0, head_size + size);
    if (type == Type::headers) return stream;
  }
  return 0;
}

}  // namespace

std::string frame(Type type, unsigned char flags, std::uint32_t stream,
                  const std::string& payload) {
  std::string bytes;
  const auto add = [&](std::size_t value) { bytes += static_cast<char>(value & 0xff); };
  add(payload.size() >> 16);
  add(payload.size() >> 8);
  add(payload.size());
  add(static_cast<unsigned char>(type));
  add(flags);
  for (const int shift : {24, 16, 8, 0}) add(stream >> shift);
  return bytes + payload;
}

std::string page(std::uint32_t stream, const std::string& body) {
  const std::string status_200 = "\x88";  // an entry of the static table
  return frame(Type::headers, end_headers, stream, status_200) +
         frame(Type::data, end_stream, stream, body);
}

Script server(React react) {
  const auto served = std::make_shared<unsigned>(0);
  return [=](Exchange& x) -> Step {
    co_await x.send(frame(Type::settings, 0, 0, "") + frame(Type::settings, ack, 0, ""));
    std::string input;
    while (input.size() < preface_rest && x.connected()) input += co_await x.receive();
    if (input.size() < preface_rest) co_return;
    input.erase(0, preface_rest);
    while (x.connected()) {
      if (const std::uint32_t stream = next_request(input)) {
        const Reaction reaction = react(++*served, stream);
        co_await x.send(reaction.bytes);
        while (!reaction.forever.empty() && x.connected()) co_await x.send(reaction.forever);
        if (reaction.then == Reaction::Then::close) x.close();
        if (reaction.then == Reaction::Then::reset) x.reset();
      } else {
        input += co_await x.receive();
      }
    }
  };
}

}  // namespace pollux::test::http2
