// What a browser, perhaps one that a page has taken over, says on its pipe.
#include "fuzz/fuzz.hpp"
#include "render/answers.hpp"
#include "render/messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  using fuzz::check;
  const std::string_view text = fuzz::text(data, size);
  render::MessageSplitter splitter(4096);
  const std::size_t half = text.size() / 2;
  if (!splitter.add(text.substr(0, half)) || !splitter.add(text.substr(half))) return 0;
  while (const auto part = splitter.next()) {
    check(part->find('\0') == std::string::npos, "one text");
    const auto message = render::parse_message(*part);
    if (!message) continue;
    check(message->id || !message->method.empty(), "an answer or an event");
    const fetch::AnswerHead head = render::head_of(message->values);
    fetch::Response response;
    fetch::Request request;
    request.url = "http://a.test/";
    fetch::read_head(head, request, 65536, response);
    if (const auto* cookies = message->values.if_contains("cookies");
        cookies && cookies->is_array()) {
      const fetch::CookieLines jar = render::cookies_from_browser(cookies->get_array());
      check(jar.size() <= 64, "a bounded jar");
      for (const std::string& line : jar)
        check(line.find('\n') == std::string::npos, "one line each");
      render::cookies_for_browser(jar);
    }
  }
  return 0;
}
