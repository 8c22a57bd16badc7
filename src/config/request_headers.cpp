#include "config/request_headers.hpp"

#include "config/message.hpp"
#include "config/section_readers.hpp"
#include "config/text_file.hpp"
#include "config/value_readers.hpp"
#include "pollux/base/text.hpp"
#include "pollux/config/headers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>

namespace pollux::config {
namespace {

constexpr std::size_t longest_secret = 8u << 10;
constexpr std::size_t longest_value = 2000;
constexpr std::size_t most_headers = 50;
constexpr std::string_view credentials_variable = "$CREDENTIALS_DIRECTORY/";

// Headers that the fetcher writes itself, with the key that sets them where there is one.
struct Reserved {
  std::string_view name;
  std::string_view cure;
};
constexpr Reserved reserved[] = {
    {"host", "it comes from the URL"},
    {"user-agent", "use the key user_agent"},
    {"accept-encoding", "the fetcher decides what it can decode"},
    {"if-none-match", "the page's own validators are sent"},
    {"if-modified-since", "the page's own validators are sent"},
    {"if-match", "the page's own validators are sent"},
    {"if-range", "pages are fetched whole"},
    {"range", "pages are fetched whole"},
    {"content-length", "requests have no body"},
    {"transfer-encoding", "requests have no body"},
    {"connection", "connections are managed by the fetcher"},
    {"expect", "requests have no body"},
    {"te", "connections are managed by the fetcher"},
    {"upgrade", "connections are managed by the fetcher"},
    {"proxy-authorization", "use network.proxy_auth_file"},
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view name_in(std::string_view line) {
  return line.substr(0, line.find(':'));
}

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && text.size() <= 100 && std::all_of(text.begin(), text.end(), [&](char c) {
    const char l = lower(c);
    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || marks.find(c) != marks.npos;
  });
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? letters[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

// People write a login where the path of its file belongs; messages do not repeat it then.
bool may_be_secret(std::string_view path) {
  constexpr std::size_t long_for_a_name = 16;
  return path.find(':') != path.npos ||
         (path.size() >= long_for_a_name && path.find_first_of("/.") == path.npos);
}

// A path, where the service manager's folder of credentials may be written as it calls it.
Status read_secret_path(const LoadContext& r, const Key& key, const Node& value,
                        std::string& path) {
  if (value.kind() != Kind::scalar || !value.text().starts_with(credentials_variable)) {
    return read_path(r, key, value, path);
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment
  const char* const folder = std::getenv("CREDENTIALS_DIRECTORY");
  if (folder == nullptr || *folder == '\0') {
    return r.error(value, fmt::format("{}: there is no $CREDENTIALS_DIRECTORY; give the service a "
                                      "LoadCredential= or write a path",
                                      name_of(key)));
  }
  path = fmt::format("{}/{}", folder, value.text().substr(credentials_variable.size()));
  return success();
}

}  // namespace

void warn_if_readable_by_all(LoadContext& r, const Node& where, const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || (info.st_mode & S_IROTH) == 0) return;
  std::string message = at(r.file, where.line(),
                           fmt::format("everybody can read the secret in {}; run: chmod o-r {}",
                                       printable(path), printable(path)));
  const auto told = [&](const Warning& warning) { return warning.message == message; };
  if (std::none_of(r.warnings.begin(), r.warnings.end(), told)) {
    r.warnings.push_back({std::move(message)});
  }
}

Result<std::string> read_secret(LoadContext& r, const Key& key, const Node& value) {
  std::string path;
  if (Status status = read_secret_path(r, key, value, path); !status) return status.error();
  Result<std::string> text = read_file(path, "secret file");
  if (!text && text.error().exit_code == ExitCode::missing_input && may_be_secret(value.text())) {
    return r.error(value, fmt::format("{}: there is no such file; if this is the secret itself, "
                                      "write it into a file and the file's path here",
                                      name_of(key)));
  }
  if (!text) {
    return Error{r.error(value, fmt::format("{}: {}", name_of(key), text.error().message)).message,
                 text.error().exit_code};
  }
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  if (text->empty() || text->size() > longest_secret || !is_plain(*text)) {
    return r.error(value, fmt::format("{}: {} does not hold one line of 1 to {} printable ASCII "
                                      "characters",
                                      name_of(key), printable(path), longest_secret));
  }
  warn_if_readable_by_all(r, value, path);
  return text;
}

bool is_secret_header(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '-' && c != '_') plain += lower(c);
  }
  constexpr std::string_view telling[] = {"cookie", "token",   "secret", "passw",     "apikey",
                                          "auth",   "session", "bearer", "credential"};
  return std::any_of(std::begin(telling), std::end(telling),
                     [&](std::string_view part) { return plain.find(part) != plain.npos; });
}

std::string header_complaint(std::string_view name) {
  if (!is_token(name)) {
    return fmt::format("'{}' is no name of a header; write for example Accept-Language",
                       printable(name, 60));
  }
  for (const Reserved& entry : reserved) {
    if (same_name(entry.name, name)) {
      return fmt::format("{} cannot be set here; {}", name, entry.cure);
    }
  }
  return "";
}

bool is_header_value(std::string_view value) {
  return !value.empty() && value.size() <= longest_value && is_plain(value);
}

namespace {

Status check_name(const LoadContext& r, const Node& word) {
  const std::string complaint = header_complaint(word.text());
  if (complaint.empty()) return success();
  return r.error(word, "headers: " + complaint);
}

// "{ file: PATH }", where a secret should not stand in the configuration.
Result<std::string> read_value_from_file(LoadContext& r, const Key& key, const Node& value) {
  const auto word = value.begin();
  if (word == value.end() || (*word).text() != "file") {
    return r.error(
        value, fmt::format("{}: write a value, or {{ file: PATH }} for a secret", name_of(key)));
  }
  auto path = word;
  ++path;
  auto next = path;
  if (++next != value.end()) {
    return r.error(*next, fmt::format("{}: {{ file: PATH }} takes nothing else", name_of(key)));
  }
  return read_secret(r, key, *path);
}

Result<std::string> read_header_value(LoadContext& r, const Key& key, const Node& name,
                                      const Node& value) {
  if (value.kind() == Kind::mapping) return read_value_from_file(r, key, value);
  if (value.kind() != Kind::scalar) {
    return r.error(value, fmt::format("headers: {} is {}; write a value, or {{ file: PATH }} for a "
                                      "secret",
                                      name.text(), kind_name(value.kind())));
  }
  if (same_name(name.text(), "authorization")) {
    return r.error(name,
                   "headers: Authorization is a secret; write auth: { bearer_file: PATH } or "
                   "Authorization: { file: PATH }");
  }
  if (!is_header_value(value.text())) {
    return r.error(value, fmt::format("headers: the value of {} is not 1 to {} printable ASCII "
                                      "characters",
                                      name.text(), longest_value));
  }
  return std::string(value.text());
}

}  // namespace

Result<std::string> read_text_or_secret(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::mapping) return read_value_from_file(r, key, value);
  if (value.kind() == Kind::scalar) return std::string(value.text());
  return r.error(value, fmt::format("'{}' is {}; write a value, or {{ file: PATH }} for a secret",
                                    name_of(key), kind_name(value.kind())));
}

