// A message in the form of its channel. What pages say stays what it is: nothing of it becomes
// markup, a mention, a header or a placeholder. Pure.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/notify/message.hpp"
#include "pollux/notify/options.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::notify {

// The body as config/notification.schema.json describes it.
boost::json::object json_of(const Message& message);

// What a webhook is sent.
struct HttpMessage {
  std::string method = "POST";
  std::string url;
  std::vector<std::string> headers;  // "Name: value": its type, its key, those of the rule
  std::string body;
};
HttpMessage http_message(const Webhook& webhook, const Message& message);

// A template of the user's: ${title}, ${url} … stand for what the message says; inside of JSON they
// are escaped as in a string, where `content_type` says form, HTML or XML, as these want it. An
// error names a placeholder that there is none of.
Status check_template(std::string_view text);
std::string fill_in(std::string_view text, const Message& message,
                    std::string_view content_type = {});

// A mail as it goes over the wire, CRLF at the ends of lines. `page_key` is the thread's.
struct MailMessage {
  std::string from;
  std::vector<std::string> to;
  std::string text;
};
MailMessage mail_of(const Mail& mail, const Message& message);

// An entry of an Atom feed for each event, and a feed around entries; `updated` of the newest.
std::string atom_entries(const Message& message);
std::string atom_feed(std::string_view rule, WallTime updated, std::string_view entries);

// For plain texts: title, lines of each event, diffs as far as they fit.
struct TextBounds {
  std::size_t bytes = 3500;
  std::size_t items = 20;
  std::size_t diff_lines = 20;
};
std::string text_of(const Message& message, const TextBounds& bounds = {});

std::string html_escaped(std::string_view text);
// The diff with what is gone and what is new in colour, by words where lines took each other's
// place.
std::string html_diff(std::string_view excerpt);

}  // namespace pollux::notify
