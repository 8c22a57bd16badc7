#include "cli/import_output.hpp"

#include "cli/atomic_file.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/config/config.hpp"
#include "pollux/report/text.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;
using import::Imported;
using import::Note;

Error cannot_create(const fs::path& path, const std::string& why) {
  return Error{fmt::format("cannot create {}: {}", printable(path.string()), why),
               ExitCode::cannot_create};
}

// Letters, digits, dots and dashes; hosts and headers have little else.
std::string file_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 100)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    name += kept ? c : '_';
  }
  return name;
}

// Files in the folder of secrets, each created by us and readable by its owner alone. Whoever has
// put a link in its place does not learn them.
class SecretFolder {
 public:
  explicit SecretFolder(fs::path folder) : folder_(std::move(folder)) {}
  ~SecretFolder() {
    if (opened_ >= 0) ::close(opened_);
  }
  SecretFolder(const SecretFolder&) = delete;
  SecretFolder& operator=(const SecretFolder&) = delete;

  // The path as the list names it: relative to the folder that both lie in.
  Result<std::string> write(const std::string& wanted, const std::string& secret) {
    if (Status opened = open(); !opened) return opened.error();
    constexpr int most_tries = 10'000;
    for (int number = 1; number <= most_tries; ++number) {
      const std::string name = number == 1 ? wanted : fmt::format("{}-{}", wanted, number);
      const fs::path path = folder_ / name;
      const int fd = ::openat(opened_, name.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
      if (fd < 0 && errno == EEXIST) continue;
      if (fd < 0) return cannot_create(path, std::generic_category().message(errno));
      const std::string line = secret + "\n";
      const bool written = ::write(fd, line.data(), line.size()) == std::ssize(line);
      if (::close(fd) != 0 || !written) return cannot_create(path, "it cannot be written");
      return (folder_.filename() / name).string();
    }
    return cannot_create(folder_ / wanted, "too many files of that name");
  }

 private:
  Status open() {
    if (opened_ >= 0) return success();
    if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
      return cannot_create(folder_, std::generic_category().message(errno));
    opened_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened_ >= 0) return success();
    return cannot_create(folder_, errno == ENOTDIR || errno == ELOOP
                                      ? "a link or a file stands there; move it away"
                                      : std::generic_category().message(errno));
  }

  fs::path folder_;
  int opened_ = -1;
};

// What is wrong with the list, as the daemon would read it.
Status read_again(const fs::path& out) {
  const fs::path folder = out.parent_path();
  const std::string text =
      "budget: unlimited\npages_file: " + report::yaml_text(out.filename().string()) + "\n";
  const Result<config::Loaded> loaded = config::load_text(text, (folder / "pollux.yaml").string());
  if (loaded) return success();
  return Error{"the list that was written cannot be read, which is a defect of pollux: " +
                   loaded.error().message,
               ExitCode::software};
}

struct Taken {
  std::size_t names = 0, tagged = 0, intervals = 0, rules = 0, headers = 0;
};

Taken taken_of(const Imported& imported) {
  Taken taken;
  for (const import::Page& page : imported.pages) {
    if (!page.name.empty()) ++taken.names;
    if (!page.tags.empty()) ++taken.tagged;
    if (page.max_interval || page.min_interval) ++taken.intervals;
    if (!(page.content == extract::Rules{})) ++taken.rules;
    if (!page.headers.empty() || !page.login.empty() || !page.user_agent.empty()) ++taken.headers;
  }
  return taken;
}

std::string counted(std::size_t number, std::string_view thing) {
  return count_of(static_cast<std::int64_t>(number), thing);
}

std::string line_of(const Note& note) {
  std::string line = "  " + printable(note.file);
  if (note.line > 0) line += fmt::format(":{}", note.line);
  if (!note.url.empty()) line += ": " + note.url;
  return line + ": " + note.what + "\n";
}

void add_notes(std::string& out, std::string_view title, const import::Notes& notes) {
  if (notes.count == 0) return;
  out += fmt::format("{} ({}):\n", title, notes.count);
  for (const Note& note : notes.kept) out += line_of(note);
  if (notes.count > notes.kept.size())
    out += fmt::format("  and {} more\n", notes.count - notes.kept.size());
}

boost::json::array json_of(const import::Notes& notes) {
  boost::json::array all;
  for (const Note& note : notes.kept) {
    boost::json::object one{{"file", printable(note.file)}, {"what", note.what}};
    one["line"] = note.line > 0 ? boost::json::value(note.line) : boost::json::value(nullptr);
    one["url"] = note.url.empty() ? boost::json::value(nullptr) : boost::json::value(note.url);
    all.push_back(std::move(one));
  }
  return all;
}

