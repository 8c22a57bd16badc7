#include "pollux/base/text.hpp"
#include "pollux/extract/masks.hpp"
#include "pollux/report/json.hpp"
#include "pollux/web/versions.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <algorithm>

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

constexpr std::size_t most_lines = 2000;
constexpr std::size_t most_bytes = 512u << 10;  // of the lines, and of each version for `pieces`
constexpr std::size_t most_versions = 1000;

const char* edit_name(diff::Edit edit) {
  return edit == diff::Edit::keep ? "keep" : edit == diff::Edit::remove ? "remove" : "add";
}

struct ShownLines {
  json::array lines = {};
  bool cut = false;
};

// A line may be as long as the page.
ShownLines shown_lines(const std::vector<report::WordLine>& lines) {
  ShownLines shown;
  std::size_t room = most_bytes;
  for (const report::WordLine& line : lines) {
    if (shown.cut || shown.lines.size() == most_lines) {
      shown.cut = true;
      break;
    }
    if (line.folded > 0) {
      shown.lines.push_back(json::object{{"folded", line.folded}});
      continue;
    }
    json::array spans;
    for (const report::Span& span : line.spans) {
      const std::string_view text = beginning_of(span.text, room);
      room -= text.size();
      shown.cut = text.size() < span.text.size();
      spans.push_back({{"edit", edit_name(span.edit)}, {"text", report::json_utf8(text)}});
      if (shown.cut) break;
    }
    shown.lines.push_back(json::object{{"spans", std::move(spans)}});
  }
  return shown;
}

http::Response diff_answer(const KeptVersions& page, const store::VersionRow& from,
                           const store::VersionRow& to) {
  const Result<std::string> before = text_of(page, from), after = text_of(page, to);
  if (!before) return problem(before.error());
  if (!after) return problem(after.error());
  const extract::ReadablePair shown = extract::readable_pair(*before, *after);
  const report::DiffFacts facts{.url = page.page.spec.url,
                                .from = {from.number, from.seen_at, from.hash},
                                .to = {to.number, to.seen_at, to.hash},
                                .old_text = shown.old_text,
                                .new_text = shown.new_text,
                                .as = to.as};
  json::object out = report::diff_json(facts);
  ShownLines lines = shown_lines(report::word_lines(shown.old_text, shown.new_text));
  out["cut"] = lines.cut;
  out["lines"] = std::move(lines.lines);
  if (shown.old_text.size() > most_bytes || shown.new_text.size() > most_bytes)
    out["pieces"] = json::array();
  return json_answer(out);
}

http::Response diff_by_ends(const Desk::At& at, const std::string& url, const std::string& from,
                            const std::string& to) {
  Result<store::PageRow> row = at.reader.page(url);
  if (!row) return problem(row.error());
  const Result<KeptVersions> page = kept_versions(at.database, std::move(*row));
  if (!page) return problem(page.error());
  const Result<DiffEnds> ends = choose_ends(page->versions, from, to, at.now, "");
  if (!ends) return problem(ends.error());
  return diff_answer(*page, page->versions[ends->from], page->versions[ends->to]);
}

http::Response diff_of_change(const Desk::At& at, std::int64_t id) {
  const auto changes = at.reader.changes({.limit = 1, .id = id});
  if (!changes) return problem(changes.error());
  if (changes->empty()) return problem(404, "there is no change " + std::to_string(id));
  const store::ChangeView& change = changes->front();
  Result<store::PageRow> row = at.reader.page(change.url);
  if (!row) return problem(row.error());
  const Result<KeptVersions> page = kept_versions(at.database, std::move(*row));
  if (!page) return problem(page.error());
  const Result<DiffEnds> ends = ends_of_change(page->versions, change.row.found_at);
  if (!ends) {
    return problem(404, ends.error().message,
                   "`storage: { content: … }` says how much is kept, and for how long");
  }
  return diff_answer(*page, page->versions[ends->from], page->versions[ends->to]);
}

http::Response versions_answer(const Desk::At& at, const std::string& url) {
  Result<store::PageRow> row = at.reader.page(url);
  if (!row) return problem(row.error());
  const auto changes =
      at.reader.changes({.url = url, .limit = static_cast<std::int64_t>(most_versions)});
  if (!changes) return problem(changes.error());
  const Result<KeptVersions> page = kept_versions(at.database, std::move(*row));
  if (!page) {
    if (page.error().exit_code != ExitCode::missing_input) return problem(page.error());
    return json_answer(json::object{{"versions", json::array()}});
  }
  const Result<std::vector<report::Version>> history = history_of(at.reader, *page);
  if (!history) return problem(history.error());
  json::array versions;
  for (const report::Version& version : *history) {
    if (versions.size() == most_versions) break;
    const auto change = std::ranges::find_if(*changes, [&](const store::ChangeView& one) {
      return one.row.found_at == version.seen_at;
    });
    const bool known = change != changes->end();
    versions.push_back(
        {{"number", version.number},
         {"at", report::json_time(version.seen_at)},
         {"hash", version.hash},
         {"as", version.as},
         {"bytes", version.bytes},
         {"words_added", known ? report::json_count(change->row.words_added) : nullptr},
         {"words_removed", known ? report::json_count(change->row.words_removed) : nullptr},
         {"summary",
          version.summary.empty() ? json::value(nullptr) : report::json_utf8(version.summary)}});
  }
  return json_answer(json::object{{"versions", std::move(versions)}});
}

http::Response version_answer(const Desk::At& at, const std::string& url, const std::string& when) {
  Result<store::PageRow> row = at.reader.page(url);
  if (!row) return problem(row.error());
  const Result<KeptVersions> page = kept_versions(at.database, std::move(*row));
  if (!page) return problem(page.error());
  const Result<std::size_t> chosen =
      choose_version(page->versions, when.empty() ? "-1" : when, at.now, "at");
  if (!chosen) return problem(chosen.error());
  const store::VersionRow& version = page->versions[*chosen];
  const Result<std::string> text = text_of(*page, version);
  if (!text) return problem(text.error());
  return json_answer(json::object{{"number", version.number},
                                  {"at", report::json_time(version.seen_at)},
                                  {"text", report::json_utf8(extract::readable(*text))}});
}

}  // namespace

void get_diff(Call call) {
  const std::string url = call.query.text("url"), from = call.query.text("from"),
                    to = call.query.text("to");
  const std::int64_t change = call.query.whole("change", 0, INT64_MAX);
  if (url.empty() == (change == 0))
    call.query.note({"which? write ?url= or ?change=", ExitCode::usage});
  if (change != 0 && (!from.empty() || !to.empty()))
    call.query.note({"'from' and 'to' go with 'url'", ExitCode::usage});
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder,
                        [url = normalised(url), from, to, change](const Desk::At& at) {
                          return change != 0 ? diff_of_change(at, change)
                                             : diff_by_ends(at, url, from, to);
                        });
}

void get_versions(Call call) {
  const std::string url = call.query.text("url");
  if (url.empty()) call.query.note({"of which page? write ?url=", ExitCode::usage});
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(
      Desk::Needs::database, call.responder,
      [url = normalised(url)](const Desk::At& at) { return versions_answer(at, url); });
}

void get_version(Call call) {
  const std::string url = call.query.text("url"), when = call.query.text("at");
  if (url.empty()) call.query.note({"of which page? write ?url=", ExitCode::usage});
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(
      Desk::Needs::database, call.responder,
      [url = normalised(url), when](const Desk::At& at) { return version_answer(at, url, when); });
}

}  // namespace pollux::web
