#include "config/message.hpp"
#include "config/text_file.hpp"
#include "pollux/config/config.hpp"
#include "pollux/config/document.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace pollux::config {
namespace {

// The value of the key `database` of this text, "" if it has none; nullopt when it is no mapping.
std::optional<Result<std::string>> named_in(const std::string& text, const std::string& file) {
  const Result<Document> document = Document::parse(text, file, ExitCode::configuration);
  if (!document || document->root().kind() != Kind::mapping) return std::nullopt;
  const Node root = document->root();
  for (auto at = root.begin(); at != root.end(); ++at) {
    const bool wanted = (*at).text() == "database";
    const Node value = *++at;
    if (!wanted) continue;
    if (value.kind() == Kind::scalar && !value.text().empty()) return std::string(value.text());
    return Error{config::at(file, value.line(), "'database' is no path; write the name of a file"),
                 ExitCode::configuration};
  }
  return std::string();
}

// The line that starts with the key, of a text that is not YAML at present.
std::string line_of_database(const std::string& text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (text.compare(start, 9, "database:") == 0) return text.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return "{}\n";
}

}  // namespace

Result<std::string> database_of(const std::string& file) {
  Result<std::string> text = read_file(file, "configuration file");
  if (!text) return text.error();
  // What it says of the text does not matter here, and neither do tabs.
  static_cast<void>(accept_text(*text, file, Tabs::allow, ExitCode::configuration).ok());
  std::optional<Result<std::string>> named = named_in(*text, file);
  if (!named) named = named_in(line_of_database(*text), file);
  if (named && !named->ok()) return named->error();
  const std::string path = named && !(**named).empty() ? **named : Config().database;
  return (std::filesystem::path(file).parent_path() / path).string();
}

}  // namespace pollux::config
