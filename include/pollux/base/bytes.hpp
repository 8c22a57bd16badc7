// Values into bytes and out again, for messages that come from other machines. A message lists its
// fields once, in a function that either of the two goes through:
//
//   template <typename Bytes, typename Message>
//   void fields(Bytes& bytes, Message& message) {
//     bytes.number(message.id);
//     bytes.text(message.url, longest_url);
//   }
//
// Every field has a bound, checked where it is written and where it is read. What does not fit
// fails for good: a writer gives nothing, a reader leaves the rest of the fields as they are.
// Decoding allocates no more than the bytes at hand can fill. Threading: one thread.
#pragma once

#include "pollux/base/time.hpp"

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pollux {

class ByteWriter {
 public:
  bool ok() const { return ok_; }
  std::size_t size() const { return bytes_.size(); }
  std::string take() { return ok_ ? std::move(bytes_) : std::string(); }

  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) put(static_cast<unsigned char>(value | 0x80));
    put(static_cast<unsigned char>(value));
  }
  void number(std::uint64_t value, std::uint64_t most) {
    ok_ = ok_ && value <= most;
    number(value);
  }
  void flag(bool value) { put(value ? 1 : 0); }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) put(static_cast<unsigned char>(bits >> shift));
  }
  void time(Duration value) {
    const auto count = static_cast<std::uint64_t>(value.count());
    number(count << 1 ^ (value.count() < 0 ? ~std::uint64_t{0} : 0));
  }
  template <typename Enum>
  void choice(Enum value, Enum last) {
    number(static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(last));
  }
  void text(std::string_view value, std::size_t most) {
    number(value.size(), most);
    bytes_ += value;
  }
  void hash(const std::array<std::uint8_t, 32>& value) {
    for (const std::uint8_t byte : value) put(byte);
  }
  template <typename T, typename Each>
  void maybe(const std::optional<T>& value, Each each) {
    flag(value.has_value());
    if (value) each(*value);
  }
  template <typename T, typename Each>
  void list(const std::vector<T>& values, std::size_t most, Each each) {
    number(values.size(), most);
    for (const T& value : values) each(value);
  }

 private:
  void put(unsigned char byte) { bytes_.push_back(static_cast<char>(byte)); }
  std::string bytes_;
  bool ok_ = true;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  // Everything was there, and nothing else.
  bool at_end() const { return ok_ && rest_.empty(); }
  void fail() { ok_ = false; }

  template <std::unsigned_integral Number>
  void number(Number& value, std::uint64_t most = static_cast<Number>(-1)) {
    std::uint64_t read = 0;
    for (int shift = 0;; shift += 7) {
      const unsigned char byte = get();
      // Ten bytes at most, none of them for nothing: one number has one form.
      if (!ok_ || shift > 63 || (shift == 63 && byte > 1) || (shift > 0 && byte == 0))
        return fail();
      read |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    if (read > most || read > static_cast<Number>(-1)) return fail();
    value = static_cast<Number>(read);
  }
  void flag(bool& value) {
    const unsigned char byte = get();
    if (!ok_ || byte > 1) return fail();
    value = byte == 1;
  }
  void real(double& value) {
    std::uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 8) bits |= std::uint64_t{get()} << shift;
    const double read = std::bit_cast<double>(bits);
    if (!ok_ || read != read) return fail();  // not a number
    value = read;
  }
  void time(Duration& value) {
    std::uint64_t read = 0;
    number(read);
    if (!ok_) return;
    value = Duration(static_cast<Duration::rep>(read >> 1 ^ (~(read & 1) + 1)));
  }
  template <typename Enum>
  void choice(Enum& value, Enum last) {
    std::uint64_t read = 0;
    number(read, static_cast<std::uint64_t>(last));
    if (ok_) value = static_cast<Enum>(read);
  }
  void text(std::string& value, std::size_t most) {
    std::uint64_t size = 0;
    number(size, most);
    if (!ok_ || size > rest_.size()) return fail();
    value.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  void hash(std::array<std::uint8_t, 32>& value) {
    for (std::uint8_t& byte : value) byte = get();
  }
  template <typename T, typename Each>
  void maybe(std::optional<T>& value, Each each) {
    bool there = false;
    flag(there);
    value.reset();
    if (ok_ && there) each(value.emplace());
  }
  // Every element takes at least a byte.
  template <typename T, typename Each>
  void list(std::vector<T>& values, std::size_t most, Each each) {
    std::uint64_t count = 0;
    number(count, most);
    if (!ok_ || count > rest_.size()) return fail();
    values.clear();
    for (; count > 0 && ok_; --count) each(values.emplace_back());
  }

 private:
  unsigned char get() {
    if (!ok_ || rest_.empty()) {
      ok_ = false;
      return 0;
    }
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace pollux
