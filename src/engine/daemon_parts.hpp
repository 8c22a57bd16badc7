// What the daemon is made of, besides its lists and its event loop; daemon.cpp wires it.
#pragma once

#include "engine/daemon_news.hpp"
#include "engine/database_watch.hpp"
#include "engine/housekeeping.hpp"
#include "engine/lists.hpp"
#include "engine/poll_events.hpp"
#include "engine/poll_loop.hpp"
#include "engine/private_keeper.hpp"
#include "engine/reload.hpp"
#include "engine/reload_thread.hpp"
#include "engine/saver.hpp"
#include "engine/shared_budget.hpp"
#include "engine/snapshots.hpp"
#include "engine/steering.hpp"
#include "engine/watchdog.hpp"
#include "engine/writer_outbox.hpp"
#include "pollux/agent/remote_fetcher.hpp"
#include "pollux/bus/bus.hpp"
#include "pollux/engine/daemon.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/notify/notifier.hpp"
#include "pollux/store/writer.hpp"

#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

namespace pollux::engine {

// In the order in which they may be destroyed: the last one first.
struct DaemonParts {
  std::shared_ptr<const store::OpenFiles> database_files = {};
  std::unique_ptr<store::Writer> writer = {};
  std::unique_ptr<WriterOutbox> outbox = {};
  std::unique_ptr<notify::Notifier> notifier = {};
  std::unique_ptr<DaemonNews> news = {};
  std::unique_ptr<Housekeeping> housekeeping = {};
  std::unique_ptr<DatabaseWatch> database_watch = {};
  std::shared_ptr<EventHub> events = std::make_shared<EventHub>();
  std::unique_ptr<PollEvents> poll_events = std::make_unique<PollEvents>(events);
  std::unique_ptr<PollLoop> poll_loop = {};
  std::unique_ptr<Saver> saver = {};
  SnapshotBoard board = {};
  std::unique_ptr<Snapshots> snapshots = {};
  std::unique_ptr<PrivateKeeper> private_keeper = {};
  std::unique_ptr<Watchdog> watchdog = {};
  std::unique_ptr<ReloadThread> reload_thread = {};
  std::unique_ptr<Reload> reload = {};
  std::unique_ptr<SteeringDesk> steering = {};
  std::unique_ptr<bus::Bus> bus = {};      // null: there are no agents
  agent::RemoteFetcher* agents = nullptr;  // a part of `fetcher`; likewise
  std::unique_ptr<fetch::Fetcher> fetcher = {};
  std::unique_ptr<SharedBudget> shared_budget = {};
  std::unique_ptr<Timer> grace_timer = {};
};

// Where they run and what they work on; all of it outlives them.
struct Surroundings {
  boost::asio::io_context& io;
  EventLoop& loop;  // that of `io`
  const Clock& clock;
  Rng& rng;
  Lists& lists;
};

// The poll loop, and the fetcher that answers it: on the loop's own thread, or on several
// (fetch.threads). The writer is there already.
Status make_polling(DaemonParts& parts, const Surroundings& around, const DaemonOptions& options);

// Who tells people, with the rules of the configuration. The writer is there already.
void make_notifier(DaemonParts& parts, const Lists& lists, const Clock& clock);

// Who looks after the poll loop, from outside: what it has learnt is saved and shown, its files are
// read anew, commands reach it, its part of a shared budget is asked for. The poll loop and the
// writer are there already.
void make_keepers(DaemonParts& parts, const Surroundings& around, Reload::Callbacks reload);
void begin_keepers(DaemonParts& parts);
// The daemon stops, but what is under way has not ended yet.
void stop_keepers(DaemonParts& parts);

// Those of a new configuration.
void bring_access_points_into_force(DaemonParts& parts, Lists& lists);

// What whoever asks for the status is told: of this process, and of its last reload.
store::Batch rows_of_start(const Lists& lists, const Clock& clock, const DaemonOptions& options);
store::Batch rows_of_reload(const std::string& refusal, const Clock& clock);

}  // namespace pollux::engine
