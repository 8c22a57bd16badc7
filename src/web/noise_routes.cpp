#include "pollux/report/json.hpp"
#include "pollux/web/facts.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <cctype>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_searched = 1u << 20;  // bytes of a page: a preview, no search engine
constexpr std::size_t longest_noise = 500;          // bytes of the words that are meant
constexpr std::size_t most_hidden_lines = 20;

bool is_a_digit(char c) {
  return c >= '0' && c <= '9';
}

// A pattern for these words in which each number stands for any: what ticks goes on ticking.
std::string pattern_of(std::string_view words) {
  std::string pattern;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    if (is_a_digit(c)) {
      while (i + 1 < words.size() && is_a_digit(words[i + 1])) ++i;
      pattern += "[0-9]+";
      continue;
    }
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ' ' || c == '_' ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (!plain) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// Whether the line has the words, with any numbers.
bool hides_in(std::string_view line, std::string_view words) {
  for (std::size_t begin = 0; begin < line.size(); ++begin) {
    std::size_t at = begin, i = 0;
    while (i < words.size() && at < line.size()) {
      if (is_a_digit(words[i]) && is_a_digit(line[at])) {
        while (i < words.size() && is_a_digit(words[i])) ++i;
        while (at < line.size() && is_a_digit(line[at])) ++at;
      } else if (words[i] == line[at]) {
        ++i, ++at;
      } else {
        break;
      }
    }
    if (i == words.size()) return true;
  }
  return false;
}

json::array hidden_lines(std::string_view text, std::string_view words) {
  json::array lines;
  while (!text.empty() && lines.size() < most_hidden_lines) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (hides_in(line, words)) lines.push_back(report::json_utf8(line.substr(0, longest_noise)));
  }
  return lines;
}

struct Noise {
  std::string url, text;
  engine::DryRun dry_run = engine::DryRun::no;
};

// Answered when the rule is in force.
std::optional<http::Response> ignore(const Desk::At& at, engine::Steering& steering,
                                     const Noise& noise, const http::Responder& responder) {
  const Result<store::PageRow> page = at.reader.page(noise.url);
  if (!page) return problem(page.error());
  const std::string pattern = pattern_of(noise.text);
  const std::string kept = kept_text(at.database, page->spec.url).value_or(std::string());
  json::object answer{
      {"rule", json::object{{"ignore", report::json_utf8(pattern)}}},
      {"hides", hidden_lines(std::string_view(kept).substr(0, longest_searched), noise.text)},
      {"dry_run", noise.dry_run == engine::DryRun::yes}};
  engine::LiveSettings settings;
  settings.more_ignore = pattern;  // laid over what is set then, not now: another may be on its way
  steering.set({.urls = {page->spec.url}}, std::move(settings), noise.dry_run,
               [responder, answer = std::move(answer)](Result<engine::SteeringResult> result) {
                 if (!result) return responder.answer(problem(result.error()));
                 if (result->refused > 0 && !result->pages.empty())
                   return responder.answer(problem(409, result->pages.front().why));
                 responder.answer(json_answer(answer));
               });
  return std::nullopt;
}

}  // namespace

void post_noise(Call call) {
  Fields fields(call.body);
  const std::optional<std::string> url = fields.text("url"), text = fields.text("text");
  const bool dry = fields.truth("dry_run");
  if (!url) fields.note({"of which page? write url", ExitCode::usage});
  if (!text || text->find_first_not_of(" \t\r\n") == std::string::npos)
    fields.note({"which words are noise? write text", ExitCode::usage});
  if (text && (text->size() > longest_noise || text->find('\n') != std::string::npos))
    fields.note(
        {"'text' must be words of one line, at most " + std::to_string(longest_noise) + " bytes",
         ExitCode::usage});
  if (const Status read = fields.end(); !read) return call.responder.answer(problem(read.error()));
  const Noise noise{normalised(*url), *text, dry ? engine::DryRun::yes : engine::DryRun::no};
  call.service.desk.ask(Desk::Needs::database, call.responder,
                        [&steering = call.service.steering, noise, responder = call.responder](
                            const Desk::At& at) { return ignore(at, steering, noise, responder); });
}

}  // namespace pollux::web
