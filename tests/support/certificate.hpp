// A self-signed certificate, made at run time: nothing to expire in the repository.
#pragma once

#include <string>

namespace pollux::test {

struct Certificate {
  std::string pem;
  std::string key_pem;
};

struct CertificateOptions {
  std::string names = "DNS:localhost,IP:127.0.0.1";
  bool expired = false;
};
Certificate make_certificate(const CertificateOptions& options = {});

}  // namespace pollux::test
