// The yardstick: the plainest fast poller there is. libcurl's multi interface in a loop; no
// scheduler, no database, no politeness.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <curl/curl.h>
#include <openssl/evp.h>
#include <sys/resource.h>

namespace pollux::bench {

enum class Hashing { no, yes };  // SHA-256 of every body, compared with the last one

struct Tally {
  std::size_t polls = 0, errors = 0;
  double seconds = 0, cpu_seconds = 0;
};

inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Connections are made and memory is touched in the first polls; what counts comes after them.
class Meter {
 public:
  explicit Meter(std::size_t warm_up) : warm_up_(warm_up) {}
  void count(bool good) {
    ++tally_.polls;
    if (!good) ++tally_.errors;
    if (tally_.polls == warm_up_) {
      began_ = Clock::now();
      cpu_before_ = cpu_seconds();
    }
  }
  double seconds() const {
    if (tally_.polls < warm_up_) return 0;
    return std::chrono::duration<double>(Clock::now() - began_).count();
  }
  Tally result() const {
    Tally tally = tally_;
    tally.polls -= std::min(warm_up_, tally.polls);
    tally.seconds = seconds();
    tally.cpu_seconds = cpu_seconds() - cpu_before_;
    return tally;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const std::size_t warm_up_;
  Tally tally_;
  Clock::time_point began_ = Clock::now();
  double cpu_before_ = 0;
};

// Polls base + "0" … base + "pages - 1" in turn, for so many seconds.
inline Tally bare_loop(const std::string& base, std::size_t pages, double seconds,
                       std::size_t in_flight, Hashing hashing, std::size_t warm_up = 0) {
  struct Transfer {
    CURL* easy = nullptr;
    EVP_MD_CTX* digest = nullptr;
    std::size_t page = 0, bytes = 0;
  };
  const auto on_body = +[](char* data, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    if (transfer.digest != nullptr) EVP_DigestUpdate(transfer.digest, data, size * count);
    transfer.bytes += size * count;
    return size * count;
  };
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM* multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 256L);
  std::vector<std::array<unsigned char, 32>> known(pages);
  std::vector<Transfer> transfers(in_flight);
  std::size_t next_page = 0, changes = 0;
  Meter meter(warm_up);
  const auto start = [&](Transfer& transfer) {
    transfer.page = next_page++ % pages;
    if (transfer.digest != nullptr) EVP_DigestInit_ex(transfer.digest, EVP_sha256(), nullptr);
    curl_easy_setopt(transfer.easy, CURLOPT_URL, (base + std::to_string(transfer.page)).c_str());
    curl_multi_add_handle(multi, transfer.easy);
  };
  for (Transfer& transfer : transfers) {
    transfer.easy = curl_easy_init();
    if (hashing == Hashing::yes) transfer.digest = EVP_MD_CTX_new();
    curl_easy_setopt(transfer.easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(transfer.easy, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(transfer.easy, CURLOPT_PRIVATE, &transfer);
    curl_easy_setopt(transfer.easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(transfer.easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(transfer.easy, CURLOPT_ACCEPT_ENCODING, "");
    start(transfer);
  }
  while (meter.seconds() < seconds) {
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Transfer* transfer = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      if (transfer->digest != nullptr) {
        std::array<unsigned char, 32> hash{};
        EVP_DigestFinal_ex(transfer->digest, hash.data(), nullptr);
        if (hash != known[transfer->page]) ++changes;
        known[transfer->page] = hash;
      }
      meter.count(message->data.result == CURLE_OK);
      curl_multi_remove_handle(multi, transfer->easy);
      start(*transfer);
    }
    curl_multi_poll(multi, nullptr, 0, 100, nullptr);
  }
  return meter.result();
}

}  // namespace pollux::bench
