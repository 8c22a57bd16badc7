#include "pollux/fetch/mail.hpp"

#include "fetch/curl_set_up.hpp"
#include "pollux/base/text.hpp"
#include "pollux/fetch/address_gate.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include <curl/curl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pollux::fetch {
namespace {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// What curl's callbacks work on, for one letter.
struct Posting {
  const AddressGate& gate;
  const std::atomic<bool>& cancelled;
  std::string_view rest;
  bool address_refused = false;
  std::string reply = {};  // the server's last line, as far as anybody reads it
};

std::size_t read_letter(char* to, std::size_t size, std::size_t count, void* posting) {
  std::string_view& rest = static_cast<Posting*>(posting)->rest;
  const std::size_t bytes = std::min(size * count, rest.size());
  std::memcpy(to, rest.data(), bytes);
  rest.remove_prefix(bytes);
  return bytes;
}

std::size_t drop_answer(char*, std::size_t size, std::size_t count, void*) {
  return size * count;
}

std::size_t note_reply(char* line, std::size_t size, std::size_t count, void* posting) {
  constexpr std::size_t longest = 200;
  std::string_view text(line, size * count);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  static_cast<Posting*>(posting)->reply.assign(text.substr(0, longest));
  return size * count;
}

int check_cancelled(void* posting, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Posting*>(posting)->cancelled ? 1 : 0;
}

curl_socket_t open_mail_socket(void* posting, curlsocktype, curl_sockaddr* address) {
  auto& own = *static_cast<Posting*>(posting);
  if (!own.gate.permits(address->addr)) {
    own.address_refused = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::string angled(const std::string& address) {
  return "<" + address + ">";
}

void set_up(CURL* easy, const MailServer& server, Posting& posting, char* error_text) {
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(server.timeout).count();
  const std::string ca_file = server.ca_file.empty() ? system_ca_file() : server.ca_file;
  curl_easy_setopt(easy, CURLOPT_URL, server.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // the environment has no say
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(milliseconds));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(milliseconds / 2));
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text);
  curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // Nobody's password goes over the wire in the clear.
  curl_easy_setopt(easy, CURLOPT_USE_SSL,
                   static_cast<long>(server.login.empty() ? CURLUSESSL_TRY : CURLUSESSL_ALL));
  if (!server.login.empty()) curl_easy_setopt(easy, CURLOPT_USERPWD, server.login.c_str());
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &open_mail_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &posting);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &check_cancelled);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &posting);
  curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, &read_letter);
  curl_easy_setopt(easy, CURLOPT_READDATA, &posting);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &drop_answer);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &note_reply);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &posting);
}

// A login that is refused may be mended; a letter or an address that is refused may not.
bool is_refusal(CURLcode code, long answer) {
  return code != CURLE_LOGIN_DENIED && answer >= 550 && answer <= 554;
}

}  // namespace

MailOutcome send_mail(const MailServer& server, const Letter& letter,
                      const std::atomic<bool>& cancelled) {
  if (!set_up_curl()) return {.error = "libcurl cannot be initialised"};
  const Result<AddressGate> gate = AddressGate::create(server.allow);
  if (!gate) return {.error = gate.error().message};
  const std::unique_ptr<CURL, FreeEasy> easy(curl_easy_init());
  if (!easy) return {.error = "libcurl cannot be initialised"};
  Posting posting{*gate, cancelled, letter.text};
  char error_text[CURL_ERROR_SIZE] = {};
  set_up(easy.get(), server, posting, error_text);
  const std::string from = angled(letter.from);
  curl_easy_setopt(easy.get(), CURLOPT_MAIL_FROM, from.c_str());
  std::unique_ptr<curl_slist, FreeList> to;
  for (const std::string& address : letter.to)
    to.reset(curl_slist_append(to.release(), angled(address).c_str()));
  curl_easy_setopt(easy.get(), CURLOPT_MAIL_RCPT, to.get());
  const CURLcode code = curl_easy_perform(easy.get());
  if (code == CURLE_OK) return {.accepted = true};
  long answer = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &answer);
  std::string error = error_text[0] != '\0' ? error_text : curl_easy_strerror(code);
  if (answer >= 400) error = "the mail server refused it: " + posting.reply;
  if (cancelled) error = "cancelled";
  if (posting.address_refused)
    error = "the mail server's address is not public; `allow` of the rule can permit it";
  return {.refused = is_refusal(code, answer), .error = printable(error, 300)};
}

}  // namespace pollux::fetch
