#include "support/noise_score.hpp"

#include <algorithm>
#include <chrono>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

constexpr auto clocks_apart = 500ms;  // the answer is drawn before it is found
constexpr auto seen_before_lie = 6s;  // what is made later may be seen behind the lie only

struct Transition {
  int version = 0;
  SystemTime at;
};

// What the requests saw change. The first answer is where it begins.
std::vector<Transition> transitions(const std::vector<Shown>& shown) {
  std::vector<Transition> found;
  int last = -1;
  for (const Shown& one : shown) {
    if (one.lie || one.version <= last) continue;
    if (last >= 0) found.push_back({one.version, one.at});
    last = one.version;
  }
  return found;
}

std::string kind_of(const NoisyPage& page) {
  if (page.lie) return std::string(name_of(*page.lie));
  return page.kind == NoiseKind::none ? "quiet" : std::string(name_of(page.kind));
}

class PageScore {
 public:
  PageScore(const NoisyWeb& web, std::size_t number, std::vector<const Recorded*> rows,
            SystemTime until)
      : web_(web),
        number_(number),
        page_(web.pages()[number]),
        rows_(std::move(rows)),
        shown_(web.shown(number)),
        transitions_(transitions(shown_)),
        until_(until) {}

  void add_to(NoiseScore& score) {
    KindScore mine;
    mine.pages = 1;
    mine.requests = shown_.size();
    mine.recorded = rows_.size();
    for (const Recorded* row : rows_) {
      const int version = claimed_by(*row);
      if (version == 0) {
        ++mine.useless;
        score.useless.push_back(kind_of(page_) + ": " + row->summary);
        continue;
      }
      note_delays(version, row->found_at, score);
    }
    for (const Transition& transition : transitions_) {
      if (transition.at > until_) break;
      ++mine.visible;
      const std::string& says = says_of(transition.version);
      const bool found = std::any_of(rows_.begin(), rows_.end(), [&](const Recorded* row) {
        return row->found_at + clocks_apart >= transition.at &&
               row->summary.find(says) != std::string::npos;
      });
      mine.found += found ? 1 : 0;
      if (!found) score.missed.push_back(kind_of(page_) + ": " + says + " of " + web_.url(number_));
    }
    for (KindScore* sum : {&score.all, &score.kinds[kind_of(page_)]}) {
      sum->recorded += mine.recorded;
      sum->useless += mine.useless;
      sum->visible += mine.visible;
      sum->found += mine.found;
      sum->requests += mine.requests;
      sum->pages += mine.pages;
    }
    if (page_.changes.empty()) {
      ++score.still_pages;
      score.still_requests += mine.requests;
    }
  }

 private:
  const std::string& says_of(int version) const {
    return page_.changes[static_cast<std::size_t>(version - 1)].says;
  }

  // The newest version that this row tells of and none before it did; 0: it is useless.
  int claimed_by(const Recorded& row) {
    int newest = 0, in_time = 0;
    for (const Transition& transition : transitions_) {
      if (transition.version <= claimed_ || transition.at > row.found_at + clocks_apart) continue;
      if (row.summary.find(says_of(transition.version)) != std::string::npos)
        newest = transition.version;
      if (transition.at + clocks_apart >= row.previous_poll_at) in_time = transition.version;
    }
    // Where the words are wrong, the time speaks for it.
    if (newest == 0) newest = in_time;
    claimed_ = std::max(claimed_, newest);
    return newest;
  }

  void note_delays(int version, SystemTime found_at, NoiseScore& score) {
    for (; told_ < version; ++told_) {
      const SinceBegin made = page_.changes[static_cast<std::size_t>(told_)].at;
      const bool hidden =
          std::any_of(page_.lies.begin(), page_.lies.end(), [&](const auto& window) {
            return window.first - seen_before_lie <= made && made < window.second;
          });
      if (hidden) continue;
      const std::chrono::duration<double> delay = found_at - (web_.begun() + made);
      score.delays[{number_, told_ + 1}] = delay.count();
    }
  }

  const NoisyWeb& web_;
  const std::size_t number_;
  const NoisyPage& page_;
  std::vector<const Recorded*> rows_;
  std::vector<Shown> shown_;
  std::vector<Transition> transitions_;
  const SystemTime until_;
  int claimed_ = 0, told_ = 0;
};

}  // namespace

NoiseScore score(const NoisyWeb& web, const std::vector<Recorded>& recorded, SystemTime until) {
  std::map<std::string, std::vector<const Recorded*>> by_url;
  for (const Recorded& row : recorded) by_url[row.url].push_back(&row);
  NoiseScore score;
  for (std::size_t i = 0; i < web.pages().size(); ++i) {
    std::vector<const Recorded*>& rows = by_url[web.url(i)];
    std::sort(rows.begin(), rows.end(),
              [](const Recorded* a, const Recorded* b) { return a->found_at < b->found_at; });
    PageScore(web, i, rows, until).add_to(score);
  }
  return score;
}

}  // namespace pollux::test
