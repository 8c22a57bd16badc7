// OPML, as feed readers export it: outlines with a feed (or a link) are pages, those around them
// are their tags.
#include "import/readers.hpp"
#include "import/words.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/xml_walk.hpp"

namespace pollux::import {
namespace {

class OpmlVisitor final : public extract::XmlVisitor {
 public:
  OpmlVisitor(const TextFile& file, Collector& out) : file_(file), out_(out) {}

  void start(std::string_view name, std::span<const extract::XmlAttribute> attributes,
             std::uint32_t line) override {
    if (name != "outline") return;
    const auto value = [&](std::string_view wanted) -> std::string_view {
      for (const extract::XmlAttribute& one : attributes) {
        if (lowered(one.name) == lowered(wanted)) return trimmed(one.value);
      }
      return {};
    };
    const std::string_view title = value("title").empty() ? value("text") : value("title");
    std::string_view url = value("xmlUrl");
    if (url.empty()) url = value("url");
    if (url.empty() && value("type") == "link") url = value("htmlUrl");
    folders_.emplace_back(url.empty() ? title : std::string_view());
    if (url.empty()) return;
    std::optional<Page> page = out_.page(url, {file_.name, line});
    if (!page) return;
    Collector::set_name(*page, title);
    for (const std::string& folder : folders_) Collector::add_tag(*page, folder);
    std::string categories(value("category"));
    Collector::add_tags(*page, categories);
    out_.add(std::move(*page), {file_.name, line});
  }
  void text(std::string_view) override {}
  void end(std::string_view name) override {
    if (name == "outline" && !folders_.empty()) folders_.pop_back();
  }

 private:
  const TextFile& file_;
  Collector& out_;
  std::vector<std::string> folders_;  // around this place; empty ones have no name
};

}  // namespace

Status read_opml(const TextFile& file, Collector& out) {
  const std::string_view root = extract::xml_root(file.text);
  if (!root.empty() && root != "opml") {
    return Error{printable(file.name) + ":1: no OPML: there is no <opml>", ExitCode::bad_data};
  }
  OpmlVisitor visitor(file, out);
  const Result<extract::Walked> walked = extract::walk_xml(file.text, visitor);
  if (!walked) {
    return Error{printable(file.name) + ": no OPML: " + walked.error().message, ExitCode::bad_data};
  }
  if (*walked == extract::Walked::with_errors)
    out.changed({file.name, 0}, "it is not well-formed XML; what can be read was taken");
  return success();
}

}  // namespace pollux::import
