#include "extract/mask_tokens.hpp"

#include <algorithm>

namespace pollux::extract {
namespace {

constexpr std::size_t shortest_hex = 8;
constexpr std::size_t shortest_base64 = 16;
constexpr std::size_t bytes_a_token = 4;  // about: a list that grows is copied again and again

bool is_high(char c) {
  return (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool is_white(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
// White space at `at`, a no-break space included: its length, or 0.
std::size_t white_length(std::string_view text, std::size_t at) {
  if (is_white(text[at])) return 1;
  if (text[at] != '\xC2') return 0;
  return at + 1 < text.size() && text[at + 1] == '\xA0' ? 2 : 0;
}

// Length of the character beyond ASCII at `at`.
std::size_t character_length(std::string_view text, std::size_t at) {
  std::size_t length = 1;
  while (length < 4 && at + length < text.size() &&
         (static_cast<unsigned char>(text[at + length]) & 0xC0U) == 0x80) {
    ++length;
  }
  return length;
}

// Currency, dashes, quotes, arrows and the like: no part of a word.
bool is_high_sign(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  if (byte(0) == 0xC2)
    return byte(1) < 0xC0 && byte(1) != 0xAA && byte(1) != 0xB5 && byte(1) != 0xBA;
  if (byte(0) == 0xC3) return byte(1) == 0x97 || byte(1) == 0xB7;
  if (byte(0) == 0xE2) return byte(1) >= 0x80 && byte(1) <= 0xAF;
  return byte(0) == 0xE3 && byte(1) == 0x80;
}

bool is_base64_sign(char c) {
  return is_alphanumeric(c) || c == '+' || c == '/' || c == '-' || c == '_';
}

// "Windows-11-Professional": parts that people write.
bool reads_like_words(std::string_view run) {
  while (!run.empty()) {
    const auto end =
        std::find_if(run.begin(), run.end(), [](char c) { return !is_alphanumeric(c); });
    const std::string_view part = run.substr(0, static_cast<std::size_t>(end - run.begin()));
    const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
    const bool number = std::all_of(part.begin(), part.end(), is_digit);
    const bool letters = std::all_of(part.begin(), part.end(), is_letter);
    const bool word =
        letters && (part.size() < 2 || std::all_of(part.begin() + 1, part.end(), is_small) ||
                    std::none_of(part.begin(), part.end(), is_small));
    if (!number && !word) return false;
    run.remove_prefix(std::min(part.size() + 1, run.size()));
  }
  return true;
}

// Mixed as only chance mixes: digits and both cases, or cases that alternate all the time.
bool looks_random(std::string_view run) {
  bool upper = false, small = false, digit = false;
  std::size_t rises = 0;
  char before = '\0';
  for (const char c : run) {
    const bool big = c >= 'A' && c <= 'Z';
    upper = upper || big;
    small = small || (c >= 'a' && c <= 'z');
    digit = digit || is_digit(c);
    if (big && before >= 'a' && before <= 'z') ++rises;
    before = c;
  }
  if (!upper || !small) return false;
  return (digit || rises * 8 >= run.size()) && !reads_like_words(run);
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {
    tokens_.reserve(text.size() / bytes_a_token);
  }
  std::vector<MaskToken> run();

 private:
  void begin_chunk();
  void take(std::size_t length, std::optional<TokenKind> kind) {
    tokens_.push_back({text_.substr(at_, length), kind, in_url_});
    at_ += length;
  }
  bool take_mark();
  bool take_uuid();
  bool take_time();
  bool take_base64();
  void take_word_or_number();
  std::size_t alphanumeric_length() const {
    std::size_t length = 0;
    while (at_ + length < text_.size() && is_alphanumeric(text_[at_ + length])) ++length;
    return length;
  }
  std::size_t number_length() const;
  std::size_t plain_word_length() const;

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t chunk_end_ = 0;  // of what stands between two spaces
  std::size_t run_end_ = 0;    // what lies before was looked at for base64
  bool in_url_ = false;
  std::vector<MaskToken> tokens_;
};

void Tokenizer::begin_chunk() {
  chunk_end_ = at_;
  bool colon = false;                   // most have none
  auto query = std::string_view::npos;  // the first question mark
  for (; chunk_end_ < text_.size() && white_length(text_, chunk_end_) == 0; ++chunk_end_) {
    colon = colon || text_[chunk_end_] == ':';
    if (text_[chunk_end_] == '?') query = std::min(query, chunk_end_ - at_);
  }
  const std::string_view chunk = text_.substr(at_, chunk_end_ - at_);
  in_url_ = chunk.front() == '<' || chunk.front() == '/' ||
            (colon && chunk.find("://") != std::string_view::npos) || chunk.starts_with("www.") ||
            (query != std::string_view::npos && chunk.find('=', query) != std::string_view::npos);
}

bool Tokenizer::take_mark() {
  constexpr std::size_t longest = 24;
  std::string_view ahead = text_.substr(at_, longest);
  if (!ahead.starts_with(mark_opens)) return false;
  ahead.remove_prefix(mark_opens.size());
  const std::size_t end = ahead.find(mark_closes);
  if (end == std::string_view::npos) return false;
  const std::optional<TokenKind> kind = token_kind_of(ahead.substr(0, end));
  if (kind) take(mark_opens.size() + end + mark_closes.size(), kind);
  return kind.has_value();
}

bool Tokenizer::take_uuid() {
  constexpr std::size_t length = 36;
  if (at_ + length > text_.size()) return false;
  for (std::size_t i = 0; i < length; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text_[at_ + i];
    if (dash ? c != '-' : !is_hex(c)) return false;
  }
  if (at_ + length < text_.size() && is_alphanumeric(text_[at_ + length])) return false;
  take(length, TokenKind::uuid);
  return true;
}

bool Tokenizer::take_time() {
  constexpr std::size_t longest = 120;
  const std::string_view ahead = text_.substr(at_, longest);
  const std::optional<TimeAhead> found = time_ahead(ahead);
  if (!found) return false;
  take(found->length, found->kind);
  // It may have crossed spaces.
  if (at_ > chunk_end_) chunk_end_ = at_;
  return true;
}

// A run is looked at once, at its start.
bool Tokenizer::take_base64() {
  if (at_ < run_end_) return false;
  run_end_ = at_;
  while (run_end_ < text_.size() && is_base64_sign(text_[run_end_]) &&
         !(in_url_ && text_[run_end_] == '/')) {
    ++run_end_;
  }
  const std::string_view run = text_.substr(at_, run_end_ - at_);
  if (run.size() < shortest_base64 || !looks_random(run)) return false;
  std::size_t length = run.size();
  while (length < run.size() + 2 && at_ + length < text_.size() && text_[at_ + length] == '=')
    ++length;
  take(length, TokenKind::base64);
  return true;
}

std::size_t Tokenizer::number_length() const {
  std::size_t length = 0;
  while (at_ + length < text_.size()) {
    const char c = text_[at_ + length];
    const bool joins = (c == '.' || c == ',' || c == '\'') && length > 0 &&
                       at_ + length + 1 < text_.size() && is_digit(text_[at_ + length + 1]);
    if (!is_digit(c) && !joins) break;
    ++length;
  }
  return length;
}

// Most of a text: letters, and behind them nothing that could make more of them than a word or the
// beginning of a time. 0: it is something else.
std::size_t Tokenizer::plain_word_length() const {
  std::size_t length = 0;
  while (at_ + length < text_.size() && is_letter(text_[at_ + length])) ++length;
  if (length >= shortest_base64) return 0;
  if (at_ + length == text_.size()) return length;
  const char next = text_[at_ + length];
  return is_base64_sign(next) || is_high(next) ? 0 : length;
}

void Tokenizer::take_word_or_number() {
  const std::string_view run = text_.substr(at_, alphanumeric_length());
  const auto digits =
      static_cast<std::size_t>(std::find_if_not(run.begin(), run.end(), is_digit) - run.begin());
  if (run.size() >= shortest_hex && digits < run.size() &&
      std::all_of(run.begin(), run.end(), is_hex) &&
      std::any_of(run.begin(), run.end(), is_digit)) {
    take(run.size(), TokenKind::hex);
    return;
  }
  // "20GB" and "5th" are a number and what it counts; "7f3x9" is neither.
  const bool counted =
      run.size() - digits <= 4 &&
      std::all_of(run.begin() + static_cast<std::ptrdiff_t>(digits), run.end(), is_letter);
  if (digits > 0 && counted) {
    take(number_length(), TokenKind::number);
    return;
  }
  std::size_t length = 0;
  while (at_ + length < text_.size()) {
    const std::size_t next = at_ + length;
    const char c = text_[next];
    if (is_alphanumeric(c) || c == '_') {
      ++length;
    } else if (is_high(c) && !is_high_sign(text_, next)) {
      length += character_length(text_, next);
    } else {
      break;
    }
  }
  take(length, std::nullopt);
}

std::vector<MaskToken> Tokenizer::run() {
  while (at_ < text_.size()) {
    if (const std::size_t white = white_length(text_, at_); white > 0) {
      at_ += white;
      continue;
    }
    if (at_ >= chunk_end_) begin_chunk();
    const char c = text_[at_];
    if (const std::size_t word = plain_word_length(); word > 0) {
      if (!take_time()) take(word, std::nullopt);
    } else if (is_alphanumeric(c)) {
      if ((is_hex(c) && take_uuid()) || take_time() || take_base64()) continue;
      take_word_or_number();
    } else if (c == '_' || (is_high(c) && !is_high_sign(text_, at_))) {
      if (c != '_' || !take_base64()) take_word_or_number();
    } else if (is_high(c)) {
      if (!take_mark()) take(character_length(text_, at_), std::nullopt);
    } else if (!((c == '+' || c == '/' || c == '-') && take_base64())) {
      take(1, std::nullopt);
    }
  }
  return std::move(tokens_);
}

}  // namespace

std::vector<MaskToken> mask_tokens(std::string_view text) {
  return Tokenizer(text).run();
}

bool fits(TokenKind kind, const MaskToken& token) {
  if (token.kind == kind) return true;
  if (kind == TokenKind::count) return token.kind == TokenKind::number;
  if (kind == TokenKind::hex) {
    return token.text.size() >= shortest_hex &&
           std::all_of(token.text.begin(), token.text.end(), is_hex);
  }
  if (kind == TokenKind::base64) {
    std::string_view text = token.text;
    while (text.ends_with('=')) text.remove_suffix(1);
    return text.size() >= shortest_base64 && std::all_of(text.begin(), text.end(), is_base64_sign);
  }
  return false;
}

}  // namespace pollux::extract
