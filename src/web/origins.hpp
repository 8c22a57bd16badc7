// By which names the server may be asked, and from where. A page elsewhere can lead a browser to
// our address under a name of its own (DNS rebinding), and its requests say so. Pure.
#pragma once

#include "pollux/web/options.hpp"

#include <string_view>

namespace pollux::web {

class Origins {
 public:
  explicit Origins(const Options& options) : options_(options) {}
  // A Host header: of this server?
  bool is_our_host(std::string_view host) const;
  // An Origin header, in a request with this Host header.
  bool is_our_origin(std::string_view origin, std::string_view host) const;

 private:
  const Options& options_;
};

}  // namespace pollux::web
