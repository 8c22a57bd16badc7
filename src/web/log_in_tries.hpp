// How often a password may be guessed: a few times per address, then one every few seconds, and for
// all addresses together not much faster. Threading: the server's thread.
#pragma once

#include "pollux/base/time.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace pollux::web {

class LogInTries {
 public:
  static constexpr double most_of_one = 5, most_of_all = 50;  // wrong tries at once
  static constexpr Duration one_more = std::chrono::seconds(10),
                            one_more_of_all = std::chrono::seconds(1);
  static constexpr std::size_t most_addresses = 4096;

  // How long this address has to wait before it may try; zero: not at all.
  Duration wait(std::string_view address, Instant now) {
    const auto found = by_address_.find(network_of(address));
    const Duration own = found == by_address_.end() ? Duration{} : found->second.wait(now);
    return std::max(own, all_.wait(now));
  }
  void failed(std::string_view address, Instant now) {
    all_.take(now);
    if (by_address_.size() >= most_addresses)
      std::erase_if(by_address_, [&](const auto& entry) { return entry.second.is_full(now); });
    if (by_address_.size() >= most_addresses) by_address_.erase(by_address_.begin());
    by_address_.try_emplace(network_of(address), Bucket{most_of_one, one_more})
        .first->second.take(now);
  }
  void succeeded(std::string_view address) { by_address_.erase(network_of(address)); }

 private:
  struct Bucket {
    double most;
    Duration every;  // one comes back
    double left = most;
    Instant at{};

    double now_left(Instant now) const {
      const double back = to_seconds(now - at) / to_seconds(every);
      return std::min(most, left + back);
    }
    void take(Instant now) {
      left = std::max(0.0, now_left(now) - 1);
      at = now;
    }
    Duration wait(Instant now) const {
      const double there = now_left(now);
      return there >= 1 ? Duration{}
                        : std::chrono::duration_cast<Duration>(
                              std::chrono::duration<double>((1 - there) * to_seconds(every)));
    }
    bool is_full(Instant now) const { return now_left(now) >= most; }
  };
  // Whoever has one address of IPv6 has 2^64 of them. One of IPv4 stands for itself, also in the
  // clothes that a socket for both gives it ("::ffff:192.0.2.1"), and as a proxy may write it, with
  // a port that is another one each time.
  static std::string network_of(std::string_view address) {
    if (address.find('.') != address.npos) {
      if (const std::size_t colon = address.rfind(':', address.find('.')); colon != address.npos)
        address.remove_prefix(colon + 1);
      return std::string(address.substr(0, address.find(':')));
    }
    if (address.starts_with('[')) address = address.substr(1, address.find(']') - 1);
    std::size_t end = 0;
    for (int groups = 0; groups < 4 && end != address.npos; ++groups) {
      end = address.find(':', end == 0 ? 0 : end + 1);
      if (end != address.npos && end + 1 < address.size() && address[end + 1] == ':') break;
    }
    return std::string(address.substr(0, end));
  }

  Bucket all_{most_of_all, one_more_of_all};
  std::map<std::string, Bucket> by_address_;
};

}  // namespace pollux::web
