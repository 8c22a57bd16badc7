#include "fetch/curl_set_up.hpp"

#include "fetch/curl_memory.hpp"

#include <csignal>

#include <curl/curl.h>

namespace pollux::fetch {

bool set_up_curl() {
  static const bool ready = [] {
    // NOSIGNAL leaves SIGPIPE to the program, and TLS writes with write(2).
    std::signal(SIGPIPE, SIG_IGN);
    return init_curl();
  }();
  return ready;
}

std::string system_ca_file() {
  const curl_version_info_data* info = curl_version_info(CURLVERSION_NOW);
  if (info->cainfo != nullptr) return info->cainfo;
  return "/etc/ssl/certs/ca-certificates.crt";
}

}  // namespace pollux::fetch
