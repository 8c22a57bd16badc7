#include "web/metrics_text.hpp"

#include <cmath>

#include <spdlog/fmt/fmt.h>

namespace pollux::web {
namespace {

class Writer {
 public:
  // The head of a family of figures; its lines follow.
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  void line(double value, std::string_view label = {}, std::string_view of = {}) {
    text_ += name_;
    if (!label.empty()) text_ += fmt::format("{{{}=\"{}\"}}", label, escaped_label(of));
    text_ += ' ' + number(value) + '\n';
  }
  void gauge(std::string_view name, double value, std::string_view help) {
    family(name, "gauge", help);
    line(value);
  }
  void counter(std::string_view name, double value, std::string_view help) {
    family(name, "counter", help);
    line(value);
  }
  void histogram(std::string_view name, const engine::Histogram& of, std::string_view help) {
    family(name, "histogram", help);
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < of.counts.size(); ++i) {
      so_far += of.counts[i];
      const std::string bound =
          i < of.bounds.size() ? fmt::format("{}", of.bounds[i]) : std::string("+Inf");
      text_ += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, bound, so_far);
    }
    text_ += fmt::format("{}_sum {}\n{}_count {}\n", name, number(of.sum), name, so_far);
  }
  std::string take() { return std::move(text_); }

 private:
  static std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", value);
  }
  std::string text_, name_;
};

double number_of(std::uint64_t count) {
  return static_cast<double>(count);
}

void write_process(Writer& out, const ProcessFigures& process) {
  out.gauge("pollux_ready", process.ready ? 1 : 0,
            "1: polls go on and what they find can be kept, as /readyz says.");
  out.gauge("pollux_engine_silent_seconds", process.silent_seconds,
            "Since the engine last gave a sign; about a second when all is well.");
  // Named as all programs name them.
  out.gauge("process_resident_memory_bytes", number_of(process.resident_bytes),
            "Resident memory size in bytes.");
  out.counter("process_cpu_seconds_total", process.cpu_seconds,
              "Total user and system CPU time spent in seconds.");
}

void write_polls(Writer& out, const engine::PollTotals& totals) {
  out.counter("pollux_requests_total", number_of(totals.requests),
              "Requests that were sent: polls, redirects, retries, robots.txt.");
  out.counter("pollux_polls_total", number_of(totals.polls), "Polls that were begun.");
  out.counter("pollux_polls_explored_total", number_of(totals.explored),
              "Polls of the page polled longest ago, to explore.");
  out.counter("pollux_looks_total", number_of(totals.looks),
              "Polls out of turn because a sibling had changed.");
  out.counter("pollux_looks_found_total", number_of(totals.looks_found),
              "Those of them that found a change.");
  out.family("pollux_polls_ended_total", "counter", "Polls that have ended, by verdict.");
  for (const char* verdict : {"baseline", "same", "changed", "noisy", "withheld", "unknown"}) {
    const auto found = totals.verdicts.find(verdict);
    out.line(found == totals.verdicts.end() ? 0 : number_of(found->second), "verdict", verdict);
  }
  out.family("pollux_changes_total", "counter",
             "Differences found: changed (told), noisy (waits for another look), withheld (not "
             "believed).");
  for (const char* verdict : {"changed", "noisy", "withheld"}) {
    const auto found = totals.verdicts.find(verdict);
    out.line(found == totals.verdicts.end() ? 0 : number_of(found->second), "verdict", verdict);
  }
  out.family("pollux_errors_total", "counter", "Polls that saw no content, by class of error.");
  if (totals.errors.empty()) out.line(0, "class", "other");
  for (const auto& [name, count] : totals.errors) out.line(number_of(count), "class", name);
  out.histogram("pollux_poll_lateness_seconds", totals.lateness,
                "From the decision to poll a page until its request is sent.");
  out.histogram("pollux_fetch_seconds", totals.fetches,
                "From sending a request to the end of its answer.");
}

// Of each agent, by its name.
void write_agents(Writer& out, const engine::Metrics& m) {
  if (m.agents.empty()) return;
  const auto family = [&](std::string_view name, std::string_view type, std::string_view help,
                          auto value) {
    out.family(name, type, help);
    for (const auto& agent : m.agents)
      out.line(static_cast<double>(value(agent)), "agent", agent.name);
  };
  family("pollux_agent_alive", "gauge", "Whether it has asked for polls lately.",
         [](const auto& agent) { return agent.alive ? 1 : 0; });
  family("pollux_agent_polls_in_flight", "gauge", "Polls that it has.",
         [](const auto& agent) { return agent.in_flight; });
  family("pollux_agent_renders", "gauge", "Pages that it renders at a time; 0: it has no browser.",
         [](const auto& agent) { return agent.renders; });
  family("pollux_agent_slots", "gauge", "Polls that it takes at a time.",
         [](const auto& agent) { return agent.slots; });
  family("pollux_agent_polls_total", "counter", "Polls that it has made.",
         [](const auto& agent) { return agent.polls; });
  family("pollux_agent_polls_unused_total", "counter", "Polls that it did not begin.",
         [](const auto& agent) { return agent.unused; });
  family("pollux_agent_polls_lost_total", "counter", "Polls of which nothing was heard.",
         [](const auto& agent) { return agent.lost; });
  family("pollux_agent_results_late_total", "counter", "Results that came again, or too late.",
         [](const auto& agent) { return agent.late; });
  family("pollux_agent_faults_total", "counter", "Messages that could not be used.",
         [](const auto& agent) { return agent.faults; });
  family("pollux_agent_received_bytes_total", "counter", "Bytes of its messages.",
         [](const auto& agent) { return agent.bytes; });
  family("pollux_agent_download_seconds", "gauge", "What a download takes there, smoothed.",
         [](const auto& agent) { return agent.seconds; });
}

