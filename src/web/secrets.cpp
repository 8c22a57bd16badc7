#include "web/secrets.hpp"

#include <array>
#include <stdexcept>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace pollux::web {
namespace {

using Bits = std::array<unsigned char, 32>;

std::string hexadecimal(const Bits& bits) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bits) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Bits keyed(std::string_view key, std::string_view text) {
  Bits bits{};
  unsigned length = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()),  // NOLINT: as OpenSSL wants it
           text.size(), bits.data(), &length) == nullptr) {
    throw std::runtime_error("HMAC failed");
  }
  return bits;
}

}  // namespace

std::string random_word() {
  Bits bits{};
  if (RAND_bytes(bits.data(), static_cast<int>(bits.size())) != 1)
    throw std::runtime_error("the system has no random numbers");
  return hexadecimal(bits);
}

std::string keyed_word(std::string_view key, std::string_view text) {
  return hexadecimal(keyed(key, text));
}

// Of their keyed hashes, so that neither length nor the first letters can be measured.
bool same_secret(std::string_view a, std::string_view b) {
  static const std::string key = random_word();
  const Bits x = keyed(key, a), y = keyed(key, b);
  return CRYPTO_memcmp(x.data(), y.data(), x.size()) == 0;
}

}  // namespace pollux::web
