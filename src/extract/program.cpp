#include "pollux/extract/program.hpp"

#include "extract/child.hpp"
#include "pollux/base/text.hpp"

#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::extract {
namespace {

constexpr std::array<std::string_view, 3> folders = {"/usr/local/bin/", "/usr/bin/", "/bin/"};
constexpr std::size_t complaint_kept = 4096;

bool executable(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

// Sealed: what the program reads, nobody changes.
Descriptor file_with(std::string_view input) {
  Descriptor file(::memfd_create("pollux-input", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  while (file && !input.empty()) {
    const ssize_t written = ::write(file.get(), input.data(), input.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Descriptor();
    input.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file && (::lseek(file.get(), 0, SEEK_SET) != 0 ||
               ::fcntl(file.get(), F_ADD_SEALS,
                       F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0))
    return Descriptor();
  return file;
}

// Another one is asked to do the same where children may be started.
bool refused(const ProgramBounds& bounds) {
  if (bounds.children == nullptr || !bounds.children->refused) return false;
  bounds.children->wanted = true;
  return true;
}

ProgramEnd not_started(int problem) {
  return {.how = ProgramEnd::How::not_started, .code = problem, .output = {}, .complaint = {}};
}

std::vector<char*> as_execve_wants(std::span<const std::string> words) {
  std::vector<char*> all;
  for (const std::string& word : words)
    all.push_back(const_cast<char*>(word.c_str()));  // it changes none
  all.push_back(nullptr);
  return all;
}

ProgramEnd finish(Child& child, const ProgramBounds& bounds) {
  ProgramEnd end;
  std::string errors;
  const Watched watched =
      child.watch(bounds.deadline, bounds.children != nullptr ? bounds.children->stop : nullptr,
                  {&end.output, bounds.max_output}, {&errors, complaint_kept, &bounds.on_errors});
  const int status = child.end();
  end.complaint = complaint_in(errors);
  if (watched == Watched::out_of_time) {
    end.how = ProgramEnd::How::out_of_time;
  } else if (watched == Watched::stopped) {
    end.how = ProgramEnd::How::stopped;
  } else if (watched == Watched::too_much) {
    end.how = ProgramEnd::How::too_much_output;
    end.output.resize(bounds.max_output);
  } else if (WIFSIGNALED(status)) {
    const bool of_processor_time = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGPROF;
    end.how = of_processor_time ? ProgramEnd::How::out_of_time : ProgramEnd::How::killed;
    end.code = WTERMSIG(status);
  } else {
    end.code = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace

std::optional<std::string> find_program(std::string_view name) {
  if (name.starts_with('/')) {
    return executable(std::string(name)) ? std::optional(std::string(name)) : std::nullopt;
  }
  if (name.empty() || name.find('/') != std::string_view::npos) return {};
  for (const std::string_view folder : folders) {
    std::string path = std::string(folder) + std::string(name);
    if (executable(path)) return path;
  }
  return {};
}

ProgramEnd run_program(std::span<const std::string> argv, std::string_view input,
                       const ProgramBounds& bounds) {
  if (refused(bounds)) return not_started(EPERM);
  const Descriptor file = file_with(input);
  if (!file) return not_started(errno);
  const std::vector<char*> arguments = as_execve_wants(argv);
  const std::vector<char*> environment = as_execve_wants(bounds.environment);
  Child child;
  const int problem = child.start_program(arguments.data(), environment.data(), file.get(),
                                          ChildLimits::of(bounds));
  return problem == 0 ? finish(child, bounds) : not_started(problem);
}

ProgramEnd run_in_child(const std::function<std::string()>& work, const ProgramBounds& bounds) {
  if (refused(bounds)) return not_started(EPERM);
  Child child;
  const int problem = child.start_work(work, ChildLimits::of(bounds));
  return problem == 0 ? finish(child, bounds) : not_started(problem);
}

std::string complaint_in(std::string_view errors) {
  while (!errors.empty() && (errors.front() == '\n' || errors.front() == ' '))
    errors.remove_prefix(1);
  return printable(errors.substr(0, errors.find_first_of("\r\n")), 200);
}

std::string describe(const ProgramEnd& end) {
  std::string text;
  switch (end.how) {
    case ProgramEnd::How::exited:
      text = "ends with status " + std::to_string(end.code);
      break;
    case ProgramEnd::How::killed:
      text = "is ended by signal " + std::to_string(end.code);
      break;
    case ProgramEnd::How::out_of_time:
      text = "takes longer than it may";
      break;
    case ProgramEnd::How::too_much_output:
      text = "prints more than it may";
      break;
    case ProgramEnd::How::stopped:
      text = "is not waited for any longer";
      break;
    case ProgramEnd::How::not_started:
      return "does not start: " + std::system_category().message(end.code);
  }
  return end.complaint.empty() ? text : text + ": " + end.complaint;
}

}  // namespace pollux::extract
