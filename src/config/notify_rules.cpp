#include "config/notify_rules.hpp"

#include "config/message.hpp"
#include "config/request_headers.hpp"
#include "config/section_readers.hpp"
#include "config/value_readers.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"
#include "pollux/fetch/mail.hpp"
#include "pollux/notify/quiet_hours.hpp"
#include "pollux/notify/render.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

using namespace std::chrono_literals;
using notify::Body;

constexpr std::size_t longest_rule_name = 40;
constexpr Duration longest_digest = std::chrono::hours(24) * 7;
// People read these: a flood is of no use to them.
constexpr notify::Limit for_people{.messages = 60, .within = std::chrono::hours(1)};

bool is_rule_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_rule_name &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

// A list of texts, or one of them.
Status read_texts(LoadContext& r, const Key& key, const Node& value, std::vector<std::string>& out,
                  std::string_view example) {
  if (value.kind() == Kind::null) return success();
  if (value.kind() == Kind::scalar) {
    out.emplace_back(value.text());
    return success();
  }
  if (value.kind() != Kind::list)
    return r.error(
        value, fmt::format("'{}' is {}; write {}", name_of(key), kind_name(value.kind()), example));
  for (const Node entry : value) {
    if (entry.kind() != Kind::scalar)
      return r.error(entry, fmt::format("{}: an entry is {}; write {}", name_of(key),
                                        kind_name(entry.kind()), example));
    out.emplace_back(entry.text());
  }
  return success();
}

bool is_mail_address(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.find('@', at + 1) == std::string_view::npos && text.size() <= 254 &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return c > 0x20 && c < 0x7F &&
                  std::string_view("<>(),;:\\\"[]").find(c) == std::string_view::npos;
         });
}

Status check_address(const LoadContext& r, const Key& key, const Node& where,
                     const std::string& address) {
  if (is_mail_address(address)) return success();
  return r.error(where, fmt::format("{}: '{}' is no mail address; write one as a@example.org",
                                    name_of(key), printable(address, 60)));
}

// "22:00" in minutes.
Status read_clock(const LoadContext& r, const Key& key, const Node& value, int& out) {
  const std::string_view text = value.kind() == Kind::scalar ? value.text() : std::string_view();
  int hour = -1, minute = -1;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && colon >= 1 && colon <= 2 && text.size() == colon + 3) {
    std::from_chars(text.data(), text.data() + colon, hour);
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), minute);
  }
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59)
    return r.error(value, fmt::format("{}: '{}' is no time of day; write \"22:00\"", name_of(key),
                                      printable(text, 40)));
  out = hour * 60 + minute;
  return success();
}

Status one_target(LoadContext& r, const Node& value, notify::Target target) {
  if (++r.notify->targets > 1)
    return r.error(value, "to: more than one target; write one, and another rule for each other");
  r.notify->target = std::move(target);
  return success();
}

// Receivers that want more in their address than a host.
Status check_webhook(const LoadContext& r, const Node& where, const notify::Webhook& to) {
  const std::size_t path = to.url.find('/', to.url.find("://") + 3);
  const std::string_view rest = std::string_view(to.url).substr(path);
  if (to.body == Body::telegram && rest.find("chat_id=") == std::string_view::npos)
    return r.error(where,
                   "to: a telegram webhook needs the chat in its address: "
                   "https://api.telegram.org/botTOKEN/sendMessage?chat_id=…");
  if (to.body == Body::ntfy && (rest.size() < 2 || rest.substr(0, rest.find('?')).ends_with('/')))
    return r.error(where,
                   "to: an ntfy webhook needs the topic in its address: "
                   "https://ntfy.example/TOPIC");
  if (to.body == Body::matrix && rest.find("/send/m.room.message") == std::string_view::npos)
    return r.error(where,
                   "to: a matrix webhook needs the room in its address: "
                   "https://matrix.example/_matrix/client/v3/rooms/ROOM/send/m.room.message");
  return success();
}

