// A mail server on loopback (RFC 5321): TLS from the start or by STARTTLS, AUTH PLAIN and LOGIN; it
// keeps what it was sent. One client at a time, on a thread of its own.
#pragma once

#include "support/certificate.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pollux::test {

struct MailReceived {
  std::string from;
  std::vector<std::string> to;
  std::string text;   // dots undone
  bool tls = false;   // when it came
  std::string login;  // "user:password", empty: nobody logged in
};

class SmtpServer {
 public:
  enum class Tls { none, starttls, from_the_start };
  struct Options {
    Tls tls = Tls::starttls;
    std::string login = {};         // required; empty: none
    int refuse_data_with = 0;       // 554, say; 0: mail is taken
    bool close_after_data = false;  // without an answer, the first time
  };
  explicit SmtpServer(Options options);
  ~SmtpServer();
  SmtpServer(const SmtpServer&) = delete;
  SmtpServer& operator=(const SmtpServer&) = delete;

  std::uint16_t port() const;
  std::string ca_pem() const;  // what a client must trust
  std::vector<MailReceived> mails() const;
  // Commands in the clear, before TLS: no login may be among them.
  std::vector<std::string> seen_in_the_clear() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::test