void write_engine(Writer& out, const engine::Snapshot& snapshot) {
  const engine::Metrics& m = snapshot.metrics;
  write_agents(out, m);
  out.gauge("pollux_budget_requests_per_second", m.budget,
            "The budget; +Inf when there is no limit.");
  out.gauge("pollux_budget_used_polls_per_second", m.poll_rate,
            "Polls made, smoothed over minutes.");
  out.gauge("pollux_max_interval_stretch_ratio", m.max_interval_stretch,
            "How much longer max_intervals are because the budget cannot pay for them; 1: not.");
  out.gauge("pollux_pages", number_of(snapshot.pages), "Pages in the list that are not paused.");
  out.gauge("pollux_hosts", number_of(snapshot.hosts), "Hosts that are known.");
  if (snapshot.hosts_blocked)
    out.gauge("pollux_hosts_blocked", number_of(*snapshot.hosts_blocked),
              "Hosts that have asked to be left alone for a while.");
  out.gauge("pollux_polls_in_flight", number_of(snapshot.polls_in_flight),
            "Polls under way, those that wait for detection included.");
  out.gauge("pollux_fetches_out", number_of(m.fetches_out), "Fetches under way.");
  out.gauge("pollux_fetches_allowed", number_of(m.fetches_allowed), "Fetches that may be.");
  out.gauge("pollux_detect_queue_pages", number_of(m.detect_waiting),
            "Fetched pages that wait for change detection.");
  out.counter("pollux_detect_starved_seconds_total", m.detect_starved_seconds,
              "Time in which change detection had nothing to do.");
  out.counter("pollux_detect_overflows_total", number_of(m.detect_overflows),
              "Fetched pages that found the queue of change detection full.");
  out.gauge("pollux_loop_stall_p999_seconds", to_seconds(m.stall_p999),
            "99.9 % of the event loop's turns came at most this late.");
  out.gauge("pollux_loop_stall_longest_seconds", to_seconds(m.longest_stall),
            "The longest that the event loop was held up.");
  out.gauge("pollux_writer_queue_polls", number_of(snapshot.writer_queue),
            "Results that wait to be written.");
  out.counter("pollux_writer_batches_total", number_of(snapshot.writer_batches),
              "Batches that were written to the database.");
  out.gauge("pollux_writer_failing", snapshot.problem.empty() ? 0 : 1,
            "1: the database cannot be written.");
}

void write_learner(Writer& out, const engine::LearnerFigures& learner) {
  out.gauge("pollux_learner_expected_changes_per_poll_ratio", learner.expected_changes_per_poll,
            "What a poll finds on average, by the learnt rates and the present shares.");
  const double optimum = learner.optimum_changes_per_poll;
  out.gauge("pollux_learner_optimum_ratio",
            optimum > 0 ? learner.expected_changes_per_poll / optimum : 1,
            "That, compared with the best possible by the learnt rates without any limits.");
  out.gauge("pollux_learner_share_gini_ratio", learner.gini,
            "How unequal shares are: 0 all the same, near 1 all for a few.");
  out.gauge("pollux_learner_unrest_ratio", learner.unrest,
            "Part of the polls that looks everywhere because predictions fail.");
  out.gauge("pollux_learner_rated_pages", number_of(learner.with_rate),
            "Pages of which a rate of change is known.");
}

void write_stored(Writer& out, const StoredFigures& stored) {
  if (stored.database_bytes)
    out.gauge("pollux_database_bytes", number_of(*stored.database_bytes), "Size of the database.");
  if (stored.wal_bytes)
    out.gauge("pollux_database_wal_bytes", number_of(*stored.wal_bytes), "Size of its log.");
  if (stored.content_bytes)
    out.gauge("pollux_content_bytes", number_of(*stored.content_bytes),
              "Size of the file that holds versions.");
  if (stored.pages_paused)
    out.gauge("pollux_pages_paused", static_cast<double>(*stored.pages_paused),
              "Pages that are paused.");
  if (!stored.notifications) return;
  out.family("pollux_notifications", "gauge", "Notifications kept, by state.");
  out.line(static_cast<double>(stored.notifications->waiting), "state", "waiting");
  out.line(static_cast<double>(stored.notifications->sent), "state", "sent");
  out.line(static_cast<double>(stored.notifications->dead), "state", "dead");
}

}  // namespace

std::string escaped_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string metrics_text(const engine::Snapshot& snapshot, const StoredFigures& stored,
                         const WebFigures& web, const ProcessFigures& process) {
  Writer out;
  out.family("pollux_build_info", "gauge", "1, with the version of the program.");
  out.line(1, "version", POLLUX_VERSION);
  write_process(out, process);
  write_polls(out, snapshot.totals);
  write_engine(out, snapshot);
  if (snapshot.learner) write_learner(out, *snapshot.learner);
  write_stored(out, stored);
  out.gauge("pollux_web_connections", number_of(web.connections), "Connections of the web server.");
  out.gauge("pollux_web_connections_allowed", number_of(web.most_connections),
            "Connections that it holds at most.");
  return out.take();
}

}  // namespace pollux::web
