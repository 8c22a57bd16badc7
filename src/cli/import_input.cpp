#include "cli/import_input.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;
using import::File;

constexpr std::size_t most_input = std::size_t{256} << 20U;  // of all files together
constexpr std::size_t most_input_files = 100'000;
constexpr int most_rounds = 4;  // an index in an index is against the protocol

struct OpenInput {
  int fd;
  ~OpenInput() {
    if (fd > 0) ::close(fd);
  }
};

Error cannot_read(const std::string& path, const std::string& why, ExitCode code) {
  return Error{printable(path) + ": " + why, code};
}

// All of it, but no more than `most`.
Result<std::string> read_all(int fd, const std::string& path, std::size_t most) {
  std::string bytes;
  char piece[65536];
  for (;;) {
    const ssize_t got = ::read(fd, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path, std::generic_category().message(errno), ExitCode::io);
    if (got == 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(got));
    if (bytes.size() > most) return cannot_read(path, "more than 256 MiB", ExitCode::bad_data);
  }
}

Result<std::string> read_whole(const std::string& path, std::size_t most) {
  // Not blocking: nobody may ever write to a FIFO.
  const OpenInput file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) {
    return cannot_read(
        path, errno == ENOENT ? "there is no such file" : std::generic_category().message(errno),
        ExitCode::missing_input);
  }
  struct stat info {};
  if (::fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode))
    return cannot_read(path, "not an ordinary file", ExitCode::missing_input);
  return read_all(file.fd, path, most);
}

// Settings first; watches and tags in the order of their names, so that two runs agree.
Result<std::vector<std::string>> names_in_folder(const std::string& folder) {
  std::vector<std::string> names;
  for (const char* const name : {"changedetection.json", "url-watches.json"}) {
    std::error_code ignored;
    if (fs::is_regular_file(fs::path(folder) / name, ignored)) {
      names.emplace_back(name);
      break;  // the older one is left behind when a folder is converted
    }
  }
  std::set<std::string> inner;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    for (const char* const name : {"watch.json", "tag.json"}) {
      std::error_code ignored;
      if (inner.size() < most_input_files && fs::is_regular_file(at->path() / name, ignored))
        inner.insert((at->path().filename() / name).string());
    }
  }
  if (problem) return cannot_read(folder, problem.message(), ExitCode::missing_input);
  names.insert(names.end(), inner.begin(), inner.end());
  if (names.empty()) {
    return cannot_read(folder,
                       "no folder of changedetection.io: neither url-watches.json nor a watch.json "
                       "is in it",
                       ExitCode::missing_input);
  }
  return names;
}

Result<std::vector<File>> read_folder(const std::string& folder) {
  const auto names = names_in_folder(folder);
  if (!names) return names.error();
  std::vector<File> files;
  std::size_t left = most_input;
  for (const std::string& name : *names) {
    Result<std::string> bytes = read_whole((fs::path(folder) / name).string(), left);
    if (!bytes) return bytes.error();
    left -= bytes->size();
    files.push_back({name, std::move(*bytes)});
  }
  return files;
}

// "https://example.org/maps/a.xml.gz?x" → "a.xml.gz"; empty: that is no name for a file.
std::string file_name_of(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::string_view name = url.substr(url.rfind('/') + 1);
  return name == "." || name == ".." || name.find('\0') != name.npos ? "" : std::string(name);
}

}  // namespace

Result<std::vector<File>> import_input(const std::string& path) {
  if (path == "-") {
    Result<std::string> bytes = read_all(STDIN_FILENO, "standard input", most_input);
    if (!bytes) return bytes.error();
    return std::vector<File>{{"standard input", std::move(*bytes)}};
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return read_folder(path);
  const fs::path name = fs::path(path).filename();
  if (name == "changedetection.json") {
    const fs::path folder = fs::path(path).parent_path();
    return read_folder(folder.empty() ? "." : folder.string());
  }
  Result<std::string> bytes = read_whole(path, most_input);
  if (!bytes) return bytes.error();
  return std::vector<File>{{path, std::move(*bytes)}};
}

Result<import::Imported> import_with_neighbours(std::vector<File> files, import::Format format,
                                                const std::string& path) {
  std::size_t total = 0;
  for (const File& file : files) total += file.bytes.size();
  for (int round = 0;; ++round) {
    Result<import::Imported> imported = import::import_files(files, format);
    if (!imported || imported->further.empty() || path == "-" || round == most_rounds)
      return imported;
    const std::size_t before = files.size();
    for (const std::string& url : imported->further) {
      const std::string name = file_name_of(url);
      if (name.empty()) continue;
      const fs::path beside = fs::path(path).parent_path() / name;
      std::error_code ignored;
      if (!fs::is_regular_file(beside, ignored)) continue;
      Result<std::string> bytes = read_whole(beside.string(), most_input - total);
      if (!bytes) return bytes.error();
      total += bytes->size();
      files.push_back({beside.string(), std::move(*bytes)});
    }
    if (files.size() == before) return imported;
  }
}

}  // namespace pollux::cli
