#include "pollux/detect/digest.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>

#include <openssl/evp.h>

namespace pollux::detect {
namespace {

// Fetched once: with OpenSSL 3, EVP_sha256() makes every initialisation search the providers again.
const EVP_MD* sha256() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (algorithm == nullptr) throw std::runtime_error("OpenSSL offers no SHA-256");
  return algorithm;
}

void must(int openssl_result) {
  if (openssl_result != 1) throw std::runtime_error("OpenSSL failed to compute SHA-256");
}

// Of every byte: two hashes are written with every poll.
constexpr auto two_digits = [] {
  constexpr char digits[] = "0123456789abcdef";
  std::array<std::array<char, 2>, 256> pairs{};
  for (std::size_t byte = 0; byte < pairs.size(); ++byte)
    pairs[byte] = {digits[byte >> 4], digits[byte & 15]};
  return pairs;
}();

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string to_hex(const Hash& hash) {
  std::string out(hash.size() * 2, '\0');
  char* to = out.data();
  for (const unsigned char byte : hash) {
    std::memcpy(to, &two_digits[byte], sizeof two_digits[byte]);
    to += sizeof two_digits[byte];
  }
  return out;
}

bool from_hex(std::string_view digits, Hash& out) {
  Hash hash{};
  if (digits.size() != hash.size() * 2) return false;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const int high = digit_value(digits[2 * i]);
    const int low = digit_value(digits[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    hash[i] = static_cast<unsigned char>(high * 16 + low);
  }
  out = hash;
  return true;
}

void Digest::Free::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

Digest::Digest() : context_(EVP_MD_CTX_new()) {
  if (!context_) throw std::bad_alloc();
  must(EVP_DigestInit_ex(context_.get(), sha256(), nullptr));
}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::update(std::string_view piece) {
  must(EVP_DigestUpdate(context_.get(), piece.data(), piece.size()));
}

Hash Digest::finish() {
  Hash hash{};
  must(EVP_DigestFinal_ex(context_.get(), hash.data(), nullptr));
  must(EVP_DigestInit_ex(context_.get(), sha256(), nullptr));
  return hash;
}

}  // namespace pollux::detect
