// Certificates made at run time: nothing to expire in the repository.
#pragma once

#include <memory>
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
// Signed by itself.
Certificate make_certificate(const CertificateOptions& options = {});

// Signs certificates of servers and clients.
class Authority {
 public:
  Authority();
  ~Authority();
  const std::string& pem() const { return pem_; }
  // `alternative_names` as in CertificateOptions; a client needs none.
  Certificate issue(const std::string& common_name,
                    const std::string& alternative_names = "") const;

 private:
  struct Signer;
  std::unique_ptr<Signer> signer_;
  std::string pem_;
};

}  // namespace pollux::test
