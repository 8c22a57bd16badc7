// A URL from a list or a redirect.
#include "pollux/base/url.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  const std::string_view text = fuzz::text(data, size);
  const Result<Url> url = parse_url(text);
  if (!url.ok()) {
    fuzz::check(fuzz::is_inert(url.error().message), "a message is one harmless line");
    return 0;
  }
  fuzz::check(url->text.starts_with(url->https ? "https://" : "http://"), "http or https");
  const std::string_view authority =
      std::string_view(url->text).substr(0, url->text.find('/', url->https ? 8 : 7));
  fuzz::check(authority.find_first_of("@\\ ") == authority.npos, "no credentials");
  fuzz::check(fuzz::is_inert(url->text), "nothing that ends a line");
  const Result<Url> again = parse_url(url->text);
  fuzz::check(again.ok() && again->text == url->text && again->host_port == url->host_port,
              "normal form is stable");
  return 0;
}
