// What a browser may send to its proxy, and a server through it.
#include "render/proxy_heads.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux::render;
  using pollux::fuzz::check;
  const std::string_view text = pollux::fuzz::text(data, size);
  const auto length = head_length(text);
  if (length) check(*length <= text.size(), "within the text");
  const std::string_view head = text.substr(0, length.value_or(text.size()));
  if (const auto request = parse_proxy_request(head)) {
    check(request->port != 0 && !request->host.empty(), "somewhere to go");
    check(request->tunnel == request->head.empty(), "a tunnel has no head");
    check(request->tunnel || head_length(request->head) == request->head.size(), "one head");
  }
  if (const auto answer = parse_answer(head)) {
    check(answer->status >= 100 && answer->status <= 999, "a status");
    check(head_length(answer->head) == answer->head.size(), "one head");
    check(parse_answer(answer->head).has_value(), "reads back");
  }
  return 0;
}