boost::json::array json_of(const std::vector<std::string>& texts) {
  boost::json::array all;
  for (const std::string& text : texts) all.emplace_back(printable_url(text));
  return all;
}

}  // namespace

Result<ImportFiles> write_import(const Imported& imported, const std::string& source,
                                 const std::string& out) {
  ImportFiles files;
  files.list = out;
  const fs::path path(out);
  std::error_code problem;
  if (fs::exists(fs::symlink_status(path, problem)))
    return cannot_create(path, "it exists; choose another name, or move it away");
  const fs::path folder = path.parent_path();
  SecretFolder secrets(folder / (path.stem().string() + "-secrets"));
  for (const import::Secret& secret : import::secrets_of(imported)) {
    Result<std::string> name = secrets.write(file_name(secret.name), secret.value);
    if (!name) return name.error();
    files.secrets.push_back(std::move(*name));
  }
  for (const import::Notification& target : imported.notifications) {
    Result<std::string> name = secrets.write("notify-" + file_name(target.service), target.url);
    if (!name) return name.error();
    files.notifications.push_back(std::move(*name));
  }
  const std::string yaml =
      import::pages_yaml(imported, files.secrets, import_heading(imported, source));
  if (Status written = write_atomically(path, yaml); !written) return written.error();
  if (Status good = read_again(path); !good) return good.error();
  return files;
}

std::string import_heading(const Imported& imported, const std::string& source) {
  return fmt::format("From {} ({}), by `pollux import`. In pollux.yaml: pages_file: and this file.",
                     source == "-" ? "standard input" : printable(source),
                     import::name_of(imported.format));
}

std::string import_report(const Imported& imported, const std::string& source,
                          const ImportFiles& files) {
  const Taken taken = taken_of(imported);
  std::string out =
      fmt::format("taken from {} ({}): {}", source == "-" ? "standard input" : printable(source),
                  import::name_of(imported.format), counted(imported.pages.size(), "page"));
  const auto also = [&](std::size_t number, std::string_view what) {
    if (number > 0) out += fmt::format(", {} with {}", number, what);
  };
  also(taken.names, "a name");
  also(taken.tagged, "tags");
  also(taken.intervals, "intervals");
  also(taken.rules, "rules for their content");
  also(taken.headers, "headers or a login");
  out += '\n';
  add_notes(out, "changed", imported.changed);
  add_notes(out, "not taken", imported.left_out);
  for (std::size_t i = 0; i < imported.notifications.size(); ++i) {
    const import::Notification& target = imported.notifications[i];
    out += fmt::format("not taken: messages by {} ({}){}\n", target.service,
                       target.pages == 0 ? "for all pages" : counted(target.pages, "page"),
                       i < files.notifications.size() ? "; the URL is in " + files.notifications[i]
                                                      : std::string());
  }
  for (const std::string& url : imported.further)
    out += fmt::format("not read: {}; put it beside the index, nothing is fetched\n",
                       printable_url(url));
  const std::size_t secrets = import::secrets_of(imported).size();
  if (secrets > files.secrets.size()) {
    out += fmt::format("not written: {}; with --out FILE they get files of their own\n",
                       counted(secrets, "secret"));
  }
  for (const std::string& name : files.secrets) out += "secret in " + printable(name) + '\n';
  if (!files.list.empty())
    out += fmt::format("written: {}; in a pollux.yaml beside it: pages_file: {}\n",
                       printable(files.list), printable(fs::path(files.list).filename().string()));
  return out;
}

boost::json::value import_json(const Imported& imported, const std::string& source,
                               const ImportFiles& files) {
  const Taken taken = taken_of(imported);
  boost::json::array notifications;
  for (std::size_t i = 0; i < imported.notifications.size(); ++i) {
    const import::Notification& target = imported.notifications[i];
    boost::json::object one{{"service", target.service}, {"pages", target.pages}};
    one["file"] = i < files.notifications.size() ? boost::json::value(files.notifications[i])
                                                 : boost::json::value(nullptr);
    notifications.push_back(std::move(one));
  }
  return boost::json::object{
      {"source", printable(source)},
      {"format", import::name_of(imported.format)},
      {"pages", imported.pages.size()},
      {"named", taken.names},
      {"tagged", taken.tagged},
      {"with_intervals", taken.intervals},
      {"with_rules", taken.rules},
      {"with_headers", taken.headers},
      {"changed_count", imported.changed.count},
      {"changed", json_of(imported.changed)},
      {"not_taken_count", imported.left_out.count},
      {"not_taken", json_of(imported.left_out)},
      {"notifications", std::move(notifications)},
      {"not_read", json_of(imported.further)},
      {"secrets", json_of(files.secrets)},
      {"out", files.list.empty() ? boost::json::value(nullptr)
                                 : boost::json::value(printable(files.list))}};
}

}  // namespace pollux::cli