void warn_of_open_webhook(LoadContext& r, const Node& where, const notify::Webhook& to) {
  const bool secret = to.body == Body::slack || to.body == Body::discord ||
                      to.body == Body::telegram || to.body == Body::teams;
  if (!r.notify->open_webhook || !secret) return;
  r.warnings.push_back({at(r.file, where.line(),
                           "to.webhook: whoever knows this address can write to it, and whoever "
                           "reads this file reads it; write webhook: { file: PATH }")});
}

Status finish_target(LoadContext& r, const Node& where) {
  NotifyRule& read = *r.notify;
  if (read.targets == 0)
    return r.error(where, fmt::format("rule '{}': there is no target; write to: {{ webhook: … }}, "
                                      "mail, program, file or atom",
                                      read.rule.name));
  if (auto* webhook = std::get_if<notify::Webhook>(&read.target)) {
    webhook->headers = read.headers;
    webhook->allow = read.allow;
    webhook->body = read.body;
    webhook->own = read.own;
    if (Status fits = check_webhook(r, where, *webhook); !fits) return fits;
    warn_of_open_webhook(r, where, *webhook);
  } else {
    if (!read.headers.empty() || read.has_body)
      return r.error(where, "to: headers and body belong to a webhook");
    auto* mail = std::get_if<notify::Mail>(&read.target);
    if (mail != nullptr) mail->allow = read.allow;
    if (mail == nullptr && !read.allow.empty())
      return r.error(where, "to: allow belongs to a webhook or a mail server");
  }
  read.rule.to = std::move(read.target);
  return success();
}

bool is_for_people(const notify::Target& to) {
  if (const auto* webhook = std::get_if<notify::Webhook>(&to)) return webhook->body != Body::json;
  return std::holds_alternative<notify::Mail>(to);
}

Status finish_rule(LoadContext& r, const Node& where) {
  NotifyRule& read = *r.notify;
  if (read.rule.name.empty())
    return r.error(where, "a rule of notify without a name; add 'name: …'");
  if (Status done = finish_target(r, where); !done) return done;
  if (!read.has_limit && is_for_people(read.rule.to)) read.rule.limit = for_people;
  for (const notify::Rule& other : r.config.notify) {
    if (other.name == read.rule.name)
      return r.error(where, fmt::format("notify: there are two rules called '{}'; rename one",
                                        read.rule.name));
  }
  r.config.notify.push_back(std::move(read.rule));
  return success();
}

}  // namespace

Status read_notify(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::null) return success();
  if (value.kind() != Kind::list)
    return r.error(value, fmt::format("'{}' is {}; write a list of {{ name: …, to: … }}",
                                      name_of(key), kind_name(value.kind())));
  for (const Node entry : value) {
    if (entry.kind() != Kind::mapping) {
      r.note(r.error(entry, fmt::format("a rule of notify is {}; write {{ name: …, to: … }}",
                                        kind_name(entry.kind()))));
      continue;
    }
    if (r.config.notify.size() == notify::most_rules)
      return r.error(entry,
                     fmt::format("more than {} rules of notify; drop some", notify::most_rules));
    NotifyRule read;
    r.notify = &read;
    if (read_keys(r, "notify[]", entry)) r.note(finish_rule(r, entry));
    r.notify = nullptr;
  }
  return success();
}

Status read_notify_name(LoadContext& r, const Key& key, const Node& value) {
  std::string& name = r.notify->rule.name;
  if (Status status = read_line(r, key, value, name); !status) return status;
  if (is_rule_name(name)) return success();
  return r.error(value, fmt::format("name: '{}' does not do; write 1 to {} letters, digits, '-', "
                                    "'_' or '.'",
                                    printable(name, 60), longest_rule_name));
}

Status read_notify_tags(LoadContext& r, const Key& key, const Node& value) {
  return read_texts(r, key, value, r.notify->rule.when.tags, "[releases, prices]");
}

Status read_notify_match(LoadContext& r, const Key& key, const Node& value) {
  return read_line(r, key, value, r.notify->rule.when.match);
}

