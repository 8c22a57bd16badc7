// Mail over SMTP, one at a time: "smtps://host:465" (TLS from the start) or "smtp://host:587"
// (STARTTLS: required where there is a login, used where it is offered without one). Certificates
// are checked and every address passes the gate, as for pages. The call blocks: whoever sends has a
// thread for it. Any thread.
#pragma once

#include "pollux/base/time.hpp"

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::fetch {

struct MailServer {
  std::string url;
  std::string login = {};               // "user:password", or empty
  std::vector<std::string> allow = {};  // networks exempt from the address gate
  std::string ca_file = {};             // empty: the system's bundle
  Duration timeout = std::chrono::seconds(60);
};

struct Letter {
  std::string from;
  std::vector<std::string> to;
  std::string text;  // headers and body, CRLF at the ends of lines
};

struct MailOutcome {
  bool accepted = false;
  bool refused = false;  // for good: the server will never take it
  std::string error = {};
};

// `cancelled` (may become true on any thread) ends it within a second.
MailOutcome send_mail(const MailServer& server, const Letter& letter,
                      const std::atomic<bool>& cancelled);

// "smtp://host[:port]" or "smtps://…": nothing else will do.
inline bool is_mail_server(std::string_view url) {
  const bool tls = url.starts_with("smtps://");
  if (!tls && !url.starts_with("smtp://")) return false;
  url.remove_prefix(tls ? 8 : 7);
  return !url.empty() && url.find_first_of("/@?# ") == std::string_view::npos;
}

}  // namespace pollux::fetch
