// A page whose content exists only after its scripts have run: what the server sends of "/shop" is
// the same for ever, and what people see comes from "/api".
#pragma once

#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <atomic>
#include <string>

namespace pollux::test {

inline const std::string as_html = "Content-Type: text/html\r\n";

// What is seen after its script has run is not in what is sent.
inline Script scripted_page(const std::string& text) {
  const std::size_t middle = text.size() / 2;
  return serve::page("<!DOCTYPE html><p id=p></p><script>p.textContent = '" +
                         text.substr(0, middle) + "' + '" + text.substr(middle) + "'</script>",
                     as_html);
}

// Stays as long as its origin answers. Any thread.
struct ScriptedShop {
  explicit ScriptedShop(Origin& origin) {
    origin.on("/shop",
              serve::page("<!DOCTYPE html><title>A shop</title><main id=m></main><script>"
                          "fetch('/api').then(r => r.json()).then(j => { for (const line of "
                          "j.lines) { const p = document.createElement('p'); p.textContent = line; "
                          "m.append(p) } })</script>",
                          as_html + "ETag: \"same\"\r\n"));
    origin.on("/api", [this](Exchange& x) -> Step {
      const std::string answer =
          "{\"lines\":[\"A lamp\",\"now " + std::to_string(price) + " EUR\"]}";
      co_await x.respond(200, "Content-Type: application/json\r\n", answer);
    });
  }
  std::atomic<int> price{120};
};

}  // namespace pollux::test
