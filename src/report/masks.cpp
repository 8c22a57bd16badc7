#include "pollux/report/masks.hpp"

#include "pollux/base/text.hpp"
#include "pollux/extract/ignore_rules.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

constexpr std::string_view expired = "expired";

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    const bool any = word.starts_with('#') && word != "##";  // a number or a token, whichever
    out += (out.empty() ? "" : " ") + (any ? "…" : word == "##" ? "#" : extract::readable(word));
  }
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

boost::json::object mask_json(const extract::Mask& mask, const std::string& ignore) {
  return {{"kind", extract::name_of(mask.kind)},
          {"before", as_array(mask.before)},
          {"after", as_array(mask.after)},
          {"ignore", ignore.empty() ? boost::json::value(nullptr) : json_utf8(ignore)}};
}

std::string ignore_line(const std::vector<std::string>& patterns) {
  std::string list;
  for (const std::string& pattern : patterns)
    list += (list.empty() ? "" : ", ") + yaml_text(pattern);
  return "ignore: [" + list + "]";
}

std::vector<std::string> ignore_patterns(const std::vector<store::MaskView>& masks,
                                         const KeptTexts& texts) {
  std::vector<std::string> patterns(masks.size());
  std::map<std::string_view, std::vector<std::size_t>> pages;
  for (std::size_t i = 0; i < masks.size(); ++i) pages[masks[i].url].push_back(i);
  for (const auto& [url, rows] : pages) {
    std::vector<extract::Mask> readable;
    std::vector<std::size_t> at;
    for (const std::size_t row : rows) {
      std::optional<extract::Mask> mask = extract::mask_from_text(masks[row].mask);
      if (!mask) continue;
      patterns[row] = extract::ignore_pattern(*mask);
      if (masks[row].state == expired) continue;
      readable.push_back(std::move(*mask));
      at.push_back(row);
    }
    const auto text = texts.find(std::string(url));
    if (text == texts.end()) continue;
    const std::string_view look[] = {text->second};
    const extract::IgnoreRules rules = extract::ignore_rules(readable, look);
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (rules.of_mask[i] != extract::IgnoreRules::none)
        patterns[at[i]] = rules.patterns[rules.of_mask[i]];
    }
  }
  return patterns;
}

std::vector<std::string> patterns_in_force(const std::vector<store::MaskView>& masks,
                                           const KeptTexts& texts) {
  const std::vector<std::string> all = ignore_patterns(masks, texts);
  std::vector<std::string> once;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const bool known = std::ranges::find(once, all[i]) != once.end();
    if (!all[i].empty() && !known && masks[i].state != expired) once.push_back(all[i]);
  }
  return once;
}

std::vector<std::string> masks_text(const std::vector<store::MaskView>& masks,
                                    const KeptTexts& texts, WallTime now) {
  std::vector<std::string> lines;
  for (auto row = masks.begin(); row != masks.end();) {
    std::vector<store::MaskView> page;
    for (const std::string& url = row->url; row != masks.end() && row->url == url; ++row)
      page.push_back(*row);
    lines.push_back(printable_url(page.front().url));
    for (const store::MaskView& one : page) {
      const std::optional<extract::Mask> mask = extract::mask_from_text(one.mask);
      lines.push_back(fmt::format("  {}  {}, {}; made {}, last matched {}", one.id, one.state,
                                  mask ? mask_text(*mask) : "not readable", ago(one.made_at, now),
                                  ago(one.last_matched_at, now)));
    }
    const std::vector<std::string> patterns = patterns_in_force(page, texts);
    if (!patterns.empty()) lines.push_back("      " + ignore_line(patterns));
  }
  return lines;
}

boost::json::array masks_json(const std::vector<store::MaskView>& masks, const KeptTexts& texts) {
  boost::json::array all;
  const std::vector<std::string> patterns = ignore_patterns(masks, texts);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const store::MaskView& row = masks[i];
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
      for (const auto& [field, what] : mask_json(*mask, patterns[i])) object[field] = what;
    }
    all.push_back(std::move(object));
  }
  return all;
}

}  // namespace pollux::report
