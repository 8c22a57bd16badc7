// Where questions about many pages or long texts are answered: on a thread of its own, with a
// reader of its own, so that the server's thread never waits. It keeps a copy of the pages' columns
// while somebody asks for them, and reads it in short slices between two answers: no read of the
// database is long, and its log stays short. The copy is refreshed as often as costs a twentieth of
// a processor. Threading: any. It ends, and drops what waits, when it is destroyed.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/http/server.hpp"
#include "pollux/store/fresh_reader.hpp"
#include "web/page_columns.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace pollux::web {

struct DeskOptions {
  std::string database = {};
  std::size_t most_waiting = 64;             // questions; more: 503
  std::int64_t slice = 2'000;                // pages read at once
  Duration kept = std::chrono::seconds(60);  // the columns, after the last question
  double duty = 0.05;                        // of the time may go into refreshing
};

class Desk {
 public:
  static Result<std::unique_ptr<Desk>> open(const DeskOptions& options, const Clock& clock);
  ~Desk();

  // What a question is answered from, on the desk's thread.
  struct At {
    store::Reader& reader;
    const std::string& database;
    const PageColumns* pages;  // null where they were not asked for, and are not there
    store::PlanFactor plan_factor;
    WallTime now;
  };
  // Nothing: it has passed the responder on, to whoever will answer.
  using Question = std::function<std::optional<http::Response>(const At&)>;
  enum class Needs { database, columns };
  void ask(Needs needs, http::Responder responder, Question question);

  // What is said of all pages together; a moment old where there are many. With the caller's
  // reader.
  Result<store::Totals> totals(store::Reader& reader);

 private:
  struct Waiting {
    Needs needs;
    http::Responder responder;
    Question question;
  };
  Desk(const DeskOptions& options, const Clock& clock, std::unique_ptr<store::Reader> reader);
  void run();
  bool wait(bool& count_now);  // for something to do; false: it is to end
  void work(bool count_now);
  Result<store::Totals> count(store::Reader& reader);
  std::optional<Waiting> next();
  void answer(Waiting waiting);
  void load_slice(Duration patience);  // with another thread that sorts
  void give_up(const http::Response& why);
  void begin_pass();
  void end_pass();
  PlanLimits limits();
  void drop_columns();

  const DeskOptions options_;
  const Clock& clock_;
  store::FreshReader reader_;
  std::unique_ptr<PageColumns> columns_;
  std::future<std::vector<PageColumns::Row>> order_;  // of the columns, while it is computed
  bool loaded_ = false, loading_ = false;
  std::int64_t last_id_ = 0;
  Instant pass_began_{}, pass_ended_{}, last_asked_{};
  Duration pass_cost_{};
  store::PlanFactor plan_factor_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> waiting_;
  bool ending_ = false;

  std::optional<store::Totals> totals_;
  bool totals_wanted_ = false;
  Instant totals_at_{};
  Duration totals_cost_{};
  std::thread thread_;
};

}  // namespace pollux::web
