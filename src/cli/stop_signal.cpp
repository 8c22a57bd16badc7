#include "cli/stop_signal.hpp"

#include <csignal>

#include <time.h>

namespace pollux::cli {
namespace {

volatile std::sig_atomic_t stop_signal_came = 0;

void note_stop(int) {
  stop_signal_came = 1;
}

}  // namespace

StopSignal::StopSignal() {
  stop_signal_came = 0;
  struct sigaction action {};
  action.sa_handler = &note_stop;  // without SA_RESTART: whoever waits wakes up
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

bool StopSignal::came() const {
  return stop_signal_came != 0;
}

bool StopSignal::rest(Duration length) const {
  // A signal between the question and the sleep costs a tenth of a second.
  constexpr Duration piece = std::chrono::milliseconds(100);
  for (Duration left = length; left > Duration(0) && !came(); left -= piece) {
    const Duration now = left < piece ? left : piece;
    const timespec time{0, static_cast<long>(now.count() * 1000)};
    nanosleep(&time, nullptr);
  }
  return !came();
}

}  // namespace pollux::cli
