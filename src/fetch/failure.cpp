#include "fetch/failure.hpp"

namespace pollux::fetch {

std::string_view failure_name(Failure failure) {
  switch (failure) {
    case Failure::none:
      return "none";
    case Failure::timeout:
      return "timeout";
    case Failure::dns:
      return "dns";
    case Failure::connect:
      return "connect";
    case Failure::tls:
      return "tls";
    case Failure::address_refused:
      return "address_refused";
    case Failure::body_too_large:
      return "body_too_large";
    case Failure::headers_too_large:
      return "headers_too_large";
    case Failure::bad_encoding:
      return "bad_encoding";
    case Failure::protocol:
      return "protocol";
    case Failure::connection_lost:
      return "connection_lost";
    case Failure::rendering:
      return "rendering";
    case Failure::cancelled:
      return "cancelled";
    case Failure::internal:
      return "internal";
    case Failure::agent:
      return "agent";
  }
  return "internal";
}

Failure classify(CURLcode code, std::string_view text) {
  switch (code) {
    case CURLE_OK:
      return Failure::none;
    case CURLE_OPERATION_TIMEDOUT:
      return Failure::timeout;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Failure::dns;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
    case CURLE_PROXY:  // SOCKS: it does not get us there
      return Failure::connect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_USE_SSL_FAILED:
      return Failure::tls;
    case CURLE_BAD_CONTENT_ENCODING:
      return Failure::bad_encoding;
    case CURLE_FILESIZE_EXCEEDED:
      return Failure::body_too_large;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:  // HTTP/0.9, too
    case CURLE_URL_MALFORMAT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return Failure::protocol;
    case CURLE_RECV_ERROR:
      // A proxy that does not open a tunnel, a malformed chunk and a reset share this code.
      if (text.find("CONNECT tunnel failed") != std::string_view::npos) return Failure::connect;
      return text.find("chunked-encoding") == std::string_view::npos ? Failure::connection_lost
                                                                     : Failure::protocol;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
      return Failure::connection_lost;
    default:
      return Failure::internal;
  }
}

}  // namespace pollux::fetch
