#include "bus/nats_words.hpp"

#include <fstream>
#include <string_view>

namespace pollux::bus {
namespace {

constexpr int connect_ms = 2000, write_ms = 2000, ping_ms = 1000, pings = 2;

bool wants_tls(const Options& options, const NatsAddress& address) {
  return address.tls || !options.ca_file.empty() || !options.certificate_file.empty();
}

Error file_error(const std::string& what, const std::string& path, const std::string& why) {
  return {what + " " + path + ": " + why, ExitCode::configuration};
}

Status readable(const std::string& what, const std::string& path) {
  if (path.empty() || std::ifstream(path).good()) return success();
  return file_error(what, path, "it cannot be read");
}

Status set_tls(natsOptions* nats, const Options& options, const NatsAddress& address) {
  if ((options.certificate_file.empty()) != (options.key_file.empty())) {
    return Error{"a certificate and its key belong together: one of both is missing",
                 ExitCode::configuration};
  }
  if (auto good = readable("the authorities in", options.ca_file); !good) return good;
  if (auto good = readable("the certificate in", options.certificate_file); !good) return good;
  if (auto good = readable("the key in", options.key_file); !good) return good;
  natsStatus status = natsOptions_SetSecure(nats, true);
  // libnats compares no names by itself: any certificate of the authority would do for a server.
  if (status == NATS_OK) status = natsOptions_SetExpectedHostname(nats, address.host.c_str());
  if (status == NATS_OK && !options.ca_file.empty()) {
    status = natsOptions_LoadCATrustedCertificates(nats, options.ca_file.c_str());
    if (status != NATS_OK) {
      return file_error("the authorities in", options.ca_file, last_nats_error(status));
    }
  }
  if (status == NATS_OK && !options.certificate_file.empty()) {
    status = natsOptions_LoadCertificatesChain(nats, options.certificate_file.c_str(),
                                               options.key_file.c_str());
    if (status != NATS_OK) {
      return file_error("the certificate in", options.certificate_file,
                        "it cannot be used with the key in " + options.key_file + " (" +
                            last_nats_error(status) + ")");
    }
  }
  if (status != NATS_OK) return Error{"TLS cannot be set up: " + last_nats_error(status)};
  return success();
}

}  // namespace

std::string last_nats_error(natsStatus status) {
  natsStatus last = NATS_OK;
  const char* text = nats_GetLastError(&last);
  // It stays from an earlier call that failed.
  if (text != nullptr && *text != '\0' && last == status) return text;
  return natsStatus_GetText(status);
}

Result<NatsOptions> make_nats_options(const Options& options, const NatsAddress& address) {
  natsOptions* made = nullptr;
  if (natsOptions_Create(&made) != NATS_OK) return Error{"libnats cannot be used"};
  NatsOptions nats(made);
  const char* servers[] = {address.url.c_str()};
  natsStatus status = natsOptions_SetServers(made, servers, 1);
  if (status != NATS_OK) {
    return Error{"'" + address.url + "' is no address of a NATS server: " + last_nats_error(status),
                 ExitCode::configuration};
  }
  const auto set = [&status](natsStatus next) {
    if (status == NATS_OK) status = next;
  };
  set(natsOptions_SetAllowReconnect(made, false));  // see nats_link.hpp
  set(natsOptions_SetIgnoreDiscoveredServers(made, true));
  set(natsOptions_SetTimeout(made, connect_ms));
  set(natsOptions_SetWriteDeadline(made, write_ms));
  // A server that hangs is noticed after two and a half seconds.
  set(natsOptions_SetPingInterval(made, ping_ms));
  set(natsOptions_SetMaxPingsOut(made, pings));
  set(natsOptions_SetFailRequestsOnDisconnect(made, true));
  if (!options.name.empty()) set(natsOptions_SetName(made, options.name.c_str()));
  if (!options.user.empty()) {
    set(natsOptions_SetUserInfo(made, options.user.c_str(), options.password.c_str()));
  }
  if (status != NATS_OK) return Error{"libnats refuses its settings: " + last_nats_error(status)};
  if (wants_tls(options, address)) {
    if (auto tls = set_tls(made, options, address); !tls) return tls.error();
  }
  return nats;
}

std::string why_no_connection(natsStatus status, const NatsAddress& address,
                              const Options& options) {
  const std::string told = last_nats_error(status);
  const std::string server = "the server at " + address.url.substr(7);
  const auto says = [&told](std::string_view part) { return told.find(part) != told.npos; };
  if (status == NATS_NO_SERVER || status == NATS_IO_ERROR) {
    return server + " does not answer (" + told + ")";
  }
  if (status == NATS_TIMEOUT) return server + " did not answer in time";
  if (status == NATS_CONNECTION_AUTH_FAILED) {
    return server + " does not know " +
           (options.user.empty() ? "the name in our certificate" : "the user " + options.user) +
           ", or not with these credentials";
  }
  if (status == NATS_SECURE_CONNECTION_REQUIRED) {
    return server + " wants TLS: its address begins with tls://";
  }
  if (status == NATS_SECURE_CONNECTION_WANTED) return server + " does not offer TLS";
  if (says("Expected 'PONG', got ''") || says("certificate required")) {
    return server + " ended the connection at once: it " +
           (options.certificate_file.empty() ? "wants a certificate, and we have none"
                                             : "does not accept our certificate");
  }
  if (says("ostname mismatch") || says("IP address mismatch")) {
    return "the certificate of " + server + " is not for the name " + address.host;
  }
  if (says("signature failure") || says("self-signed certificate") || says("issuer certificate")) {
    return "the certificate of " + server + " is signed by nobody we trust (" + told + ")";
  }
  if (says("certificate has expired")) return "the certificate of " + server + " has expired";
  return server + ": " + told;
}

}  // namespace pollux::bus
