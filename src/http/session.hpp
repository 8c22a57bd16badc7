// One connection: requests one after the other. Lives as long as it has work pending on its
// io_context; everything on that context's thread.
#pragma once

#include "http/mailbox.hpp"
#include "http/wire.hpp"
#include "pollux/http/server.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>

namespace pollux::http {

// What the sessions of a server have in common.
struct Common {
  Common(const ServerOptions& given, Handler& answers, std::shared_ptr<Mailbox> posts)
      : options(given), handler(answers), mailbox(std::move(posts)) {}

  const ServerOptions& options;
  Handler& handler;
  std::shared_ptr<Mailbox> mailbox;
  // Who holds connections: an address, or of IPv6 the network of one machine (/64), which has
  // addresses without end. Empty on a Unix socket.
  static std::string client_of(const std::string& peer);
  bool has_room_for(const std::string& peer) const {
    const auto known = open_of.find(client_of(peer));
    return open < options.max_connections && (peer.empty() || known == open_of.end() ||
                                              known->second < options.max_connections_of_one);
  }

  std::atomic<std::size_t> open = 0;                          // sessions there are
  std::unordered_map<std::string, std::size_t> open_of = {};  // likewise by client
  std::size_t body_bytes = 0;                                 // that requests have announced
  std::size_t streams = 0;                                    // answers that go on
  std::unique_ptr<boost::asio::ssl::context> tls = {};        // null: in the clear
};

// `peer`: the numeric address of who has connected.
void serve(Socket socket, std::string peer, std::shared_ptr<Common> common);

}  // namespace pollux::http
