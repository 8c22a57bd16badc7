#include "pollux/report/masks.hpp"

#include "pollux/base/text.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/text.hpp"

#include <optional>

#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return printable(out, 120);
}

boost::json::array as_array(const std::vector<std::string>& words) {
  boost::json::array out;
  for (const std::string& word : words) out.push_back(json_utf8(word));
  return out;
}

}  // namespace

std::string mask_text(const extract::Mask& mask) {
  std::string out(extract::name_of(mask.kind));
  if (!mask.before.empty()) out += " after “" + joined(mask.before) + "”";
  if (!mask.after.empty()) out += " before “" + joined(mask.after) + "”";
  return out;
}

boost::json::object mask_json(const extract::Mask& mask) {
  return {{"kind", extract::name_of(mask.kind)},
          {"before", as_array(mask.before)},
          {"after", as_array(mask.after)},
          {"ignore", json_utf8(extract::ignore_pattern(mask))}};
}

std::string ignore_line(const extract::Mask& mask) {
  return "ignore: [" + yaml_text(extract::ignore_pattern(mask)) + "]";
}

std::vector<std::string> masks_text(const std::vector<store::MaskView>& masks, WallTime now) {
  std::vector<std::string> lines;
  const std::string* url = nullptr;  // that the last lines are of
  for (const store::MaskView& row : masks) {
    if (url == nullptr || *url != row.url) lines.push_back(printable_url(row.url));
    url = &row.url;
    const std::optional<extract::Mask> mask = extract::mask_from_text(row.mask);
    lines.push_back(fmt::format("  {}  {}, {}; made {}, last matched {}", row.id, row.state,
                                mask ? mask_text(*mask) : "not readable", ago(row.made_at, now),
                                ago(row.last_matched_at, now)));
    if (mask) lines.push_back("      " + ignore_line(*mask));
  }
  return lines;
}

boost::json::array masks_json(const std::vector<store::MaskView>& masks) {
  boost::json::array all;
  for (const store::MaskView& row : masks) {
    const std::optional<extract::Mask> mask = extract::mask_from_text(row.mask);
    boost::json::object object{{"id", row.id},
                               {"url", row.url},
                               {"page_id", value(row.page)},
                               {"state", row.state},
                               {"made_at", json_time(row.made_at)},
                               {"last_matched_at", json_time(row.last_matched_at)}};
    // What nobody can read is told all the same.
    for (const char* field : {"kind", "before", "after", "ignore"}) object[field] = nullptr;
    if (mask) {
      for (const auto& [field, what] : mask_json(*mask)) object[field] = what;
    }
    all.push_back(std::move(object));
  }
  return all;
}

}  // namespace pollux::report
