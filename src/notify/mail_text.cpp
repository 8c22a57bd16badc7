// A mail: plain text and HTML, headers that nothing of a page can break out of.
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/notify/excerpt.hpp"
#include "pollux/notify/render.hpp"

#include <array>
#include <cstdint>

#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>

namespace pollux::notify {
namespace {

constexpr std::size_t longest_subject = 180;
constexpr std::size_t bytes_a_word = 42;  // of an encoded word: 75 characters with its frame
constexpr std::size_t bytes_a_line = 57;  // of base64: 76 characters

std::string base64_of(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? letters[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::string base64_lines(std::string_view bytes) {
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes_a_line, bytes.size())))
    out += base64_of(bytes.substr(0, bytes_a_line)) + "\r\n";
  return out;
}

// RFC 2047. Always encoded where it is not plain ASCII, or looks as if it were encoded already.
std::string header_text(std::string_view text) {
  text = beginning_of(text, longest_subject);
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; }) &&
      text.find("=?") == std::string_view::npos && text.size() <= 70;
  if (plain) return std::string(text);
  std::string out;
  while (!text.empty()) {
    // Bytes that are no text have no beginning: those go as they are, so that this ends.
    std::size_t bytes = beginning_of(text, bytes_a_word).size();
    if (bytes == 0) bytes = std::min(text.size(), bytes_a_word);
    out +=
        (out.empty() ? "=?UTF-8?B?" : "\r\n =?UTF-8?B?") + base64_of(text.substr(0, bytes)) + "?=";
    text.remove_prefix(bytes);
  }
  return out;
}

// Letters, digits and dashes of it, for names inside of headers.
std::string word_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.';
    out += fits ? c : '-';
  }
  return out;
}

std::string domain_of(const std::string& address) {
  const std::size_t at = address.rfind('@');
  return at == std::string::npos ? "localhost" : word_of(address.substr(at + 1));
}

std::string date_text(WallTime at) {
  static constexpr std::array<const char*, 7> days = {"Sun", "Mon", "Tue", "Wed",
                                                      "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(at - day));
  return fmt::format("{}, {} {} {} {:02}:{:02}:{:02} +0000",
                     days[std::chrono::weekday(day).c_encoding()],
                     static_cast<unsigned>(date.day()),
                     months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

// FNV-1a: the same for a page in every mail, and of no meaning to anybody else.
std::string thread_of(std::string_view url) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : url) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("page-{:016x}", hash);
}

std::string html_of(const Message& message) {
  std::string html =
      "<!DOCTYPE html><html><head><meta charset=\"utf-8\"></head>"
      "<body style=\"font-family:sans-serif\">";
  html += "<h3>" + html_escaped(title_of(message)) + "</h3>";
  std::size_t told = 0;
  for (const Item& item : message.items) {
    if (told == 100) break;
    ++told;
    html += "<hr><p>" + html_escaped(headline_of(item) + " " + when_of(item));
    if (!item.summary.empty()) html += "<br><b>" + html_escaped(item.summary) + "</b>";
    // Only what is an address of the web becomes a link.
    for (const std::string* link : {&item.url, &item.link}) {
      if (link->empty()) continue;
      const bool web = link->starts_with("http://") || link->starts_with("https://");
      const std::string text = html_escaped(*link);
      html += web ? "<br><a href=\"" + text + "\">" + text + "</a>" : "<br>" + text;
    }
    if (!item.why.empty()) html += "<br>Polled then: " + html_escaped(item.why);
    html += "</p>";
    if (!item.diff.empty())
      html += "<pre style=\"white-space:pre-wrap\">" + html_diff(item.diff) + "</pre>";
  }
  if (const auto more = message.count - static_cast<std::int64_t>(told); more > 0)
    html += "<hr><p>and " + count_of(more, "more event") + "</p>";
  return html + "</body></html>";
}

std::string part(const std::string& boundary, std::string_view type, std::string_view text) {
  return fmt::format(
      "--{}\r\nContent-Type: {}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
      boundary, type, base64_lines(text));
}

}  // namespace

MailMessage mail_of(const Mail& mail, const Message& message) {
  const std::string domain = domain_of(mail.from), boundary = "=_pollux_" + word_of(message.key);
  std::string receivers;
  for (const std::string& to : mail.to) receivers += (receivers.empty() ? "" : ",\r\n ") + to;
  std::string text = fmt::format(
      "From: Pollux <{}>\r\nTo: {}\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <{}@{}>\r\n",
      mail.from, receivers, header_text("[Pollux] " + title_of(message)),
      date_text(message.sent_at), word_of(message.key), domain);
  if (message.items.size() == 1 && !message.items.front().url.empty()) {
    const std::string thread = thread_of(message.items.front().url);
    text += fmt::format("In-Reply-To: <{0}@{1}>\r\nReferences: <{0}@{1}>\r\n", thread, domain);
  }
  const std::string rule = word_of(message.rule);
  text += fmt::format(
      "List-Id: {} <{}.pollux.{}>\r\nAuto-Submitted: auto-generated\r\nIdempotency-Key: {}\r\n"
      "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"{}\"\r\n\r\n",
      rule, rule, domain, word_of(message.key), boundary);
  text += part(boundary, "text/plain",
               text_of(message, {.bytes = 60'000, .items = 100, .diff_lines = 60}));
  text += part(boundary, "text/html", html_of(message));
  text += "--" + boundary + "--\r\n";
  return {mail.from, mail.to, std::move(text)};
}

}  // namespace pollux::notify
