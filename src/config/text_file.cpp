#include "config/text_file.hpp"

#include "config/message.hpp"
#include "pollux/base/text.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::config {
namespace {

constexpr std::size_t largest_file = 1u << 30;

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

std::string reason(int code) {
  return std::generic_category().message(code);
}

// Length of a well-formed UTF-8 sequence at `at`, or 0. Control characters other than tab and line
// ends count as malformed: no text editor writes them.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char lead = byte(at);
  if (lead < 0x80) {
    return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  }
  if (lead >= 0xC2 && lead <= 0xDF) return follows(at + 1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) return follows(at + 1) && follows(at + 2) ? 3 : 0;
  if (lead >= 0xF0 && lead <= 0xF4) {
    return follows(at + 1) && follows(at + 2) && follows(at + 3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::string_view what) {
  const auto fail = [&](std::string_view problem, ExitCode code) {
    return Error{fmt::format("{}: the {} {}", printable(path), what, problem), code};
  };
  // Not blocking: a FIFO nobody writes to must not hang the daemon.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) {
    return fail(errno == ENOENT ? "does not exist; give the path of an existing file"
                                : "cannot be opened: " + reason(errno),
                ExitCode::missing_input);
  }
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) return fail("cannot be read: " + reason(errno), ExitCode::io);
  if (S_ISDIR(info.st_mode)) {
    return fail("is a directory; give the path of a file", ExitCode::missing_input);
  }
  if (!S_ISREG(info.st_mode)) {
    return fail("is not an ordinary file; give the path of one", ExitCode::missing_input);
  }
  if (info.st_size > static_cast<off_t>(largest_file)) {
    return fail("is larger than 1 GiB", ExitCode::bad_data);
  }
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail("cannot be read: " + reason(errno), ExitCode::io);
    if (got == 0) break;  // it became shorter meanwhile
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

Status accept_text(std::string& text, const std::string& file, Tabs tabs, ExitCode code) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::uint32_t line = 1;
  bool indentation = true;
  bool tab = false;
  for (std::size_t i = 0; i < text.size();) {
    // Nearly all of a long list.
    while (!indentation && i < text.size() && text[i] >= ' ' && text[i] <= '~') ++i;
    if (i == text.size()) break;
    const char c = text[i];
    const std::size_t length = character_length(text, i);
    if (length == 0) {
      return Error{
          at(file, line,
             fmt::format("not a text file in UTF-8 (byte \\x{:02x}); save it as UTF-8 text",
                         static_cast<unsigned char>(c))),
          code};
    }
    i += length;
    if (c == '\n') {
      ++line;
      indentation = true;
      tab = false;
    } else if (indentation && c == '\t') {
      tab = true;
    } else if (indentation && c != ' ' && c != '\r') {
      indentation = false;
      if (tab && tabs == Tabs::refuse_in_indentation) {
        return Error{at(file, line, "a tab in the indentation; write spaces"), code};
      }
    }
  }
  return success();
}

}  // namespace pollux::config
