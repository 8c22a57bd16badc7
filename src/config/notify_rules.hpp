// `notify:`: who is told what. Into LoadContext::notify.
#pragma once

#include "config/keys.hpp"
#include "pollux/notify/options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pollux::config {

// The rule being read: a target is one of several, and `headers`, `body` and `allow` may stand
// before it.
struct NotifyRule {
  notify::Rule rule = {};
  bool has_limit = false;
  int targets = 0;
  notify::Target target = {};
  std::vector<std::string> headers = {}, allow = {};
  notify::Body body = notify::Body::json;
  bool has_body = false;
  std::string own = {};
  notify::Mail mail = {};
  notify::Quiet quiet = {};
  bool has_quiet_from = false, has_quiet_to = false;
  bool open_webhook = false;  // its URL stands in the file
};

Status read_notify(LoadContext& r, const Key& key, const Node& value);
Status read_notify_name(LoadContext& r, const Key& key, const Node& value);
Status read_notify_tags(LoadContext& r, const Key& key, const Node& value);
Status read_notify_match(LoadContext& r, const Key& key, const Node& value);
Status read_notify_events(LoadContext& r, const Key& key, const Node& value);
Status read_notify_importance(LoadContext& r, const Key& key, const Node& value);
Status read_notify_webhook(LoadContext& r, const Key& key, const Node& value);
Status read_notify_headers(LoadContext& r, const Key& key, const Node& value);
Status read_notify_body(LoadContext& r, const Key& key, const Node& value);
Status read_notify_allow(LoadContext& r, const Key& key, const Node& value);
Status read_notify_mail(LoadContext& r, const Key& key, const Node& value);
Status read_notify_mail_to(LoadContext& r, const Key& key, const Node& value);
Status read_notify_mail_from(LoadContext& r, const Key& key, const Node& value);
Status read_notify_mail_server(LoadContext& r, const Key& key, const Node& value);
Status read_notify_mail_login(LoadContext& r, const Key& key, const Node& value);
Status read_notify_program(LoadContext& r, const Key& key, const Node& value);
Status read_notify_file(LoadContext& r, const Key& key, const Node& value);
Status read_notify_atom(LoadContext& r, const Key& key, const Node& value);
Status read_notify_digest(LoadContext& r, const Key& key, const Node& value);
Status read_notify_quiet(LoadContext& r, const Key& key, const Node& value);
Status read_notify_quiet_from(LoadContext& r, const Key& key, const Node& value);
Status read_notify_quiet_to(LoadContext& r, const Key& key, const Node& value);
Status read_notify_quiet_zone(LoadContext& r, const Key& key, const Node& value);
Status read_notify_limit(LoadContext& r, const Key& key, const Node& value);
Status read_notify_failing_after(LoadContext& r, const Key& key, const Node& value);

}  // namespace pollux::config
