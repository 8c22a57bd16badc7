// The yardstick: the plainest fast poller there is. libcurl's multi interface in a loop, SHA-256 of
// every body, a comparison with the last one in memory; no scheduler, no database, no politeness.
//   bench_bare_loop BASE_URL PAGES SECONDS [IN_FLIGHT]
// Prints one line: polls, seconds, polls per second, CPU seconds.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <curl/curl.h>
#include <openssl/evp.h>
#include <sys/resource.h>

namespace {

struct Transfer {
  CURL* easy = nullptr;
  EVP_MD_CTX* digest = EVP_MD_CTX_new();
  std::size_t page = 0;
};

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  EVP_DigestUpdate(static_cast<Transfer*>(user)->digest, data, size * count);
  return size * count;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 64;
  const std::string base = argv[1];
  const std::size_t pages = std::strtoull(argv[2], nullptr, 10);
  const double seconds = std::strtod(argv[3], nullptr);
  const std::size_t in_flight = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 128;

  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM* multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 256L);
  std::vector<std::array<unsigned char, 32>> known(pages);
  std::vector<Transfer> transfers(in_flight);
  std::size_t next_page = 0, polls = 0, changes = 0, errors = 0;
  const auto start = [&](Transfer& transfer) {
    transfer.page = next_page++ % pages;
    EVP_DigestInit_ex(transfer.digest, EVP_sha256(), nullptr);
    curl_easy_setopt(transfer.easy, CURLOPT_URL, (base + std::to_string(transfer.page)).c_str());
    curl_multi_add_handle(multi, transfer.easy);
  };
  for (Transfer& transfer : transfers) {
    transfer.easy = curl_easy_init();
    curl_easy_setopt(transfer.easy, CURLOPT_WRITEFUNCTION, &on_body);
    curl_easy_setopt(transfer.easy, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(transfer.easy, CURLOPT_PRIVATE, &transfer);
    curl_easy_setopt(transfer.easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(transfer.easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(transfer.easy, CURLOPT_ACCEPT_ENCODING, "");
    start(transfer);
  }
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  double spent = 0;
  while (spent < seconds) {
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Transfer* transfer = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      std::array<unsigned char, 32> hash{};
      EVP_DigestFinal_ex(transfer->digest, hash.data(), nullptr);
      if (message->data.result != CURLE_OK) ++errors;
      if (hash != known[transfer->page]) ++changes;
      known[transfer->page] = hash;
      ++polls;
      curl_multi_remove_handle(multi, transfer->easy);
      start(*transfer);
    }
    curl_multi_poll(multi, nullptr, 0, 100, nullptr);
    spent = std::chrono::duration<double>(Clock::now() - began).count();
  }
  std::printf("polls %zu seconds %.3f per_second %.0f cpu_seconds %.3f errors %zu\n", polls, spent,
              static_cast<double>(polls) / spent, cpu_seconds(), errors);
  return 0;
}
