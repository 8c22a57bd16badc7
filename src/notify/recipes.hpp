// Bodies of well-known receivers, each as its documentation has it. What a page says is escaped as
// the receiver wants it; mentions are switched off where there are any.
#pragma once

#include "pollux/notify/message.hpp"

#include <string_view>

#include <boost/json/object.hpp>

namespace pollux::notify {

boost::json::object slack_body(const Message& message);
boost::json::object discord_body(const Message& message);
boost::json::object matrix_body(const Message& message);
boost::json::object ntfy_body(const Message& message, std::string_view topic);
boost::json::object gotify_body(const Message& message);
boost::json::object telegram_body(const Message& message, std::string_view chat);
boost::json::object teams_body(const Message& message);

}  // namespace pollux::notify
