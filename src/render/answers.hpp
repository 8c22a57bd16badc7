// What a browser says of a page's document, as the rest of Pollux knows it. Pure.
#pragma once

#include "pollux/fetch/answer_head.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pollux::render {

// Of a paused request at its answer: status and fields; cookies are the browser's.
fetch::AnswerHead head_of(const boost::json::object& paused);
// "net::ERR_CERT_DATE_INVALID" and the like.
fetch::Failure failure_of(std::string_view net_error);
// Is there a document in it that scripts could change?
bool is_document(std::string_view content_type);
// "https://example.org:443" → the key that the proxy uses; empty for what is no URL of ours.
std::string host_port_of(std::string_view url);

// One line of Netscape's cookie file each, as in fetch::Request.
boost::json::array cookies_for_browser(const fetch::CookieLines& jar);
fetch::CookieLines cookies_from_browser(const boost::json::array& cookies);

}  // namespace pollux::render
