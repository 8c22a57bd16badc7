// Files that others read: lines of JSON, and an Atom feed.
#include "notify/channels.hpp"
#include "pollux/base/text.hpp"
#include "pollux/notify/render.hpp"

#include <cerrno>
#include <cstdio>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::notify {
namespace {

constexpr std::size_t most_entries = 100;  // of a feed
constexpr std::size_t largest_feed = 16u << 20;
constexpr mode_t file_mode = 0644;

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, file_mode)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  const int number_;
};

Attempt failed(const std::string& path) {
  return {.error = printable(path, 200) + ": " + std::system_category().message(errno)};
}

bool write_whole(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A line is whole or not there: what a full disk or a kill has left of one is no part of the next.
class FileChannel final : public Channel {
 public:
  explicit FileChannel(ToFile file) : path_(std::move(file.path)) {}

  Attempt send(const Message& message) override {
    // Whatever lies there must not hold the thread.
    const OpenFile file(path_, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK);
    if (!file) return failed(path_);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return failed(path_);
    // What is written to a pipe is gone when nobody reads it.
    if (!S_ISREG(info.st_mode)) return {.error = printable(path_, 200) + " is no ordinary file"};
    std::string line = boost::json::serialize(json_of(message)) + "\n";
    char last = '\n';
    if (info.st_size > 0 && ::pread(file.get(), &last, 1, info.st_size - 1) == 1 && last != '\n')
      line.insert(0, 1, '\n');
    if (!write_whole(file.get(), line) || (::fdatasync(file.get()) != 0 && errno != EINVAL)) {
      Attempt attempt = failed(path_);
      if (::ftruncate(file.get(), info.st_size) != 0)
        attempt.error += ", and part of a line stayed";
      return attempt;
    }
    return {.delivered = true};
  }
  void cancel() override {}

 private:
  const std::string path_;
};

std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t start = text.find(open);
  if (start == std::string_view::npos) return {};
  const std::size_t end = text.find(close, start);
  if (end == std::string_view::npos) return {};
  return text.substr(start + open.size(), end - start - open.size());
}

std::vector<std::string_view> entries_in(std::string_view feed) {
  constexpr std::string_view open = "<entry>\n", close = "</entry>\n";
  std::vector<std::string_view> entries;
  for (auto at = feed.find(open); at != std::string_view::npos; at = feed.find(open, at)) {
    const std::size_t end = feed.find(close, at);
    if (end == std::string_view::npos) break;
    entries.push_back(feed.substr(at, end + close.size() - at));
    at = end + close.size();
  }
  return entries;
}

// The newest events, each once; replaced as a whole, so a reader never sees half of it.
class AtomChannel final : public Channel {
 public:
  explicit AtomChannel(ToAtom feed) : path_(std::move(feed.path)) {}

  Attempt send(const Message& message) override {
    std::string before;
    if (Attempt attempt = read(before); !attempt.error.empty()) return attempt;
    const std::string fresh = atom_entries(message);
    std::string entries;
    std::set<std::string_view> known;
    for (const std::string_view text : {std::string_view(fresh), std::string_view(before)}) {
      for (const std::string_view entry : entries_in(text)) {
        if (known.size() == most_entries) break;
        if (known.insert(between(entry, "<id>", "</id>")).second) entries += entry;
      }
    }
    const std::string feed = atom_feed(message.rule, message.sent_at, entries);
    const std::string aside = path_ + ".new";
    {
      const OpenFile file(aside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK);
      if (!file || !write_whole(file.get(), feed) || ::fsync(file.get()) != 0) return failed(aside);
    }
    if (std::rename(aside.c_str(), path_.c_str()) != 0) return failed(path_);
    return {.delivered = true};
  }
  void cancel() override {}

 private:
  // The feed so far; one that is not there or far too large begins anew.
  Attempt read(std::string& text) const {
    // Whatever lies there must not hold the thread.
    const OpenFile file(path_, O_RDONLY | O_NONBLOCK);
    if (!file) return errno == ENOENT ? Attempt{} : failed(path_);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return failed(path_);
    if (!S_ISREG(info.st_mode)) return {.error = printable(path_, 200) + " is no ordinary file"};
    if (info.st_size > static_cast<off_t>(largest_feed)) return {};
    text.resize(static_cast<std::size_t>(info.st_size));
    std::size_t have = 0;
    while (have < text.size()) {
      const ssize_t got = ::read(file.get(), text.data() + have, text.size() - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed(path_);
      if (got == 0) break;
      have += static_cast<std::size_t>(got);
    }
    text.resize(have);
    return {};
  }
  const std::string path_;
};

}  // namespace

std::unique_ptr<Channel> make_file(const ToFile& file) {
  return std::make_unique<FileChannel>(file);
}

std::unique_ptr<Channel> make_atom(const ToAtom& feed) {
  return std::make_unique<AtomChannel>(feed);
}

}  // namespace pollux::notify
