// A run of the pollux binary; its output goes to files in `folder`.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace pollux::test {

struct Finished {
  int exit_code = -1;  // -1: ended by a signal
  std::string out, err;
};

// POLLUX_BINARY in the environment stands for the program that was built beside the tests: an
// installed one, or one from before a fix, which the fix's test must find wrong.
inline std::string chosen_program(const std::string& binary) {
#ifdef POLLUX_BINARY
  const char* other = std::getenv("POLLUX_BINARY");
  if (other && binary == POLLUX_BINARY) return other;
#endif
  return binary;
}

class Program {
 public:
  Program(const std::string& binary, const std::filesystem::path& folder,
          std::vector<std::string> arguments,
          const std::vector<std::pair<std::string, std::string>>& environment = {})
      : folder_(folder) {
    arguments.insert(arguments.begin(), chosen_program(binary));
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string out = (folder_ / "out").string(), err = (folder_ / "err").string();
    pid_ = fork();
    if (pid_ == 0) {
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      const bool ready = std::freopen(out.c_str(), "w", stdout) != nullptr &&
                         std::freopen(err.c_str(), "w", stderr) != nullptr &&
                         chdir(folder_.c_str()) == 0;
      if (ready) execv(argv[0], argv.data());
      _exit(127);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait();
    }
  }
  void send(int signal) const { kill(pid_, signal); }
  pid_t pid() const { return pid_; }
  // It is past the start where a signal does what it does by default: blocked, handled or ignored.
  bool minds(int signal) const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string word; status >> word;) {
      if (word != "SigBlk:" && word != "SigIgn:" && word != "SigCgt:") continue;
      std::string mask;
      status >> mask;
      if (std::stoull(mask, nullptr, 16) >> (signal - 1) & 1) return true;
    }
    return false;
  }
  double peak_mb() const {  // of memory, while it runs
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    double kb = 0;
    for (std::string word; status >> word;) {
      if (word == "VmHWM:") status >> kb;
    }
    return kb / 1024;
  }
  Finished wait() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text("out"), text("err")};
  }
  std::string text(const char* name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path folder_;
  pid_t pid_ = -1;
};

}  // namespace pollux::test