Status read_headers(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::null) return success();
  if (value.kind() != Kind::mapping) {
    return r.error(value, fmt::format("'{}' is {}; write {{ Accept-Language: de }}", name_of(key),
                                      kind_name(value.kind())));
  }
  for (auto at = value.begin(); at != value.end(); ++at) {
    const Node name = *at;
    const Node what = *++at;
    if (!r.note(check_name(r, name))) continue;
    const Result<std::string> text = read_header_value(r, key, name, what);
    if (!text) {
      r.note(text.error());
      continue;
    }
    set_header(r.headers, fmt::format("{}: {}", name.text(), *text));
    if (what.kind() == Kind::scalar && is_secret_header(name.text())) {
      r.warnings.push_back(
          {config::at(r.file, what.line(),
                      fmt::format("headers: the value of {} looks like a secret, and "
                                  "whoever reads this file reads it; write {}: {{ file: "
                                  "PATH }}",
                                  name.text(), name.text()))});
    }
  }
  if (r.headers.size() > most_headers) {
    return r.error(value, fmt::format("more than {} headers", most_headers));
  }
  return success();
}

Status read_auth(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::scalar || value.kind() == Kind::list) {
    // The value is not repeated: it may be the secret itself.
    return r.error(value,
                   "auth: a login does not stand here; write user:password into a file that only "
                   "the daemon can read, and here auth: { basic_file: PATH } (or bearer_file for "
                   "a token)");
  }
  if (value.kind() == Kind::mapping) {
    std::size_t words = 0;
    for (auto at = value.begin(); at != value.end(); ++at) ++words;
    if (words > 2) return r.error(value, "auth: write basic_file or bearer_file, not both");
  }
  return read_section(r, key, value);
}

