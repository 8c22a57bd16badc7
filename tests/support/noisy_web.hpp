// A web of pages that is noisy in every way the web is, with true changes at known times in known
// words, and with answers that are not the page at known times. From a seed: the same seed makes
// the same pages and the same true changes, with noise and without. It keeps a log of what each
// request was shown, so that what polling could have seen is known.
//
//   NoisyWeb web({.seed = 7});
//   web.begin();  // the clock of the changes
//   poll(web.pages()[3].url);
//   web.shown(3);
//
// Threading: every public function from any thread.
#pragma once

#include "support/noisy_page.hpp"
#include "support/origin.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace pollux::test {

using SystemTime = std::chrono::system_clock::time_point;

// What one request was given.
struct Shown {
  SystemTime at;
  int version = 0;
  bool lie = false;  // not the page
};

class NoisyWeb {
 public:
  struct Options {
    std::uint64_t seed = 1;
    bool noise = true;                                  // without: true changes alone
    std::chrono::milliseconds length{600'000};          // how long changes go on
    std::chrono::milliseconds between_changes{60'000};  // of a page, on average
    std::vector<NoiseKind> kinds = all_noise_kinds();
    int per_kind = 3;  // pages; the first of them has true changes, too
    std::vector<Lie> lies = all_lies();
    int per_lie = 4;  // pages, with true changes
    int quiet_changing = 24, quiet_still = 16;
  };
  explicit NoisyWeb(Options options);
  ~NoisyWeb();

  void begin();
  SystemTime begun() const;
  const std::vector<NoisyPage>& pages() const { return pages_; }
  const std::string& url(std::size_t page) const { return urls_[page]; }
  std::vector<Shown> shown(std::size_t page) const;  // in the order of their answers
  std::size_t requests() const;                      // to pages
  static constexpr int hosts = 16;
  static std::string host(int n) { return "127.0.3." + std::to_string(1 + n % hosts); }

 private:
  Step answer(Exchange& exchange);
  void make_pages();
  void add(NoiseKind kind, bool changing, std::optional<Lie> lie);

  const Options options_;
  std::mt19937_64 random_;
  int words_made_ = 0;
  std::vector<NoisyPage> pages_;
  std::vector<std::string> urls_;
  mutable std::mutex mutex_;
  SystemTime begun_;
  std::vector<std::vector<Shown>> shown_;
  Origin origin_{Origin::Options{.address = "0.0.0.0"}};
};

}  // namespace pollux::test
