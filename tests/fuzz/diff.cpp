// Two versions of a page, and what is told of their difference. A zero byte parts them.
#include "pollux/diff/diff.hpp"

#include "fuzz/fuzz.hpp"

#include <algorithm>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  const std::string_view text = fuzz::text(data, size);
  const std::size_t middle = std::min(text.find('\0'), text.size());
  const std::string_view before = text.substr(0, middle);
  const std::string_view after = text.substr(std::min(middle + 1, text.size()));

  std::string old_text, new_text;
  const std::vector<diff::Piece> pieces = diff::words(before, after);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    fuzz::check(!pieces[i].text.empty(), "no empty piece");
    if (pieces[i].edit != diff::Edit::add) old_text += pieces[i].text;
    if (pieces[i].edit != diff::Edit::remove) new_text += pieces[i].text;
    if (i == 0) continue;
    fuzz::check(pieces[i].edit != pieces[i - 1].edit, "neighbours differ");
    fuzz::check(!(pieces[i - 1].edit == diff::Edit::add && pieces[i].edit == diff::Edit::remove),
                "a remove stands before its add");
  }
  fuzz::check(old_text == before && new_text == after, "the pieces are both texts");

  std::size_t old_lines = 0, new_lines = 0;
  for (const diff::Line& line : diff::lines(before, after)) {
    old_lines += line.edit != diff::Edit::add ? line.text.size() + 1 : 0;
    new_lines += line.edit != diff::Edit::remove ? line.text.size() + 1 : 0;
  }
  const auto ended = [](std::string_view t) {
    return t.size() + (t.empty() || t.ends_with('\n') ? 0 : 1);
  };
  fuzz::check(old_lines == ended(before) && new_lines == ended(after), "the lines are both texts");

  const std::string summary = diff::summary(before, after);
  fuzz::check(fuzz::is_inert(summary), "a summary is one harmless line");
  fuzz::check(summary.empty() == (before == after), "equal texts have none");
  std::size_t characters = 0;
  for (const char c : summary) {
    characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
  }
  fuzz::check(characters <= 200, "at most 200 characters");
  return 0;
}