Status read_basic_file(LoadContext& r, const Key& key, const Node& value) {
  const Result<std::string> secret = read_secret(r, key, value);
  if (!secret) return secret.error();
  if (secret->find(':') == std::string::npos) {
    return r.error(value, "auth: the file of basic_file must hold user:password");
  }
  set_header(r.headers, "Authorization: Basic " + base64(*secret));
  return success();
}

Status read_bearer_file(LoadContext& r, const Key& key, const Node& value) {
  const Result<std::string> secret = read_secret(r, key, value);
  if (!secret) return secret.error();
  set_header(r.headers, "Authorization: Bearer " + *secret);
  return success();
}

Status read_login_file(LoadContext& r, const Key& key, const Node& value, std::string& out) {
  Result<std::string> secret = read_secret(r, key, value);
  if (!secret) return secret.error();
  if (secret->find(':') == std::string::npos) {
    return r.error(value, fmt::format("{}: the file must hold user:password", name_of(key)));
  }
  out = std::move(*secret);
  return success();
}

Status read_proxy_auth_file(LoadContext& r, const Key& key, const Node& value) {
  return read_login_file(r, key, value, r.config.fetch.proxy_login);
}

void warn_of_open_credentials(const Config& config, std::vector<Warning>& warnings) {
  std::vector<bool> secret(config.header_sets.size());
  for (std::size_t i = 1; i < secret.size(); ++i) {
    const HeaderLines& lines = *config.header_sets[i];
    secret[i] = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
      return same_name(name_in(line), "authorization") || same_name(name_in(line), "cookie");
    });
  }
  if (std::find(secret.begin(), secret.end(), true) == secret.end()) return;
  std::size_t count = 0;
  const Page* first = nullptr;
  for (const Page& page : config.pages) {
    const std::uint32_t headers = config.settings[page.settings].headers;
    if (headers == 0 || !secret[headers] || !page.url.starts_with("http:")) continue;
    if (count++ == 0) first = &page;
  }
  if (count == 0) return;
  warnings.push_back(
      {fmt::format("{}: {} pages send a login over plain http, the first is {}; "
                   "write https:// if the server knows it",
                   printable(config.file), count, printable_url(first->url))});
}

void set_header(HeaderLines& lines, const std::string& line) {
  const auto same = std::find_if(lines.begin(), lines.end(), [&](const std::string& other) {
    return same_name(name_in(other), name_in(line));
  });
  if (same == lines.end()) {
    lines.push_back(line);
  } else {
    *same = line;
  }
}

std::uint32_t HeaderSets::number_of(const HeaderLines& lines) {
  if (lines.empty()) return 0;
  if (config_.header_sets.empty()) config_.header_sets.push_back(nullptr);
  const auto [found, fresh] =
      known_.try_emplace(lines, static_cast<std::uint32_t>(config_.header_sets.size()));
  if (fresh) config_.header_sets.push_back(std::make_shared<const HeaderLines>(lines));
  return found->second;
}

std::uint32_t HeaderSets::joined(std::uint32_t general, std::uint32_t special) {
  if (general == 0 || special == 0) return std::max(general, special);
  const auto [found, fresh] = joined_.try_emplace({general, special}, 0);
  if (fresh) {
    HeaderLines lines = *config_.header_sets[general];
    for (const std::string& line : *config_.header_sets[special]) set_header(lines, line);
    found->second = number_of(lines);
  }
  return found->second;
}

}  // namespace pollux::config
