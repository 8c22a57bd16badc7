// One connection to the demo site: HTTP/1.1 with keep-alive. Lives as long as it has work pending
// on its io_context; everything on that context's thread.
#pragma once

#include "demo/responder.hpp"

#include <boost/asio/ip/tcp.hpp>

namespace pollux::demo {

void serve(boost::asio::ip::tcp::socket socket, Responder& responder);

}  // namespace pollux::demo
