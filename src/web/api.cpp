#include "web/api.hpp"

#include "pollux/base/text.hpp"
#include "web/answers.hpp"
#include "web/letters.hpp"

namespace pollux::web {
namespace {

bool is_json(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return lower_case(type) == "application/json";
}

http::Response no_such_path(std::string_view path) {
  std::string known;
  for (const Route& route : routes()) {
    const std::string name = std::string(api_prefix) + std::string(route.path);
    if (route.scope == Scope::read) known += (known.empty() ? "" : ", ") + name;
  }
  return problem(404, "there is no " + printable(path, 200), "to be read: " + known);
}

http::Response wrong_method(const http::Request& request, const std::string& allowed) {
  http::Response response =
      problem(405, printable(request.method(), 20) + " is not possible here",
              allowed == "POST" ? "only a POST changes something" : "use " + allowed);
  response.headers.emplace_back("Allow", allowed);
  return response;
}

}  // namespace

void Api::handle(const http::Request& request, http::Responder responder) {
  // Browsers say where a request comes from, and none has business here.
  if (request.has_header("Origin")) {
    return responder.answer(problem(403, "requests of web pages are refused on this socket",
                                    "use the pollux command, or curl --unix-socket"));
  }
  call(request, std::move(responder));
}

void Api::call(const http::Request& request, http::Responder responder) {
  const std::string_view target = request.target();
  const std::size_t question = target.find('?');
  const std::string_view path = target.substr(0, question);
  Found found = find_route(request.method(), path);
  if (found.allowed.empty()) return responder.answer(no_such_path(path));
  if (found.route == nullptr) return responder.answer(wrong_method(request, found.allowed));
  const bool changes_something = found.route->scope == Scope::steer;
  if (changes_something && !is_json(request.header("Content-Type"))) {
    return responder.answer(problem(415, "what changes something is asked for in JSON",
                                    "send Content-Type: application/json"));
  }
  Result<Query> query = Query::parse(
      question == std::string_view::npos ? std::string_view() : target.substr(question + 1));
  if (query && changes_something) {
    if (const Status none = query->end(); !none) query = none.error();
  }
  if (!query) return responder.answer(problem(query.error()));
  Result<boost::json::object> body = boost::json::object();
  if (changes_something) body = parse_body(request.body());
  if (!body) return responder.answer(problem(body.error()));
  found.route->answer({service_, std::move(found.ids), std::move(*query), std::move(*body),
                       std::string(request.header("Last-Event-ID")), std::move(responder)});
}

http::Response Api::refusal(unsigned status) {
  return refusal_of(status);
}

}  // namespace pollux::web
