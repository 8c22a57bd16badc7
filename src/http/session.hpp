// One connection: requests one after the other. Lives as long as it has work pending on its
// io_context; everything on that context's thread.
#pragma once

#include "pollux/http/server.hpp"

#include <atomic>
#include <memory>

#include <boost/asio/ip/tcp.hpp>

namespace pollux::http {

// `open` counts the sessions there are.
void serve(boost::asio::ip::tcp::socket socket, const ServerOptions& options, Handler& handler,
           std::shared_ptr<std::atomic<std::size_t>> open);

}  // namespace pollux::http
