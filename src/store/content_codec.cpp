#include "store/content_codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <new>
#include <stdexcept>

#include <openssl/evp.h>
#include <zstd.h>

namespace pollux::store {
namespace {

constexpr int compression_level = 3;
// Nothing that is kept comes near it; a damaged row may claim anything.
constexpr std::int64_t largest_version = std::int64_t{1} << 30U;

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

std::size_t checked(std::size_t code) {
  if (ZSTD_isError(code) != 0) {
    throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(code));
  }
  return code;
}

// So that the end of the text can still refer to the beginning of the prefix.
int window_log(std::size_t reach) {
  return std::clamp(static_cast<int>(std::bit_width(reach)), 10, 30);
}

}  // namespace

std::string sha256_of(std::string_view text) {
  std::array<unsigned char, 32> hash{};
  if (EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL failed to compute SHA-256");
  }
  static constexpr char hex_digits[] = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : hash) {
    out += hex_digits[byte >> 4U];
    out += hex_digits[byte & 15U];
  }
  return out;
}

std::string squeeze(std::string_view text, std::string_view prefix) {
  const std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  const std::size_t reach = text.size() + prefix.size();
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, compression_level));
  // A wrong prefix gives a wrong text: the checksum tells.
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1));
  if (!prefix.empty()) {
    checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, window_log(reach)));
    // The tables of this level remember about a megabyte.
    if (reach > (std::size_t{1} << 20U)) {
      checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1));
    }
    checked(ZSTD_CCtx_refPrefix(context.get(), prefix.data(), prefix.size()));
  }
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(
      checked(ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size())));
  return out;
}

std::optional<std::string> unsqueeze(std::string_view bytes, std::string_view prefix,
                                     std::int64_t size) {
  if (size < 0 || size > largest_version ||
      ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != static_cast<std::uint64_t>(size)) {
    return std::nullopt;
  }
  const std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  if (!prefix.empty()) {
    checked(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 30));
    checked(ZSTD_DCtx_refPrefix(context.get(), prefix.data(), prefix.size()));
  }
  std::string out(static_cast<std::size_t>(size), '\0');
  const std::size_t made =
      ZSTD_decompressDCtx(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(made) != 0 || made != out.size()) return std::nullopt;
  return out;
}

}  // namespace pollux::store
