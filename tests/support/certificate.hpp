// A self-signed certificate for localhost and 127.0.0.1, made at run time: nothing to expire in
// the repository.
#pragma once

#include <string>

namespace pollux::test {

struct Certificate {
  std::string pem;
  std::string key_pem;
};

Certificate make_certificate();

}  // namespace pollux::test
