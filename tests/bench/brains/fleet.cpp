#include "bench/brains/fleet.hpp"

#include "pollux/store/reader.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace pollux::test {

Watcher::Watcher(const ChangingSite& site, const Options& options, NatsServers* nats)
    : site_(site), options_(options) {
  std::ofstream file(folder_ / "pollux.yaml");
  file << "budget: " << options.budget << "\ndatabase: brain.db\n"
       << "network: { allow: [127.0.0.0/8] }\nlearner: { seed: " << options.seed << " }\n"
       << "hosts: { delay: 0s, connections: 64, adaptive_delay: 0, robots: ignore }\n"
       << "defaults: { min_interval: 0s, timeout: 5s, content: { as: raw } }\n";
  if (nats) {
    const bus::Options line = nats->client(options.name);
    file << "brains: { name: " << options.name << " }\nnats:\n  servers: [";
    for (const std::string& server : line.servers) file << "\"" << server << "\", ";
    file << "]\n  ca_file: " << line.ca_file << "\n  certificate_file: " << line.certificate_file
         << "\n  key_file: " << line.key_file << "\n";
  }
  file << "pages:\n";
  for (const std::size_t page : options.pages)
    file << "  - " << site.url(options.number, page) << "\n";
}

void Watcher::start() {
  program_ = std::make_unique<Program>(
      POLLUX_BINARY, folder_,
      std::vector<std::string>{"run", "--config", (folder_ / "pollux.yaml").string()});
}

void Watcher::kill() {
  program_->send(SIGKILL);
  program_->wait();
  program_.reset();
}

void Watcher::stop() {
  program_->send(SIGTERM);
  const Finished finished = program_->wait();
  if (finished.exit_code != 0)
    std::printf("   %s ended with %d: %s\n", name().c_str(), finished.exit_code,
                finished.err.c_str());
  program_.reset();
}

std::uint64_t Watcher::epoch() const {
  if (!program_) return 0;
  const std::string said = program_->text("err");
  const std::string words = "divides the budget now, epoch ";
  const std::size_t at = said.rfind(words);
  return at == std::string::npos ? 0 : std::strtoull(said.c_str() + at + words.size(), nullptr, 10);
}

std::vector<std::size_t> Watcher::changes(std::chrono::system_clock::time_point from,
                                          std::chrono::system_clock::time_point to) const {
  std::vector<std::size_t> found(site_.pages(), 0);
  auto reader = store::Reader::open(folder_ / "brain.db");
  if (!reader.ok()) return found;
  store::Reader::ChangeQuery every;
  every.limit = 10'000'000;
  const auto changes = (*reader)->changes(every);
  if (!changes.ok()) return found;
  for (const store::ChangeView& change : *changes) {
    if (change.row.found_at < from || change.row.found_at >= to) continue;
    ++found[std::strtoul(change.url.c_str() + change.url.rfind('/') + 1, nullptr, 10)];
  }
  return found;
}

double Watcher::cpu_seconds() const {
  if (!program_) return 0;
  std::ifstream file("/proc/" + std::to_string(program_->pid()) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 2));  // from the third one on
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace pollux::test
