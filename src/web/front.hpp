// What stands before the routes on TCP: is it us who is asked, from where, who asks, and may they?
// Then the page's files, the session, metrics, or the table of routes. Threading: the server's
// thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/http/server.hpp"
#include "pollux/web/options.hpp"
#include "pollux/web/routes.hpp"
#include "web/api.hpp"
#include "web/log_in_tries.hpp"
#include "web/origins.hpp"
#include "web/sessions.hpp"
#include "web/vitals.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pollux::web {

class Front final : public http::Handler {
 public:
  // `connections`: that the server holds now.
  Front(const Options& options, Api& api, Vitals vitals, const Clock& clock,
        std::function<std::size_t()> connections)
      : options_(options),
        api_(api),
        vitals_(std::move(vitals)),
        clock_(clock),
        connections_(std::move(connections)),
        origins_(options_) {}

  void handle(const http::Request& request, http::Responder responder) override;
  http::Response refusal(unsigned status) override { return api_.refusal(status); }

 private:
  // Who asks; nobody: who has not logged in.
  struct Visitor {
    std::optional<Scope> may = {};
    bool is_token = false;    // no browser, then
    bool bad_token = false;   // one that nobody knows
    std::string cookie = {};  // a browser's, whether it is known or not
  };
  Visitor visitor(const http::Request& request);
  std::string peer_of(const http::Request& request) const;

  void serve_vitals(const http::Request& request, std::string_view path, http::Responder responder);
  void serve_api(const http::Request& request, std::string_view path, http::Responder responder);
  std::optional<http::Response> may_not(const http::Request& request, const Visitor& who,
                                        Scope needed);
  std::optional<http::Response> is_no_own_page(const http::Request& request, const Visitor& who);
  http::Response session_of(const http::Request& request, const Visitor& who);
  http::Response log_in(const http::Request& request);
  http::Response log_out(const http::Request& request, const Visitor& who);
  http::Response session_answer(std::optional<Scope> may, const std::string& cookie) const;
  void set_cookie(const http::Request& request, http::Response& response, const std::string& value,
                  Duration age) const;

  const Options& options_;
  Api& api_;
  Vitals vitals_;
  const Clock& clock_;
  const std::function<std::size_t()> connections_;
  KeptAnswer status_;
  Origins origins_;
  Sessions sessions_;
  LogInTries tries_;
};

}  // namespace pollux::web
