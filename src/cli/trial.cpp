#include "cli/trial.hpp"

#include "pollux/base/text.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/report/conditions.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/masks.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>

namespace pollux::cli {
namespace {

using Language = extract::Selector::Language;

constexpr std::chrono::seconds longest_extraction(5);  // `pipe` and jq included

std::string sha256(std::string_view content) {
  detect::Digest digest;
  digest.update(content);
  return detect::to_hex(digest.finish());
}

std::vector<extract::Selector> selectors_of(const std::vector<std::string>& texts, extract::As as) {
  std::vector<extract::Selector> selectors;
  selectors.reserve(texts.size());
  for (const std::string& text : texts) selectors.push_back(selector_of(text, as));
  return selectors;
}

// What the document is by itself, where the rules keep nothing of it.
std::optional<extract::Kept> seen_as(const extract::Document& document,
                                     const extract::Limits& limits) {
  extract::Rules raw;
  raw.as = extract::As::raw;
  const Result<extract::SharedRules> rules = extract::compile(raw);
  if (!rules) return std::nullopt;
  std::variant<extract::Kept, extract::Failure> made = extract::extract(document, **rules, limits);
  if (auto* kept = std::get_if<extract::Kept>(&made)) return std::move(*kept);
  return std::nullopt;
}

extract::Sighting sighting_of(const std::string& url, const Look& look,
                              const extract::Traits& traits, std::string_view content) {
  return {.asked_url = url,
          .final_url = look.final_url,
          .challenge_header = {},
          .traits = &traits,
          .content = content,
          .status = look.status,
          .html = look.content_type.find("html") != std::string::npos,
          .empty = look.body.empty()};
}

// As the daemon would find it, which takes a third look to be sure.
void find_noise(Trial& trial) {
  const std::string_view contents[] = {trial.kept.front().content, trial.kept.back().content};
  trial.noise = extract::find_twin_masks(contents, false);
  trial.ignore = extract::ignore_rules(trial.noise.masks, contents);
  if (trial.noise.explained) return;
  const extract::CommonText common = extract::common_text(contents);
  if (!common.text) return;
  constexpr std::size_t most_shown = 16;
  trial.aside = extract::places_aside(*common.text, {}, most_shown);
  trial.ignore.patterns.clear();
  trial.ignore.of_mask.assign(trial.noise.masks.size(), extract::IgnoreRules::none);
  for (const extract::PlaceAside& place : trial.aside) {
    if (!place.pattern.empty()) trial.ignore.patterns.push_back(place.pattern);
  }
}

}  // namespace

bool has_condition(const extract::Rules& rules) {
  return rules.alert.has_value() || rules.number.has_value();
}

bool GivenRules::any() const {
  return !as.empty() || !select.empty() || !remove.empty() || !ignore.empty();
}

extract::Selector selector_of(const std::string& text, extract::As as) {
  for (const auto& [prefix, language] :
       {std::pair<std::string_view, Language>("css:", Language::css),
        {"xpath:", Language::xpath},
        {"jq:", Language::jq}}) {
    if (text.starts_with(prefix)) return {language, text.substr(prefix.size())};
  }
  if (text.starts_with('/') || text.starts_with('(')) return {Language::xpath, text};
  return {as == extract::As::json ? Language::jq : Language::css, text};
}

Result<extract::Rules> with(extract::Rules rules, const GivenRules& given) {
  if (!given.as.empty()) {
    const std::optional<extract::As> as = extract::as_of(given.as);
    if (!as) {
      return Error{
          "--as " + printable(given.as, 60) + ": write auto, raw, text, html, json or feed",
          ExitCode::usage};
    }
    rules.as = *as;
  }
  if (!given.select.empty()) rules.select = selectors_of(given.select, rules.as);
  if (!given.remove.empty()) rules.remove = selectors_of(given.remove, rules.as);
  if (!given.ignore.empty()) rules.ignore = given.ignore;
  return rules;
}

void judge(Trial& trial, const extract::CompiledRules& rules) {
  for (const Look& look : trial.looks) {
    extract::Limits limits;
    limits.deadline = std::chrono::steady_clock::now() + longest_extraction;
    const extract::Document document{.body = look.body, .content_type = look.content_type};
    std::variant<extract::Kept, extract::Failure> made = extract::extract(document, rules, limits);
    if (const auto* failure = std::get_if<extract::Failure>(&made)) {
      trial.error = (trial.kept.empty() ? "" : "at the second look: ") + failure->message;
      if (trial.kept.empty()) trial.seen_as = seen_as(document, limits);
      if (trial.kept.empty()) {
        trial.suspect = extract::suspicion_at_first_sight(
            sighting_of(trial.url, look, failure->traits, std::string_view()));
      }
      return;
    }
    trial.kept.push_back(std::move(std::get<extract::Kept>(made)));
  }
  const extract::Kept& first = trial.kept.front();
  const std::string& last = trial.kept.back().content;
  // Nothing is known of it yet but where it should be.
  const extract::Sighting asked{
      .asked_url = trial.url, .final_url = trial.url, .challenge_header = {}, .content = {}};
  trial.suspect = extract::suspicion(
      sighting_of(trial.url, trial.looks.front(), first.traits, first.content), asked, {});
  if (!trial.suspect) {
    trial.suspect = extract::suspicion_at_first_sight(
        sighting_of(trial.url, trial.looks.front(), first.traits, first.content));
  }
  const bool twice = trial.kept.size() > 1;
  trial.conditions = extract::conditions(
      rules, twice ? std::optional<std::string_view>(first.content) : std::nullopt, last);
  if (trial.rules.number) trial.number = extract::first_number(last);
  if (twice && first.content != last && !has_condition(trial.rules)) find_noise(trial);
}

boost::json::object trial_json(const Trial& trial) {
  boost::json::object json{{"media_type", nullptr},
                           {"encoding", nullptr},
                           {"as", nullptr},
                           {"kept", nullptr},
                           {"kept_sha256", nullptr}};
  boost::json::array matched, masks;
  if (trial.seen_as) {
    json["media_type"] = report::json_text_or_null(trial.seen_as->media_type);
    json["encoding"] = report::json_text_or_null(trial.seen_as->encoding);
  }
  if (!trial.kept.empty()) {
    const extract::Kept& kept = trial.kept.front();
    json["media_type"] = report::json_text_or_null(kept.media_type);
    json["encoding"] = report::json_text_or_null(kept.encoding);
    json["as"] = extract::name_of(kept.as);
    json["kept"] = report::json_utf8(kept.content);
    json["kept_sha256"] = sha256(kept.content);
    for (std::size_t i = 0; i < std::min(kept.matched.size(), trial.rules.select.size()); ++i) {
      matched.push_back(boost::json::object{{"selector", trial.rules.select[i].text},
                                            {"nodes", kept.matched[i]}});
    }
  }
  for (std::size_t i = 0; i < trial.noise.masks.size(); ++i) {
    const std::size_t rule = trial.ignore.of_mask[i];
    const bool written = rule != extract::IgnoreRules::none;
    masks.push_back(
        report::mask_json(trial.noise.masks[i], written ? trial.ignore.patterns[rule] : ""));
  }
  json["matched"] = std::move(matched);
  json["masks"] = std::move(masks);
  json["suspect"] = nullptr;
  if (trial.suspect) json["suspect"] = extract::name_of(*trial.suspect);
  json["number"] = report::json_number(trial.number);
  json["conditions"] = report::conditions_json(trial.conditions);
  json["error"] = report::json_text_or_null(trial.error);
  return json;
}

}  // namespace pollux::cli
