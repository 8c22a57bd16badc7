#include "support/noisy_web.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace pollux::test {
namespace {

constexpr std::string_view page_path = "/page/";

}  // namespace

NoisyWeb::NoisyWeb(Options options)
    : options_(std::move(options)),
      random_(options_.seed),
      begun_(std::chrono::system_clock::now()) {
  make_pages();
  shown_.resize(pages_.size());
  origin_.otherwise([this](Exchange& exchange) -> Step { co_await answer(exchange); });
}

NoisyWeb::~NoisyWeb() = default;

void NoisyWeb::make_pages() {
  for (const NoiseKind kind : options_.kinds) {
    for (int i = 0; i < options_.per_kind; ++i) add(kind, i == 0, std::nullopt);
  }
  for (const Lie lie : options_.lies) {
    for (int i = 0; i < options_.per_lie; ++i) add(NoiseKind::none, true, lie);
  }
  for (int i = 0; i < options_.quiet_changing; ++i) add(NoiseKind::none, true, std::nullopt);
  for (int i = 0; i < options_.quiet_still; ++i) add(NoiseKind::none, false, std::nullopt);
}

// The random numbers of the true changes are drawn alike with noise and without.
void NoisyWeb::add(NoiseKind kind, bool changing, std::optional<Lie> lie) {
  NoisyPage page{.kind = kind, .lie = lie, .changes = {}, .lies = {}, .seed = random_()};
  const double mean = static_cast<double>(options_.between_changes.count());
  std::exponential_distribution<double> wait(1 / mean);
  // The last changes leave time to be found; none comes before the page could be known.
  const double from = static_cast<double>(options_.length.count()) * 0.08;
  const double to = static_cast<double>(options_.length.count()) * 0.94;
  double at = from;
  int cents = 9990;
  while (changing) {
    at += std::max(wait(random_), mean / 4);
    if (at >= to) break;
    TrueChange change;
    change.how = static_cast<TrueChange::How>(random_() % 4);
    change.at = SinceBegin(static_cast<std::int64_t>(at));
    if (change.how == TrueChange::How::price) {
      cents -= 7 + static_cast<int>(random_() % 150);
      const int rest = cents % 100;
      change.says = std::to_string(cents / 100) + (rest < 10 ? ".0" : ".") + std::to_string(rest);
    } else {
      change.says = telling_word(words_made_++);
    }
    page.changes.push_back(std::move(change));
  }
  if (lie == Lie::at_first) {
    page.lies.emplace_back(SinceBegin(-1), options_.length / 16);
  } else if (lie) {
    for (int i = 0; i < 2; ++i) {
      const double begin =
          from + (to - from) * (i + 0.2 + 0.5 * std::generate_canonical<double, 32>(random_)) / 2;
      const auto start = SinceBegin(static_cast<std::int64_t>(begin));
      page.lies.emplace_back(start, start + options_.length / 15);
    }
  }
  urls_.push_back(origin_.url_at(host(static_cast<int>(pages_.size())),
                                 std::string(page_path) + std::to_string(pages_.size())));
  pages_.push_back(std::move(page));
}

void NoisyWeb::begin() {
  std::lock_guard lock(mutex_);
  begun_ = std::chrono::system_clock::now();
}
SystemTime NoisyWeb::begun() const {
  std::lock_guard lock(mutex_);
  return begun_;
}
std::vector<Shown> NoisyWeb::shown(std::size_t page) const {
  std::lock_guard lock(mutex_);
  return shown_[page];
}
std::size_t NoisyWeb::requests() const {
  std::lock_guard lock(mutex_);
  std::size_t all = 0;
  for (const auto& of_page : shown_) all += of_page.size();
  return all;
}

Step NoisyWeb::answer(Exchange& exchange) {
  Drawn drawn{.status = 404, .type = "text/plain", .body = "no such page", .location = {}};
  const std::string_view path = exchange.path;
  std::size_t number = pages_.size();
  if (path.starts_with(page_path)) {
    std::from_chars(path.data() + page_path.size(), path.data() + path.size(), number);
  }
  if (number < pages_.size()) {
    const NoisyPage& page = pages_[number];
    Drawing how;
    how.now = std::chrono::system_clock::now();
    how.noise = options_.noise;
    how.nth = exchange.nth;
    how.minute = std::min(how.minute, options_.length / 10);
    std::lock_guard lock(mutex_);
    const auto since = std::chrono::duration_cast<SinceBegin>(how.now - begun_);
    how.version = page.version_at(since);
    const bool lie = options_.noise && page.lies_at(since);
    drawn = lie ? draw_lie(page, random_) : draw(page, how, random_);
    shown_[number].push_back({how.now, how.version, lie});
  } else if (auto wall = draw_wall(path)) {
    drawn = std::move(*wall);
  }
  std::string fields = "Content-Type: " + drawn.type + "\r\n";
  if (!drawn.location.empty()) fields += "Location: " + drawn.location + "\r\n";
  co_await exchange.respond(drawn.status, fields, drawn.body);
}

}  // namespace pollux::test
