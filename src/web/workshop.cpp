#include "pollux/web/workshop.hpp"

#include "pollux/base/text.hpp"
#include "pollux/extract/program.hpp"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace pollux::web {
namespace {

constexpr std::size_t most_output = 64u << 20;  // a page of 10 MiB, escaped
constexpr std::size_t most_words = 2000;        // of a complaint
constexpr int behind_all_others = 19;

// One thread and what waits for it.
class Hand {
 public:
  Hand() : thread_([this] { run(); }) {}
  ~Hand() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  Hand(const Hand&) = delete;
  Hand& operator=(const Hand&) = delete;
  // False: so many wait already.
  bool give(std::function<void()> work, std::size_t most) {
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() >= most) return false;
      waiting_.push_back(std::move(work));
    }
    wake_.notify_all();
    return true;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      try {
        work();
      } catch (const std::exception& error) {
        spdlog::error("what was asked of the workshop broke off: {}", printable(error.what(), 200));
      }
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

// What a child says on standard error: how far it is, or what is wrong.
class Words {
 public:
  explicit Words(std::function<void(double)> progress) : progress_(std::move(progress)) {}
  void take(std::string_view piece) {
    for (const char c : piece) {
      if (c == '\n') {
        end_line();
      } else if (line_.size() < most_words) {
        line_ += c;
      }
    }
  }
  // The first line that is none of progress, without the program's name.
  std::string complaint() {
    end_line();
    return complaint_;
  }

 private:
  void end_line() {
    constexpr std::string_view mark = "{\"progress\":";
    const std::string line = std::exchange(line_, {});
    if (line.starts_with(mark)) {
      double part = 0;
      const auto [end, problem] =
          std::from_chars(line.data() + mark.size(), line.data() + line.size(), part);
      if (problem == std::errc() && progress_) progress_(std::clamp(part, 0.0, 1.0));
    } else if (complaint_.empty()) {
      const std::size_t name = line.starts_with("pollux") ? line.find(": ") : std::string::npos;
      complaint_ = printable(name == std::string::npos ? line : line.substr(name + 2), most_words);
    }
  }

  std::function<void(double)> progress_;
  std::string line_, complaint_;
};

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) all.emplace_back(*at);
  return all;
}

struct Ended {
  extract::ProgramEnd end;
  std::string complaint;
  std::string words() const { return complaint.empty() ? extract::describe(end) : complaint; }
};

std::optional<boost::json::value> output_of(const Ended& ended) {
  boost::system::error_code problem;
  boost::json::value value = boost::json::parse(ended.end.output, problem);
  if (problem) return std::nullopt;
  return value;
}

void cut_kept(boost::json::object& trial) {
  boost::json::value* const kept = trial.if_contains("kept");
  const bool cut =
      kept != nullptr && kept->is_string() && kept->get_string().size() > Workshop::longest_kept;
  if (cut) {
    boost::json::string& text = kept->get_string();
    text.resize(beginning_of(text, Workshop::longest_kept).size());
  }
  trial["cut"] = cut;
}

Workshop::Outcome<boost::json::object> outcome_of(const Ended& ended) {
  using How = extract::ProgramEnd::How;
  using Refusal = Workshop::Refusal;
  if (ended.end.how == How::out_of_time) {
    return Refusal{504, "the page could not be tried in time",
                   "try it again, or run `pollux try` in a terminal"};
  }
  std::optional<boost::json::value> output = output_of(ended);
  if (output && output->is_object()) {
    cut_kept(output->get_object());
    return std::move(output->get_object());
  }
  if (ended.end.how == How::exited && (ended.end.code == 64 || ended.end.code == 78))
    return Refusal{422, ended.words(), ""};
  return Refusal{500, "the page could not be tried: " + ended.words(),
                 "run `pollux try` in a terminal: it says more"};
}

}  // namespace

struct Workshop::Parts {
  explicit Parts(const WorkshopOptions& given) : options(given) {}

