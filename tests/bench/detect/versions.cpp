#include "bench/detect/figures.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/diff/diff.hpp"
#include "pollux/store/content.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

constexpr int versions = 1'000;
constexpr const char* page_url = "http://example.org/";

std::string sha256(const std::string& text) {
  detect::Digest digest;
  digest.update(text);
  return detect::to_hex(digest.finish());
}

// A word of a vocabulary in which a few are common and most are rare, as in a language.
std::string word(Rng& rng) {
  static constexpr std::string_view syllables[] = {"ta", "ri", "mo", "ne", "ka", "su", "lo", "vi",
                                                   "pe", "da", "en", "or", "is", "al", "um", "ch"};
  const double place = rng.uniform();
  auto number = static_cast<std::uint64_t>(20'000 * place * place * place);
  std::string text;
  do {
    text += syllables[number % 16];
    number /= 16;
  } while (number > 0);
  return text;
}
std::string prose(std::size_t bytes, std::uint64_t seed) {
  Rng rng(seed);
  std::string text;
  for (int i = 1; text.size() < bytes; ++i) (text += word(rng)) += i % 12 == 0 ? '\n' : ' ';
  return text;
}
// Words here and there become others.
std::string edited(const std::string& text, double part, std::uint64_t seed) {
  Rng rng(seed);
  std::string out;
  for (const std::string_view piece : diff::split(text)) {
    out += rng.uniform() < part ? word(rng) : std::string(piece);
    const char* const behind = piece.data() + piece.size();
    out += behind < text.data() + text.size() ? *behind : ' ';
  }
  return out;
}

std::uintmax_t bytes_on_disk(const std::string& database) {
  std::uintmax_t sum = 0;
  for (const char* part : {"", "-wal", "-shm"}) {
    std::error_code none;
    const auto size = std::filesystem::file_size(store::content_path(database) + part, none);
    if (!none) sum += size;
  }
  return sum;
}

}  // namespace

void kept_versions() {
  const TempFolder folder;
  const std::string database = folder.file("versions.db");
  store::ContentOptions options;
  options.per_page = versions;
  std::string note, text = prose(50'000, 1);
  std::uintmax_t raw = 0;
  Times written, shown;
  {
    auto content = store::Content::open(database, options, note);
    if (!content.ok()) {
      std::printf("   versions: %s MISSED\n", content.error().message.c_str());
      return;
    }
    Rng rng(2);
    written = times_of(versions, [&](int i) {
      // One to four words of it.
      for (std::uint64_t edit = rng.below(4) + 1; edit > 0; --edit) {
        const std::size_t at = text.find(' ', rng.below(text.size() - 100)) + 1;
        text.replace(at, text.find_first_of(" \n", at) - at, word(rng));
      }
      raw += text.size();
      const WallTime seen{std::chrono::seconds(i)};
      if (!(*content)->put({{page_url, sha256(text), "text", text, seen}}).ok())
        std::puts("   a version was not kept");
    });
  }
  const double part =
      100.0 * static_cast<double>(bytes_on_disk(database)) / static_cast<double>(raw);
  std::printf(
      "   %d versions of a page of 50 KB, one to four words changed each: %.2f %% of their raw "
      "size on disk (wanted: 2 or less) %s\n",
      versions, part, verdict(part <= 2));
  int read = 0;
  shown = times_of(versions, [&](int i) {
    auto reader = store::ContentReader::open(database);  // as `pollux show` does it
    if (!reader.ok()) return;
    const auto found = (*reader)->text(page_url, i + 1);
    if (found.ok() && *found) ++read;
  });
  std::printf(
      "   each shown, its file opened: %.2f ms, the longest %.2f ms (wanted: 20 or less) %s; "
      "%.2f ms to write\n",
      shown.median, shown.longest, verdict(shown.longest <= 20 && read == versions),
      written.median);
}

void differences() {
  const std::string text = prose(1'000'000, 1);
  std::string swapped = text.substr(text.size() / 2) + text.substr(0, text.size() / 2);
  std::string two_words, other_two;
  Rng rng(3);
  while (two_words.size() < 1'000'000) {
    two_words += rng.below(2) == 0 ? "a " : "b ";
    other_two += rng.below(2) == 0 ? "a " : "b ";
  }
  std::string strange = prose(1'000'000, 9);
  for (char& c : strange) {
    if (c >= 'a') c = static_cast<char>(c - 'a' + 'A');
  }
  std::string shuffled;
  {
    std::vector<std::string_view> words = diff::split(text);
    for (std::size_t i = words.size(); i > 1; --i) std::swap(words[i - 1], words[rng.below(i)]);
    for (const std::string_view one : words) (shuffled += one) += ' ';
  }
  struct Pair {
    const char* name;
    std::string old_text, new_text;
    double wanted;
  };
  const Pair pairs[] = {
      {"20 words changed", text, edited(text, 20.0 / 150'000, 5), 200},
      {"1 % of the words", text, edited(text, 0.01, 6), 200},
      {"10 % of the words", text, edited(text, 0.1, 7), 200},
      {"halves swapped", text, swapped, 200},
      {"nothing in common", text, strange, 2'000},
      {"shuffled", text, shuffled, 2'000},
      {"two words at random", two_words, other_two, 2'000},
      {"one line each", std::string(1'000'000, 'x'), std::string(1'000'000, 'y'), 2'000}};
  std::printf("   the difference of two texts of 1 MB, by words, by lines, and told in a line:\n");
  for (const Pair& pair : pairs) {
    const auto of = [&](const auto& compare) {
      return times_of(5, [&](int) { compare(pair.old_text, pair.new_text); }).median;
    };
    const double words = of([](const auto& a, const auto& b) { return diff::words(a, b); });
    const double lines = of([](const auto& a, const auto& b) { return diff::lines(a, b); });
    const double told = of([](const auto& a, const auto& b) { return diff::summary(a, b); });
    std::printf("     %-20s %7.1f ms %7.1f ms %7.1f ms (wanted: %.0f or less) %s\n", pair.name,
                words, lines, told, pair.wanted,
                verdict(std::max({words, lines, told}) <= pair.wanted));
  }
}

}  // namespace pollux::test
