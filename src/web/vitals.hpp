// /metrics, /healthz and /readyz, and answers that are kept for a second, so that thousands of
// requests cost little. Threading: the server's thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/engine/snapshot.hpp"
#include "pollux/http/server.hpp"
#include "pollux/store/fresh_reader.hpp"
#include "web/metrics_text.hpp"

#include <memory>
#include <optional>

namespace pollux::web {

class Vitals {
 public:
  static constexpr Duration stuck = std::chrono::seconds(30);  // without a sign of the engine

  Vitals(const engine::SnapshotBoard& board, store::FreshReader& database, const Clock& clock)
      : board_(board), database_(database), clock_(clock) {}

  http::Response metrics(const WebFigures& web);
  http::Response health() const;  // 200: the engine's thread is alive
  http::Response ready() const;   // 200: and it polls, and what it finds can be kept

 private:
  StoredFigures stored();

  const engine::SnapshotBoard& board_;
  store::FreshReader& database_;
  const Clock& clock_;
  struct Kept {
    Instant until;
    std::string text;
  };
  std::optional<Kept> kept_;
};

// One answer to a question that many ask.
class KeptAnswer {
 public:
  // As it was answered within the last second, or within ten times as long as it took.
  std::optional<http::Response> get(Instant now) const {
    return answer_ && now < until_ ? answer_ : std::nullopt;
  }
  void keep(const http::Response& answer, Instant asked, Instant now) {
    if (answer.status != 200) return;
    answer_ = answer;
    until_ = now + std::max<Duration>(std::chrono::seconds(1), 10 * (now - asked));
  }

 private:
  std::optional<http::Response> answer_;
  Instant until_{};
};

}  // namespace pollux::web
