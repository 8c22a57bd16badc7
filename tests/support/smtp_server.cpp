#include "support/smtp_server.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <openssl/evp.h>
#include <sys/socket.h>

namespace pollux::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

std::string from_base64(const std::string& text) {
  std::string out(text.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
  out.resize(size < 0 ? 0 : static_cast<std::size_t>(size) - padding);
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string in_angles(const std::string& line) {
  const auto open = line.find('<'), close = line.find('>');
  return open == std::string::npos || close == std::string::npos
             ? ""
             : line.substr(open + 1, close - open - 1);
}

// Lines over a socket that may become TLS.
class Line {
 public:
  Line(tcp::socket& socket, asio::ssl::context& context) : socket_(socket), context_(context) {}

  bool start_tls() {
    tls_.emplace(socket_, context_);
    error_code error;
    tls_->handshake(asio::ssl::stream_base::server, error);
    return !error;
  }
  bool is_tls() const { return tls_.has_value(); }
  bool say(const std::string& text) {
    error_code error;
    const std::string line = text + "\r\n";
    if (tls_) {
      asio::write(*tls_, asio::buffer(line), error);
    } else {
      asio::write(socket_, asio::buffer(line), error);
    }
    return !error;
  }
  // Without its end; nothing when the client has gone.
  std::optional<std::string> hear() {
    while (true) {
      if (const auto end = input_.find("\r\n"); end != std::string::npos) {
        std::string line = input_.substr(0, end);
        input_.erase(0, end + 2);
        return line;
      }
      char bytes[4096];
      error_code error;
      const std::size_t size = tls_ ? tls_->read_some(asio::buffer(bytes), error)
                                    : socket_.read_some(asio::buffer(bytes), error);
      if (error) return std::nullopt;
      input_.append(bytes, size);
    }
  }

 private:
  tcp::socket& socket_;
  asio::ssl::context& context_;
  std::optional<asio::ssl::stream<tcp::socket&>> tls_;
  std::string input_;
};

}  // namespace

struct SmtpServer::State {
  Options options;
  Certificate certificate = make_certificate();
  asio::ssl::context tls{asio::ssl::context::tls_server};
  asio::io_context io{1};
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  std::atomic<bool> stopping{false};
  std::atomic<int> letters{0};
  mutable std::mutex mutex;
  std::vector<MailReceived> mails;
  std::vector<std::string> clear;
  std::thread thread;

  void serve_all();
  void serve(Line& line);
  bool answer(Line& line, const std::string& command, MailReceived& mail);
  bool greet(Line& line);
  bool log_in(Line& line, const std::string& command, MailReceived& mail);
  bool take_data(Line& line, MailReceived& mail);
};

void SmtpServer::State::serve_all() {
  while (!stopping) {
    tcp::socket socket(io);
    error_code error;
    acceptor.accept(socket, error);
    if (error || stopping) continue;
    timeval patience{20, 0};
    ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    Line line(socket, tls);
    if (options.tls == Tls::from_the_start && !line.start_tls()) continue;
    serve(line);
  }
}

void SmtpServer::State::serve(Line& line) {
  MailReceived mail;
  if (!line.say("220 mail.example ESMTP")) return;
  while (const std::optional<std::string> command = line.hear()) {
    if (!line.is_tls()) {
      const std::lock_guard lock(mutex);
      clear.push_back(*command);
    }
    if (!answer(line, *command, mail)) return;
  }
}

bool SmtpServer::State::greet(Line& line) {
  if (!line.say("250-mail.example")) return false;
  if (options.tls == Tls::starttls && !line.is_tls() && !line.say("250-STARTTLS")) return false;
  if (!options.login.empty() && !line.say("250-AUTH PLAIN LOGIN")) return false;
  return line.say("250 8BITMIME");
}

bool SmtpServer::State::log_in(Line& line, const std::string& command, MailReceived& mail) {
  std::string login;
  if (upper(command).starts_with("AUTH PLAIN")) {
    std::string text = command.size() > 11 ? command.substr(11) : "";
    if (text.empty()) {
      if (!line.say("334 ")) return false;
      text = line.hear().value_or("");
    }
    const std::string plain = from_base64(text);  // "\0user\0password"
    const auto user = plain.find('\0') + 1;
    login = plain.substr(user);
    std::replace(login.begin(), login.end(), '\0', ':');
  } else {
    if (!line.say("334 VXNlcm5hbWU6")) return false;
    login = from_base64(line.hear().value_or(""));
    if (!line.say("334 UGFzc3dvcmQ6")) return false;
    login += ":" + from_base64(line.hear().value_or(""));
  }
  if (login != options.login) return line.say("535 no such login");
  mail.login = login;
  return line.say("235 welcome");
}

bool SmtpServer::State::take_data(Line& line, MailReceived& mail) {
  if (!line.say("354 go on")) return false;
  mail.text.clear();
  while (true) {
    const std::optional<std::string> text = line.hear();
    if (!text) return false;
    if (*text == ".") break;
    mail.text += (text->starts_with(".") ? text->substr(1) : *text) + "\r\n";
  }
  const int letter = ++letters;
  if (options.refuse_data_with != 0)
    return line.say(std::to_string(options.refuse_data_with) + " not wanted");
  {
    const std::lock_guard lock(mutex);
    mail.tls = line.is_tls();
    mails.push_back(mail);
  }
  if (options.close_after_data && letter == 1) return false;
  return line.say("250 taken");
}

bool SmtpServer::State::answer(Line& line, const std::string& command, MailReceived& mail) {
  const std::string word = upper(command.substr(0, command.find(' ')));
  if (word == "EHLO" || word == "HELO") return greet(line);
  if (word == "STARTTLS") return line.say("220 begin") && line.start_tls();
  if (word == "AUTH") return log_in(line, command, mail);
  if (word == "MAIL") {
    if (!options.login.empty() && mail.login.empty()) return line.say("530 log in first");
    mail.from = in_angles(command);
    mail.to.clear();
    return line.say("250 ok");
  }
  if (word == "RCPT") {
    mail.to.push_back(in_angles(command));
    return line.say("250 ok");
  }
  if (word == "DATA") return take_data(line, mail);
  if (word == "QUIT") {
    line.say("221 bye");
    return false;
  }
  return line.say(word == "RSET" || word == "NOOP" ? "250 ok" : "502 what?");
}

SmtpServer::SmtpServer(Options options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->tls.use_certificate(asio::buffer(state_->certificate.pem), asio::ssl::context::pem);
  state_->tls.use_private_key(asio::buffer(state_->certificate.key_pem), asio::ssl::context::pem);
  state_->thread = std::thread([this] { state_->serve_all(); });
}

SmtpServer::~SmtpServer() {
  state_->stopping = true;
  // Whoever waits for a client gets one.
  asio::io_context io;
  tcp::socket last(io);
  error_code ignored;
  last.connect({asio::ip::address_v4::loopback(), port()}, ignored);
  state_->thread.join();
}

std::uint16_t SmtpServer::port() const {
  return state_->acceptor.local_endpoint().port();
}

std::string SmtpServer::ca_pem() const {
  return state_->certificate.pem;
}

std::vector<MailReceived> SmtpServer::mails() const {
  const std::lock_guard lock(state_->mutex);
  return state_->mails;
}

std::vector<std::string> SmtpServer::seen_in_the_clear() const {
  const std::lock_guard lock(state_->mutex);
  return state_->clear;
}

}  // namespace pollux::test
