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

PageRules page_rules(const std::vector<store::MaskView>& masks, const KeptTexts& texts) {
  PageRules rules;
  rules.of_mask.resize(masks.size());
  std::vector<extract::Mask> in_force;
  std::vector<std::size_t> rows;  // of those
  for (std::size_t i = 0; i < masks.size(); ++i) {
    std::optional<extract::Mask> mask = extract::mask_from_text(masks[i].mask);
    if (!mask) continue;
    rules.of_mask[i] = extract::ignore_pattern(*mask);
    if (masks[i].state == expired) continue;
    in_force.push_back(std::move(*mask));
    rows.push_back(i);
  }
  const auto text = masks.empty() ? texts.end() : texts.find(masks.front().url);
  if (text == texts.end()) {
    for (const std::size_t row : rows) {
      if (std::ranges::find(rules.all, rules.of_mask[row]) == rules.all.end())
        rules.all.push_back(rules.of_mask[row]);
    }
    return rules;
  }
  const std::string_view look[] = {text->second};
  extract::IgnoreRules made = extract::ignore_rules(in_force, look);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool written = made.of_mask[i] != extract::IgnoreRules::none;
    rules.of_mask[rows[i]] = written ? made.patterns[made.of_mask[i]] : "";
    rules.complete = rules.complete && written;
  }
  rules.all = std::move(made.patterns);
  return rules;
}

std::vector<std::string> rule_lines(const PageRules& rules) {
  std::vector<std::string> lines;
  if (!rules.all.empty()) lines.push_back(ignore_line(rules.all));
  if (!rules.complete)
    lines.push_back(rules.all.empty() ? "no rule hides the same and nothing else"
                                      : "no rule hides the rest of it and nothing else");
  return lines;
}

std::vector<std::string> aside_lines(const std::vector<store::MaskView>& masks,
                                     std::string_view kept) {
  constexpr std::size_t most = 8;
  std::vector<extract::Mask> in_force;
  for (const store::MaskView& view : masks) {
    std::optional<extract::Mask> mask = extract::mask_from_text(view.mask);
    if (mask && view.state != expired) in_force.push_back(std::move(*mask));
  }
  std::vector<std::string> lines;
  for (const extract::PlaceAside& place : extract::places_aside(kept, in_force, most)) {
    std::string line = mask_text(place.around);
    line += place.pattern.empty() ? "; no rule hides it and nothing else"
                                  : "; as a rule: " + ignore_line({place.pattern});
    lines.push_back(std::move(line));
  }
  return lines;
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
    for (const std::string& line : rule_lines(page_rules(page, texts)))
      lines.push_back("      " + line);
  }
  return lines;
}

boost::json::array masks_json(const std::vector<store::MaskView>& masks, const KeptTexts& texts) {
  boost::json::array all;
  std::map<std::string_view, std::vector<store::MaskView>> pages;
  for (const store::MaskView& row : masks) pages[row.url].push_back(row);
  std::map<std::int64_t, std::string> patterns;  // by the mask's id
  for (const auto& [url, rows] : pages) {
    PageRules rules = page_rules(rows, texts);
    for (std::size_t i = 0; i < rows.size(); ++i)
      patterns[rows[i].id] = std::move(rules.of_mask[i]);
  }
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
      for (const auto& [field, what] : mask_json(*mask, patterns[row.id])) object[field] = what;
    }
    all.push_back(std::move(object));
  }
  return all;
}

}  // namespace pollux::report
