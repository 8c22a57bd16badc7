#include "config/message.hpp"
#include "config/text_file.hpp"
#include "pollux/config/config.hpp"
#include "pollux/config/document.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace pollux::config {
namespace {

using Named = std::optional<Result<std::string>>;

// The value of the key of this mapping, "" if it has none.
Named value_of(const Node& mapping, std::string_view key, const std::string& file) {
  for (auto at = mapping.begin(); at != mapping.end(); ++at) {
    const bool wanted = (*at).text() == key;
    const Node value = *++at;
    if (!wanted) continue;
    if (value.kind() == Kind::scalar && !value.text().empty()) return std::string(value.text());
    return Error{config::at(file, value.line(),
                            "'" + std::string(key) + "' is no path; write the name of a file"),
                 ExitCode::configuration};
  }
  return std::string();
}

// nullopt when the text is no mapping.
Named database_in(const std::string& text, const std::string& file) {
  const Result<Document> document = Document::parse(text, file, ExitCode::configuration);
  if (!document || document->root().kind() != Kind::mapping) return std::nullopt;
  return value_of(document->root(), "database", file);
}
Named socket_in(const std::string& text, const std::string& file) {
  const Result<Document> document = Document::parse(text, file, ExitCode::configuration);
  if (!document || document->root().kind() != Kind::mapping) return std::nullopt;
  const Node root = document->root();
  for (auto at = root.begin(); at != root.end(); ++at) {
    const bool wanted = (*at).text() == "control";
    const Node value = *++at;
    if (wanted && value.kind() == Kind::mapping) return value_of(value, "socket", file);
  }
  return std::string();
}

// The line that starts with the key, of a text that is not YAML at present.
std::string line_of(std::string_view key, const std::string& text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (text.compare(start, key.size(), key) == 0) return text.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return "{}\n";
}

// What it says of the text does not matter here, and neither do tabs.
Result<std::string> read_leniently(const std::string& file) {
  Result<std::string> text = read_file(file, "configuration file");
  if (text) static_cast<void>(accept_text(*text, file, Tabs::allow, ExitCode::configuration).ok());
  return text;
}

}  // namespace

Result<std::string> database_of(const std::string& file) {
  const Result<std::string> text = read_leniently(file);
  if (!text) return text.error();
  Named named = database_in(*text, file);
  if (!named) named = database_in(line_of("database:", *text), file);
  if (named && !named->ok()) return named->error();
  const std::string path = named && !(**named).empty() ? **named : Config().database;
  return (std::filesystem::path(file).parent_path() / path).string();
}

Result<std::string> control_socket_of(const std::string& file) {
  const Result<std::string> text = read_leniently(file);
  if (!text) return text.error();
  Named named = socket_in(*text, file);
  if (!named) named = socket_in(line_of("control:", *text), file);
  if (named && !named->ok()) return named->error();
  if (!named || (**named).empty() || **named == no_control_socket)
    return named ? **named : std::string();
  return (std::filesystem::path(file).parent_path() / **named).string();
}

}  // namespace pollux::config
