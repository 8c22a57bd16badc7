// Names that pages ask for, looked up on the bounded threads of fetch::Resolver and remembered for
// a moment. Threading: the io_context's thread.
#pragma once

#include "pollux/fetch/resolver.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace pollux::render {

class Names {
 public:
  Names(boost::asio::io_context& io, fetch::Resolver::LookupFunction lookup);

  // An address written in numbers is its own answer. Ends within `longest_lookup`.
  boost::asio::awaitable<fetch::Lookup> resolve(std::string host);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::size_t most_names = 4096;  // kept
  static constexpr std::size_t most_asked = 256;   // at a time
  static constexpr auto longest_lookup = std::chrono::seconds(10);
  static constexpr auto fresh = std::chrono::seconds(60);
  static constexpr auto failed = std::chrono::seconds(10);

  struct Name {
    fetch::Lookup lookup;
    TimePoint until{};
    bool asking = false;
    std::vector<std::function<void(const fetch::Lookup&)>> waiters = {};
  };
  void answered(const std::string& host, fetch::Lookup lookup);

  boost::asio::io_context& io_;
  std::unordered_map<std::string, Name> names_;
  std::size_t asked_ = 0;
  fetch::Resolver resolver_;
};

}  // namespace pollux::render
