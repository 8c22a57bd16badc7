// The result type for what goes wrong daily. A Result that is ignored does not compile. Exceptions
// are for one thing only: a fatal error at start-up, caught in main.
#pragma once

#include "pollux/base/exit_code.hpp"

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace pollux {

struct Error {
  std::string message;  // Names the file, the line and the cure where there is one.
  ExitCode exit_code = ExitCode::software;  // What a command that cannot go on exits with.
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : held_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & {
    assert(ok());
    return std::get<0>(held_);
  }
  const T& value() const& {
    assert(ok());
    return std::get<0>(held_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(held_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    assert(!ok());
    return std::get<1>(held_);
  }

 private:
  std::variant<T, Error> held_;
};

struct Nothing {};
using Status = Result<Nothing>;
inline Status success() {
  return Nothing{};
}

}  // namespace pollux
