#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/control.hpp"
#include "cli/control_socket.hpp"
#include "cli/no_core_dump.hpp"
#include "cli/output.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/log.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/engine/daemon.hpp"

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <malloc.h>
#include <spdlog/spdlog.h>

namespace pollux::cli {
namespace {

// One that comes while the configuration is being read asks for a reload, not for the end: it waits
// until the daemon hears signals.
void hold_reloads() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

// Bodies and what they unfold to are large and few: they go back to the system when they are freed.
// Left alone, malloc keeps blocks of up to 32 MB for each thread: of bodies that came together, a
// hundred megabytes more.
void give_large_blocks_back() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread yet
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

int run_daemon(const std::string& file) {
  hold_reloads();
  give_large_blocks_back();
  forbid_core_dump();
  std::vector<std::string> errors;
  Result<config::Loaded> loaded = load_configuration(file, &errors);
  if (!loaded.ok()) return report_configuration("pollux", loaded.error(), errors);
  set_up_logging(loaded->config.log);
  for (const config::Warning& warning : loaded->warnings) spdlog::warn("{}", warning.message);
  for (const config::Warning& note : loaded->notes) spdlog::info("{}", note.message);

  const SystemClock clock;
  engine::DaemonOptions options;
  options.reload = [file] { return load_configuration(file); };
  const std::string socket = control_socket_for(loaded->config);
  options.meta.emplace_back(control_socket_row,
                            socket.empty() ? config::no_control_socket : socket);
  web::Workshop workshop({.configuration = std::filesystem::absolute(file).string(),
                          .database = std::filesystem::absolute(loaded->config.database).string()});
  const ControlWish wish{socket, loaded->config.database, !loaded->config.control_socket.empty(),
                         &workshop};
  const std::optional<web::Options> web_wish = loaded->config.web;
  Result<std::unique_ptr<engine::Daemon>> daemon =
      engine::Daemon::create(std::move(loaded->config), options, clock);
  if (!daemon.ok()) return report(daemon.error());
  // They end before the daemon does.
  const Result<std::unique_ptr<web::Control>> control =
      start_control(wish, (*daemon)->steering(), clock);
  if (!control.ok()) return report(control.error());
  const Result<std::unique_ptr<web::Web>> web =
      start_web(web_wish, wish.database, **daemon, clock, wish.workshop);
  if (!web.ok()) return report(web.error());
  const Status ended = (*daemon)->run();
  if (!ended.ok()) return report(ended.error());
  spdlog::info("stopped; everything is saved");
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

std::function<int()> setup_run(CommandLine& line) {
  auto file = std::make_shared<std::string>();
  line.option("--config", *file, "The configuration file (see config/pollux.yaml)")
      .required()
      .called("FILE");
  line.footer(
      "SIGHUP reads the configuration again; SIGTERM and SIGINT save state and stop.\n"
      "What it found: pollux pages, changes, status, explain, or the sqlite3 command.\n"
      "Steer it with pollux add, pause, poll, set and the like (control.socket).");
  return [file] { return run_daemon(*file); };
}

}  // namespace pollux::cli