Status read_notify_events(LoadContext& r, const Key& key, const Node& value) {
  std::vector<std::string> words;
  if (Status status = read_texts(r, key, value, words, "[change, failing]"); !status) return status;
  notify::Events events;
  for (const std::string& word : words) {
    const auto found = std::ranges::find(notify::event_names, word);
    if (found == notify::event_names.end())
      return r.error(value, fmt::format("{}: there is no event '{}'; there are {}", name_of(key),
                                        printable(word, 40), joined(notify::event_names)));
    events.add(static_cast<notify::Event>(found - notify::event_names.begin()));
  }
  r.notify->rule.when.events = events;
  return success();
}

Status read_notify_importance(LoadContext& r, const Key& key, const Node& value) {
  return read_number(r, key, value, r.notify->rule.when.min_importance, 0, 1000);
}

Status read_notify_webhook(LoadContext& r, const Key& key, const Node& value) {
  const Result<std::string> text = read_text_or_secret(r, key, value);
  if (!text) return text.error();
  r.notify->open_webhook = value.kind() == Kind::scalar;
  const Result<Url> url = parse_url(*text);
  // The address is not repeated: it may be a secret.
  if (!url)
    return r.error(value, fmt::format("{}: this is no address of a webhook; write https://… or {{ "
                                      "file: PATH }} of a file that holds it",
                                      name_of(key)));
  return one_target(r, value, notify::Webhook{.url = url->text});
}

Status read_notify_headers(LoadContext& r, const Key& key, const Node& value) {
  r.headers.clear();
  Status status = read_headers(r, key, value);
  r.notify->headers = std::exchange(r.headers, {});
  return status;
}

Status read_notify_body(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() != Kind::scalar)
    return r.error(value,
                   fmt::format("'{}' is {}; write one of {}, or a template with ${{title}}",
                               name_of(key), kind_name(value.kind()), joined(notify::body_names)));
  r.notify->has_body = true;
  if (value.text().find("${") != std::string_view::npos) {
    if (const Status fits = notify::check_template(value.text()); !fits)
      return r.error(value, fmt::format("{}: {}", name_of(key), fits.error().message));
    r.notify->body = Body::own;
    r.notify->own = value.text();
    return success();
  }
  std::string word;
  if (Status status = read_choice(r, key, value, word, notify::body_names); !status)
    return Error{status.error().message + "; or a template with ${title} and the like",
                 status.error().exit_code};
  r.notify->body =
      static_cast<Body>(std::ranges::find(notify::body_names, word) - notify::body_names.begin());
  return success();
}

Status read_notify_allow(LoadContext& r, const Key& key, const Node& value) {
  return read_networks(r, key, value, r.notify->allow);
}

Status read_notify_mail(LoadContext& r, const Key& key, const Node& value) {
  r.notify->mail = {};
  if (value.kind() != Kind::mapping)
    return r.error(value, fmt::format("'{}' is {}; write {{ to: […], from: …, server: … }}",
                                      name_of(key), kind_name(value.kind())));
  if (!read_keys(r, key.path, value)) return success();
  const notify::Mail& mail = r.notify->mail;
  if (mail.to.empty() || mail.from.empty() || mail.server.empty())
    return r.error(value, "to.mail: 'to', 'from' and 'server' must all be there");
  return one_target(r, value, mail);
}

Status read_notify_mail_to(LoadContext& r, const Key& key, const Node& value) {
  std::vector<std::string>& to = r.notify->mail.to;
  if (Status status = read_texts(r, key, value, to, "[a@example.org]"); !status) return status;
  for (const std::string& address : to) {
    if (Status fits = check_address(r, key, value, address); !fits) return fits;
  }
  return success();
}

Status read_notify_mail_from(LoadContext& r, const Key& key, const Node& value) {
  std::string& from = r.notify->mail.from;
  if (Status status = read_line(r, key, value, from); !status) return status;
  return check_address(r, key, value, from);
}

Status read_notify_mail_server(LoadContext& r, const Key& key, const Node& value) {
  std::string& server = r.notify->mail.server;
  if (Status status = read_line(r, key, value, server); !status) return status;
  if (fetch::is_mail_server(server)) return success();
  return r.error(value,
                 fmt::format("{}: this is no mail server; write smtps://mail.example:465, or "
                             "smtp://mail.example:587 for STARTTLS",
                             name_of(key)));
}

