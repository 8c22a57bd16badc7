// One request for a page by hand, as the daemon would make it: the same fetcher, the same gate for
// addresses, redirects followed hop by hop. What robots.txt says binds the daemon; a person may
// look.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/config/config.hpp"

#include <memory>
#include <optional>
#include <string>

namespace pollux::cli {

struct Look {
  std::string body, content_type, final_url;
  int status = 0;
  int redirects = 0;
  Duration elapsed{};
};

// How to ask.
struct LookOptions {
  fetch::Options fetch;
  config::PageSettings page;
  std::shared_ptr<const config::HeaderLines> headers;  // sent to the page's own origin; or null
  bool allow_downgrade = false;
  std::optional<render::Options> render;  // its scripts run first
};

// Looks several times, on one connection if the server keeps it. Threading: one.
class Looker {
 public:
  static Result<std::unique_ptr<Looker>> create(const LookOptions& options);
  virtual ~Looker() = default;
  // A whole answer with a body that could be kept, or an error: bad_data when the server answered
  // something else, io when it did not answer.
  virtual Result<Look> look(const std::string& url) = 0;
};

}  // namespace pollux::cli
