#include "engine/private_file.hpp"

#include "pollux/base/text.hpp"

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::engine {
namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t most_bytes = 256u << 20;
constexpr std::string_view key_word = "key ", cookie_word = "cookie ";

struct Descriptor {
  explicit Descriptor(int opened) : fd(opened) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int fd;
};

Error failed(const char* what, const std::string& file) {
  return {std::string("cannot ") + what + " " + printable(file) + ": " +
              std::generic_category().message(errno),
          ExitCode::io};
}

std::string to_hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string from_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes.size() == key_bytes ? bytes : std::string();
}

void take_line(std::string_view line, Secrets& secrets,
               std::map<std::string, fetch::CookieLines>& cookies) {
  if (line.starts_with(key_word)) {
    secrets.key = from_hex(line.substr(key_word.size()));
  } else if (line.starts_with(cookie_word)) {
    line.remove_prefix(cookie_word.size());
    const std::size_t tab = line.find('\t');  // no URL has one
    if (tab != std::string_view::npos)
      cookies[std::string(line.substr(0, tab))].emplace_back(line.substr(tab + 1));
  }
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string private_file(const std::string& database) {
  return database + "-private";
}

std::string new_key() {
  std::string key(key_bytes, '\0');
  if (getentropy(key.data(), key.size()) != 0) return {};
  return key;
}

Result<Secrets> read_secrets(const std::string& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (opened.fd < 0 && errno == ENOENT) return Secrets{};
  struct stat about {};
  if (opened.fd < 0 || ::fstat(opened.fd, &about) != 0) return failed("read", file);
  if (!S_ISREG(about.st_mode) || static_cast<std::size_t>(about.st_size) > most_bytes)
    return Error{printable(file) + " is no file of Pollux", ExitCode::bad_data};
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t read = ::read(opened.fd, text.data() + have, text.size() - have);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return failed("read", file);
    if (read == 0) break;
    have += static_cast<std::size_t>(read);
  }
  Secrets secrets;
  std::map<std::string, fetch::CookieLines> cookies;
  for (std::string_view rest = std::string_view(text).substr(0, have); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    take_line(rest.substr(0, end), secrets, cookies);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (auto& [url, lines] : cookies)
    secrets.jars.emplace(url, std::make_shared<const fetch::CookieLines>(std::move(lines)));
  return secrets;
}

Status write_secrets(const std::string& file, const Secrets& secrets) {
  std::string text = "# Pollux: cookies and a key. For its daemon alone.\n";
  text.append(key_word).append(to_hex(secrets.key)).append("\n");
  for (const auto& [url, jar] : secrets.jars) {
    for (const std::string& line : *jar)
      text.append(cookie_word).append(url).append("\t").append(line).append("\n");
  }
  const std::string fresh = file + ".new";
  ::unlink(fresh.c_str());  // of a daemon that was killed
  {
    const Descriptor opened(
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (opened.fd < 0) return failed("write", fresh);
    if (!write_all(opened.fd, text) || ::fsync(opened.fd) != 0) {
      const Error why = failed("write", fresh);
      ::unlink(fresh.c_str());
      return why;
    }
  }
  if (::rename(fresh.c_str(), file.c_str()) != 0) return failed("write", file);
  return success();
}

}  // namespace pollux::engine
