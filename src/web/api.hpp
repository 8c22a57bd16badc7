// HTTP on one side, the table of routes on the other. On the server's thread.
#pragma once

#include "pollux/http/server.hpp"
#include "web/call.hpp"

namespace pollux::web {

class Api final : public http::Handler {
 public:
  explicit Api(Service service) : service_(std::move(service)) {}
  // Of the control socket, where no browser has business.
  void handle(const http::Request& request, http::Responder responder) override;
  // Of whoever has looked at who asks, and from where, and whether they may.
  void call(const http::Request& request, http::Responder responder);
  http::Response refusal(unsigned status) override;

 private:
  Service service_;
};

}  // namespace pollux::web