Status read_notify_mail_login(LoadContext& r, const Key& key, const Node& value) {
  return read_login_file(r, key, value, r.notify->mail.login);
}

Status read_notify_program(LoadContext& r, const Key& key, const Node& value) {
  notify::ToProgram program;
  if (value.kind() != Kind::list)
    return r.error(value, fmt::format("'{}' is {}; write a program and its arguments as a list "
                                      "(there is no shell): [on-change, --quiet]",
                                      name_of(key), kind_name(value.kind())));
  if (Status status = read_texts(r, key, value, program.argv, "[on-change, --quiet]"); !status)
    return status;
  if (program.argv.empty() || program.argv.front().empty())
    return r.error(value, fmt::format("{}: name a program", name_of(key)));
  // As for `pipe`: a name is looked for where programs are, a path as all paths of this file.
  std::string& name = program.argv.front();
  if (name.find('/') != std::string::npos)
    name = std::filesystem::absolute(r.resolve(name)).string();
  return one_target(r, value, std::move(program));
}

Status read_notify_file(LoadContext& r, const Key& key, const Node& value) {
  notify::ToFile file;
  if (Status status = read_path(r, key, value, file.path); !status) return status;
  return one_target(r, value, std::move(file));
}

Status read_notify_atom(LoadContext& r, const Key& key, const Node& value) {
  notify::ToAtom feed;
  if (Status status = read_path(r, key, value, feed.path); !status) return status;
  return one_target(r, value, std::move(feed));
}

Status read_notify_digest(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.notify->rule.digest, 0s, longest_digest);
}

Status read_notify_quiet(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::null) return success();
  if (!read_keys(r, key.path, value)) return success();
  if (!r.notify->has_quiet_from || !r.notify->has_quiet_to)
    return r.error(value, "quiet: write { from: \"22:00\", to: \"07:00\", zone: Europe/Berlin }");
  if (r.notify->quiet.from == r.notify->quiet.to)
    return r.error(value, "quiet: 'from' and 'to' are the same, so it is never quiet; change one");
  r.notify->rule.quiet = r.notify->quiet;
  return success();
}

Status read_notify_quiet_from(LoadContext& r, const Key& key, const Node& value) {
  r.notify->has_quiet_from = true;
  return read_clock(r, key, value, r.notify->quiet.from);
}

Status read_notify_quiet_to(LoadContext& r, const Key& key, const Node& value) {
  r.notify->has_quiet_to = true;
  return read_clock(r, key, value, r.notify->quiet.to);
}

Status read_notify_quiet_zone(LoadContext& r, const Key& key, const Node& value) {
  std::string& zone = r.notify->quiet.zone;
  if (Status status = read_line(r, key, value, zone); !status) return status;
  if (notify::is_time_zone(zone)) return success();
  return r.error(value, fmt::format("{}: there is no time zone '{}'; write one as Europe/Berlin or "
                                    "UTC",
                                    name_of(key), printable(zone, 60)));
}

Status read_notify_limit(LoadContext& r, const Key& key, const Node& value) {
  r.notify->has_limit = true;
  const std::string_view text = value.kind() == Kind::scalar ? value.text() : std::string_view();
  if (text == "none") return success();
  const std::size_t slash = text.find('/');
  notify::Limit limit;
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + std::min(slash, text.size()), limit.messages);
  const std::string_view unit =
      slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
  if (unit == "min") limit.within = 1min;
  if (unit == "d") limit.within = 24h;
  const bool known = unit == "min" || unit == "h" || unit == "d";
  if (!known || problem != std::errc() || end != text.data() + slash || limit.messages < 1 ||
      limit.messages > 10'000)
    return r.error(value,
                   fmt::format("{}: '{}' is no limit; write messages per time as 20/h, 5/min "
                               "or 100/d, or none",
                               name_of(key), printable(text, 40)));
  r.notify->rule.limit = limit;
  return success();
}

Status read_notify_failing_after(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.notify->rule.failing_after, 0s, longest_digest);
}

}  // namespace pollux::config
