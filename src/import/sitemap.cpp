// sitemaps.org: <urlset> with pages, or <sitemapindex> with further sitemaps.
#include "import/readers.hpp"
#include "import/words.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/xml_walk.hpp"

namespace pollux::import {
namespace {

constexpr std::size_t most_sitemaps = 50'000;  // of an index, as the protocol has it
constexpr std::size_t longest_location = 16u << 10;

class SitemapVisitor final : public extract::XmlVisitor {
 public:
  SitemapVisitor(const TextFile& file, Collector& out, std::vector<std::string>& further)
      : file_(file), out_(out), further_(further) {}

  void start(std::string_view name, std::span<const extract::XmlAttribute>,
             std::uint32_t line) override {
    // An image has a location, too, one level further down.
    reading_ = depth_ == 2 && name == "loc" && (parent_ == "url" || parent_ == "sitemap");
    if (depth_ == 1) parent_ = name;
    if (reading_) {
      location_.clear();
      line_ = line;
    }
    has_hints_ = has_hints_ || (depth_ == 2 && (name == "changefreq" || name == "priority"));
    ++depth_;
  }
  void text(std::string_view text) override {
    if (reading_ && location_.size() <= longest_location) location_ += text;
  }
  void end(std::string_view name) override {
    --depth_;
    if (!reading_ || name != "loc") return;
    reading_ = false;
    const std::string_view location = trimmed(location_);
    if (parent_ == "sitemap") {
      if (further_.size() < most_sitemaps) further_.emplace_back(location);
    } else if (std::optional<Page> page = out_.page(location, {file_.name, line_})) {
      out_.add(std::move(*page), {file_.name, line_});
    }
  }
  bool has_hints() const { return has_hints_; }

 private:
  const TextFile& file_;
  Collector& out_;
  std::vector<std::string>& further_;
  std::string parent_, location_;
  std::size_t depth_ = 0;
  std::uint32_t line_ = 0;
  bool reading_ = false, has_hints_ = false;
};

}  // namespace

Status read_sitemap(const TextFile& file, Collector& out, std::vector<std::string>& further) {
  const std::string_view root = extract::xml_root(file.text);
  if (!root.empty() && root != "urlset" && root != "sitemapindex") {
    return Error{
        printable(file.name) + ":1: no sitemap: it has neither <urlset> nor <sitemapindex>",
        ExitCode::bad_data};
  }
  SitemapVisitor visitor(file, out, further);
  const Result<extract::Walked> walked = extract::walk_xml(file.text, visitor);
  if (!walked) {
    return Error{printable(file.name) + ": no sitemap: " + walked.error().message,
                 ExitCode::bad_data};
  }
  if (*walked == extract::Walked::with_errors)
    out.changed({file.name, 0}, "it is not well-formed XML; what can be read was taken");
  if (visitor.has_hints())
    out.left_out_once(file.name, "changefreq and priority: how often a page changes is learnt");
  return success();
}

}  // namespace pollux::import
