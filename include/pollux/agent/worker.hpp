// An agent: takes polls from its brain, fetches, hashes and extracts, and reports. It decides
// nothing about when or whether to poll, follows no redirect and repeats nothing; what it keeps are
// its own locks: a poll that comes too late is not begun, a host is asked by so many requests at a
// time and with a pause between them, and polls with secrets are taken only where that is said.
//
// RECEIVED → QUEUED → PREPARING → FETCHING → (EXTRACTING) → REPORTED → gone when the brain has
// acknowledged it. How late a poll may begin counts from the ask that it answers, on a clock that
// goes on while the machine sleeps; no moment of another machine is ever looked at.
// It paces a lease of the brain's budget, and sends nothing when that has ended.
// Threading: the loop's thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/bus/bus.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pollux::agent {

// What is to be found in a body whose bytes are news.
struct Extraction {
  std::string body, content_type;
  extract::SharedRules rules;
  std::optional<fetch::Remote::Hash> known;  // of the content: then it need not travel
  bool wants_whole = false;
  bool hash_first = false;  // content that is not known is put aside
};
// Content that waits until the brain asks for it.
struct SetAside {
  fetch::Remote::Hash hash{};
  std::uint64_t size = 0;
  bool squeezed = false;
  std::string bytes;
};
struct Extracted {
  std::string packed;  // by extract::pack()
  std::optional<SetAside> aside = {};
};
// Any thread.
Extracted extract_for_brain(const Extraction& task);
// Makes it, wherever, and gives the result on the worker's thread, not from inside the call.
using Extractor = std::function<void(Extraction, std::function<void(Extracted)> done)>;

// Politeness towards one host.
struct HostManners {
  Duration delay = std::chrono::seconds(1);  // from one request to the next
  int connections = 1;                       // requests at a time
};

struct WorkerOptions {
  std::string name = {};
  std::uint64_t instance = 0;  // random at every start, not 0
  std::uint32_t slots = 256;   // polls that are here at a time, from their arrival to their receipt
  bool secrets = false;
  // Pages that its browser renders at a time; 0: it has none, and polls that need one are refused.
  std::uint32_t renders = 0;
  std::function<HostManners(const std::string& host_port)> manners = {};  // null: as by default
  Duration ask_every = std::chrono::milliseconds(500);
  Duration longest_ttl = std::chrono::seconds(5);  // whatever a brain says
  // Another brain is obeyed when the one before has been silent for so long.
  Duration loyalty = std::chrono::seconds(3);
  Duration keep_results = std::chrono::seconds(60);  // for a brain that does not acknowledge them
  Duration repeat_after = std::chrono::milliseconds(500);  // later more rarely
  std::size_t room = std::size_t{96} << 20;                // bytes of bodies
  std::uint64_t max_body = std::uint64_t{32} << 20;        // whatever a brain says
  std::size_t aside_room = std::size_t{16} << 20;          // bytes of content put aside, ...
  Duration keep_aside = std::chrono::seconds(10);          // ... for so long
};

struct WorkerFigures {
  std::uint64_t polls = 0, unused = 0, repeated = 0, faults = 0;
  std::uint64_t browser_failures =
      0;  // pages that could not be rendered, through no fault of theirs
  std::size_t here = 0;
  bool connected = false, has_brain = false, refused = false;
};

class Worker final : public fetch::Handler {
 public:
  struct Parts {
    EventLoop& loop;
    const Clock& clock;  // of the loop
    const Clock& boot;   // goes on while the machine sleeps
    bus::Bus& bus;
    Extractor extract;
  };
  Worker(Parts parts, WorkerOptions options);
  ~Worker() override;

  void begin(fetch::Fetcher& fetcher);
  // Takes nothing more; `on_idle` once everything is reported and acknowledged.
  void stop(std::function<void()> on_idle);
  WorkerFigures figures() const;

  void on_ready(fetch::Token token) override;
  void on_piece(fetch::Token token, std::string piece) override;
  void on_done(fetch::Response response) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::agent
