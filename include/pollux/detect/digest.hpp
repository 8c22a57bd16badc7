// SHA-256 of a body that arrives in pieces (OpenSSL EVP). Reusable after finish(); one thread.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace pollux::detect {

using Hash = std::array<unsigned char, 32>;
std::string to_hex(const Hash& hash);  // 64 lower-case digits
bool from_hex(std::string_view digits, Hash& out);

class Digest {
 public:
  Digest();
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  void update(std::string_view piece);
  Hash finish();  // and starts anew

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace pollux::detect
