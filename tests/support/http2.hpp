// An HTTP/2 server in a script for Origin (Options::http2, path "*"): just enough of the protocol
// to answer a request properly and to break it on purpose.
#pragma once

#include "support/origin.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace pollux::test::http2 {

enum class Type : unsigned char {
  data,
  headers,
  priority,
  rst_stream,
  settings,
  push,
  ping,
  goaway
};

std::string frame(Type type, unsigned char flags, std::uint32_t stream, const std::string& payload);
// A whole answer: 200 and a body.
std::string page(std::uint32_t stream, const std::string& body);

struct Reaction {
  enum class Then { go_on, close, reset };
  std::string bytes;
  std::string forever = {};  // after that, as fast as the client takes it
  Then then = Then::go_on;
};
// What the nth request (from 1, over all connections) on this stream gets.
using React = std::function<Reaction(unsigned nth, std::uint32_t stream)>;
Script server(React react);

}  // namespace pollux::test::http2