  Ended run(std::vector<std::string> argv, std::string_view input, Duration limit,
            std::function<void(double)> progress) {
    argv.insert(argv.begin(), options.program);
    Words words(std::move(progress));
    extract::Children children{.stop = &stop};
    extract::ProgramBounds bounds{
        .deadline = std::chrono::steady_clock::now() +
                    std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit),
        .max_output = most_output,
        .children = &children,
        .confined = extract::Confined::no,
        .environment = own_environment(),
        .niceness = behind_all_others,
        .on_errors = [&words](std::string_view piece) { words.take(piece); }};
    extract::ProgramEnd end = extract::run_program(argv, input, bounds);
    return {std::move(end), words.complaint()};
  }
  void finish_replay(std::int64_t id, const Ended& ended);

  const WorkshopOptions options;
  extract::StopSignal stop;
  mutable std::mutex mutex;  // guards what follows
  std::map<std::int64_t, Replay> replays;
  std::int64_t last_id = 0;
  bool replaying = false;

  Hand tries, replayer;  // they end first
};

Workshop::Workshop(const WorkshopOptions& options) : parts_(std::make_unique<Parts>(options)) {}

Workshop::~Workshop() {
  parts_->stop.raise();
}

void Workshop::try_page(std::string url, std::string content,
                        std::function<void(Outcome<boost::json::object>)> done) {
  Parts& parts = *parts_;
  const bool has_file = !parts.options.configuration.empty();
  // Rules may hold what only their page's owner knows, and everybody can see a command line: they
  // go by standard input. Where the configuration itself does (a demo), nothing is anybody's.
  std::vector<std::string> argv{"try",       std::move(url),
                                "--content", has_file ? "-" : content,
                                "--config",  has_file ? parts.options.configuration : "/dev/stdin",
                                "--json"};
  std::string input = has_file ? std::move(content) : parts.options.configuration_text;
  const bool taken = parts.tries.give(
      [&parts, argv = std::move(argv), input = std::move(input), done] {
        done(outcome_of(parts.run(argv, input, parts.options.longest_try, {})));
      },
      parts.options.most_waiting);
  if (!taken) {
    done(Refusal{503, fmt::format("{} pages wait to be tried already", parts.options.most_waiting),
                 "try it again in a moment"});
  }
}

Workshop::Outcome<std::int64_t> Workshop::begin_replay(const Wish& wish) {
  Parts& parts = *parts_;
  std::int64_t id = 0;
  {
    const std::lock_guard lock(parts.mutex);
    if (parts.replaying) {
      return Refusal{
          409, "a replay is running already",
          fmt::format("wait for its end: GET /api/v1/lab/{} says how far it is", parts.last_id)};
    }
    parts.replaying = true;
    id = ++parts.last_id;
    parts.replays[id] = {};
    if (parts.replays.size() > most_replays) parts.replays.erase(parts.replays.begin());
  }
  std::vector<std::string> argv{"lab",         "replay",
                                "--database",  parts.options.database,
                                "--budget",    fmt::format("{}", wish.budget),
                                "--policy",    wish.policy,
                                "--objective", wish.objective,
                                "--threads",   "1",
                                "--progress",  "--json"};
  parts.replayer.give(
      [&parts, id, argv = std::move(argv)] {
        const auto progress = [&parts, id](double part) {
          const std::lock_guard lock(parts.mutex);
          parts.replays[id].progress = part;
        };
        Ended ended;
        try {
          ended = parts.run(argv, "", parts.options.longest_replay, progress);
        } catch (const std::exception& error) {  // or no other replay would ever begin
          ended.complaint = printable(error.what(), most_words);
        }
        parts.finish_replay(id, ended);
      },
      1);
  return id;
}

void Workshop::Parts::finish_replay(std::int64_t id, const Ended& ended) {
  std::optional<boost::json::value> output = output_of(ended);
  const std::lock_guard lock(mutex);
  replaying = false;
  Replay& replay = replays[id];
  if (ended.end.ok() && output) {
    replay.state = Replay::State::done;
    replay.progress = 1;
    replay.result = std::move(*output);
  } else {
    replay.state = Replay::State::failed;
    replay.error = ended.words();
  }
}

std::optional<Workshop::Replay> Workshop::replay(std::int64_t id) const {
  const std::lock_guard lock(parts_->mutex);
  const auto found = parts_->replays.find(id);
  if (found == parts_->replays.end()) return std::nullopt;
  return found->second;
}

}  // namespace pollux::web
