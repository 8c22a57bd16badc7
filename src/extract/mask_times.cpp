// Ages, dates and times as pages write them. Each reader looks at a bounded stretch.
#include "extract/mask_clock.hpp"
#include "extract/mask_tokens.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace pollux::extract {
namespace {

// A word in lower case; longer ones are in no list. Nothing is allocated: a text has thousands.
class SmallWord {
 public:
  static constexpr std::size_t longest = 16;
  void add(char c) { letters_[size_++] = c; }
  bool full() const { return size_ > longest; }
  std::size_t size() const { return size_; }
  std::string_view text() const { return {letters_.data(), size_}; }
  char front() const { return letters_[0]; }
  friend bool operator==(const SmallWord& word, std::string_view text) {
    return word.text() == text;
  }

 private:
  std::array<char, longest + 1> letters_;
  std::size_t size_ = 0;
};

// Reads from the front; every step says whether it succeeded and moves only then.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  std::size_t at() const { return at_; }
  void back_to(std::size_t at) { at_ = at; }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool sign(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  // The number of digits read, `least` to `most` of them and none after.
  bool digits(std::size_t least, std::size_t most, int& value) {
    std::size_t length = 0;
    int read = 0;
    while (length < most && is_digit(peek(length))) {
      read = read * 10 + (peek(length) - '0');
      ++length;
    }
    if (length < least || is_digit(peek(length))) return false;
    at_ += length;
    value = read;
    return true;
  }
  bool spaces() {
    const std::size_t from = at_;
    while (at_ - from < 3 && (peek() == ' ' || peek() == '\t' || peek() == '\n')) ++at_;
    return at_ > from;
  }
  // The word of ASCII letters (and bytes of others) at this place.
  SmallWord word() const {
    SmallWord found;
    while (!found.full() && (is_letter(peek(found.size())) || (peek(found.size()) & 0x80) != 0)) {
      found.add(lower(peek(found.size())));
    }
    return found;
  }
  void skip(std::size_t length) { at_ += length; }
  bool ends() const { return !is_alphanumeric(peek()); }

  Reading reading;  // of what was read so far

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Words in lower case. A bit for the hash of each, so that most words of a text are passed over
// after a look at one of them.
template <std::size_t n>
class WordList {
 public:
  explicit constexpr WordList(const std::array<std::string_view, n>& words) : words_(words) {
    for (const std::string_view word : words) {
      const std::size_t hash = hash_of(word);
      bits_[hash / 64] |= std::uint64_t{1} << hash % 64;
    }
  }
  bool has(const SmallWord& word) const {
    const std::size_t hash = hash_of(word.text());
    return (bits_[hash / 64] >> hash % 64 & 1U) != 0 &&
           std::find(words_.begin(), words_.end(), word.text()) != words_.end();
  }

 private:
  static constexpr std::size_t size = 4096;
  static constexpr std::size_t hash_of(std::string_view word) {
    std::size_t hash = word.size();
    for (const char c : word) hash = hash * 31 + static_cast<unsigned char>(c);
    return hash % size;
  }
  std::array<std::string_view, n> words_;
  std::array<std::uint64_t, size / 64> bits_{};
};
template <typename... Words>
constexpr auto word_list(Words... words) {
  return WordList<sizeof...(words)>({std::string_view(words)...});
}

constexpr auto months = word_list(
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    "january", "february", "march", "april", "june", "july", "august", "september", "october",
    "november", "december", "januar", "februar", "märz", "mai", "juni", "juli", "oktober",
    "dezember", "dez", "okt", "janvier", "février", "mars", "avril", "juin", "juillet", "août",
    "septembre", "octobre", "novembre", "décembre", "enero", "febrero", "marzo", "abril", "mayo",
    "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre", "gennaio",
    "febbraio", "aprile", "maggio", "giugno", "luglio", "settembre", "ottobre", "dicembre");
constexpr auto weekdays =
    word_list("mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun", "monday",
              "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "montag",
              "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag", "lundi",
              "mardi", "mercredi", "jeudi", "vendredi", "samedi");
constexpr auto units =
    word_list("s", "m", "h", "d", "w", "mo", "y", "sec", "secs", "min", "mins", "hr", "hrs",
              "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week",
              "weeks", "month", "months", "year", "years", "yr", "yrs", "sekunde", "sekunden",
              "minuten", "stunde", "stunden", "std", "tag", "tagen", "woche", "wochen", "monat",
              "monaten", "jahr", "jahren", "heure", "heures", "jour", "jours", "semaine",
              "semaines", "mois", "segundos", "minutos", "horas", "días", "secondes");
constexpr std::pair<std::string_view, int> named_zones[] = {  // hours east
    {"z", 0},    {"utc", 0},  {"gmt", 0},  {"cet", 1},  {"cest", 2}, {"est", -5}, {"edt", -4},
    {"cst", -6}, {"cdt", -5}, {"mst", -7}, {"mdt", -6}, {"pst", -8}, {"pdt", -7}, {"bst", 1}};

// The words that an age can begin with, and those that may stand between the day and the month.
constexpr auto openings = word_list("just", "moments", "a", "an", "one", "few", "yesterday", "vor",
                                    "il", "hace", "ein", "einer", "einem", "une", "un");
constexpr auto followers = word_list("st", "nd", "rd", "th", "of", "de");

// Of those in the list.
int number_of_month(std::string_view word) {
  constexpr std::pair<std::string_view, int> beginnings[] = {
      {"jan", 1},  {"ene", 1},  {"gen", 1}, {"feb", 2},  {"fé", 2},   {"mar", 3},  {"mär", 3},
      {"apr", 4},  {"avr", 4},  {"abr", 4}, {"may", 5},  {"mai", 5},  {"mag", 5},  {"jun", 6},
      {"juin", 6}, {"giu", 6},  {"jul", 7}, {"juil", 7}, {"lug", 7},  {"aug", 8},  {"ao", 8},
      {"ago", 8},  {"sep", 9},  {"set", 9}, {"oct", 10}, {"okt", 10}, {"ott", 10}, {"nov", 11},
      {"dec", 12}, {"dez", 12}, {"dé", 12}, {"dic", 12}};
  for (const auto& [beginning, number] : beginnings) {
    if (word.starts_with(beginning)) return number;
  }
  return 0;
}

bool month(Scanner& in) {
  const SmallWord word = in.word();
  if (!months.has(word)) return false;
  in.reading.month = number_of_month(word.text());
  in.skip(word.size());
  in.sign('.');
  return true;
}

// A weekday in front belongs to the date, and changes with it.
void weekday(Scanner& in) {
  const std::size_t from = in.at();
  const SmallWord word = in.word();
  if (!weekdays.has(word)) return;
  in.skip(word.size());
  in.sign('.');
  in.sign(',');
  if (!in.spaces()) in.back_to(from);
}

bool year(Scanner& in) {
  int value = 0;
  if (!in.digits(4, 4, value) || value < 1900 || value >= 2200) return false;
  in.reading.year = value;
  return true;
}

// 2025-05-12, 2025/05/12, 2025.05.12
bool year_first(Scanner& in) {
  int m = 0, d = 0;
  if (!year(in)) return false;
  const char separator = in.peek();
  if (separator != '-' && separator != '/' && separator != '.') return false;
  in.skip(1);
  if (!in.digits(1, 2, m) || m < 1 || m > 12 || !in.sign(separator) || !in.digits(1, 2, d) ||
      d < 1 || d > 31) {
    return false;
  }
  in.reading.month = m;
  in.reading.day = d;
  return true;
}

// 12.05.2025, 12/5/2025, 05-12-2025
bool year_last(Scanner& in) {
  int first = 0, second = 0;
  if (!in.digits(1, 2, first) || first < 1 || first > 31) return false;
  const char separator = in.peek();
  if (separator != '-' && separator != '/' && separator != '.') return false;
  in.skip(1);
  if (!in.digits(1, 2, second) || second < 1 || second > 31 || !in.sign(separator) || !year(in))
    return false;
  in.reading.day = first;
  in.reading.month = second;
  in.reading.may_be_swapped = true;
  return true;
}

// 12 May 2025, 12. Mai 2025, 12th of May, 2025, 12-May-2025
bool day_month_year(Scanner& in) {
  int day = 0;
  if (!in.digits(1, 2, day) || day < 1 || day > 31) return false;
  const SmallWord ending = in.word();
  if (ending == "st" || ending == "nd" || ending == "rd" || ending == "th") in.skip(2);
  in.sign('.');
  if (!in.sign('-') && !in.spaces()) return false;
  if (in.word() == "of" || in.word() == "de") {
    in.skip(2);
    if (!in.spaces()) return false;
  }
  if (!month(in)) return false;
  in.reading.day = day;
  in.sign(',');
  return (in.sign('-') || in.spaces()) && year(in);
}

// May 12, 2025
bool month_day_year(Scanner& in) {
  int day = 0;
  if (!month(in) || !in.spaces() || !in.digits(1, 2, day) || day < 1 || day > 31) return false;
  in.reading.day = day;
  const SmallWord ending = in.word();
  if (ending == "st" || ending == "nd" || ending == "rd" || ending == "th") in.skip(2);
  in.sign(',');
  return in.spaces() && year(in);
}

bool date(Scanner& in) {
  const std::size_t start = in.at();
  weekday(in);
  const std::size_t from = in.at();
  for (const auto& form : {year_first, year_last, day_month_year, month_day_year}) {
    in.back_to(from);
    in.reading = {};
    if (form(in)) return true;
  }
  in.reading = {};
  in.back_to(start);
  return false;
}

void zone(Scanner& in) {
  const std::size_t from = in.at();
  in.spaces();
  int hours = 0, minutes = 0;
  if (in.peek() == '+' || in.peek() == '-') {
    const int way = in.peek() == '-' ? -1 : 1;
    in.skip(1);
    const auto east = [&] { in.reading.zone = std::chrono::minutes(way * (hours * 60 + minutes)); };
    if (int both = 0; in.digits(4, 4, both)) {
      hours = both / 100;
      minutes = both % 100;
      return east();
    }
    if (in.digits(2, 2, hours) && in.sign(':') && in.digits(2, 2, minutes)) return east();
  } else {
    const SmallWord word = in.word();
    for (const auto& [name, east] : named_zones) {
      if (word != name) continue;
      in.skip(word.size());
      if (!in.ends()) break;
      in.reading.zone = std::chrono::hours(east);
      return;
    }
  }
  in.back_to(from);
}

// Twelve o'clock is the beginning of either half.
void in_half(Reading& reading, char half) {
  if (!reading.hours || *reading.hours > 12) return;
  reading.hours = *reading.hours % 12 + (half == 'p' ? 12 : 0);
}

void half_of_day(Scanner& in) {
  const std::size_t from = in.at();
  in.spaces();
  const SmallWord word = in.word();
  if (word == "am" || word == "pm" || word == "uhr") {
    in.skip(word.size());
    if (word != "uhr") in_half(in.reading, word.front());
    return;
  }
  if ((word == "a" || word == "p") && in.peek(1) == '.') {
    in.skip(2);
    if (in.word() == "m") {
      in.skip(1);
      in.sign('.');
      in_half(in.reading, word.front());
      return;
    }
  }
  in.back_to(from);
}

// 12:30, 1:05:33.250, 9:05 pm, 12:30:00 UTC, 12:30:00+02:00
bool clock_time(Scanner& in) {
  int hours = 0, minutes = 0, seconds = 0, fraction = 0;
  const std::size_t start = in.at();
  if (!in.digits(1, 2, hours) || hours > 24 || !in.sign(':') || !in.digits(2, 2, minutes) ||
      minutes > 59) {
    in.back_to(start);
    return false;
  }
  const std::size_t short_end = in.at();
  if (in.sign(':')) {
    if (!in.digits(2, 2, seconds) || seconds > 60) {
      in.back_to(start);
      return false;
    }
    in.reading.seconds = seconds;
    const std::size_t end = in.at();
    if (!((in.sign('.') || in.sign(',')) && in.digits(1, 9, fraction))) in.back_to(end);
  } else {
    in.back_to(short_end);
  }
  in.reading.hours = hours;
  in.reading.minutes = minutes;
  half_of_day(in);
  zone(in);
  return true;
}

bool amount(Scanner& in, int& value) {
  if (in.digits(1, 4, value)) return true;
  const SmallWord word = in.word();
  for (const std::string_view few :
       {"a", "an", "one", "few", "ein", "einer", "einem", "une", "un"}) {
    if (word != few) continue;
    in.skip(few.size());
    value = few == "few" ? 3 : 1;
    return true;
  }
  return false;
}

// Of those in the list; the longer beginnings first.
std::chrono::seconds length_of_unit(std::string_view word) {
  using namespace std::chrono;
  constexpr std::pair<std::string_view, seconds> beginnings[] = {
      {"semaine", weeks(1)}, {"st", hours(1)}, {"s", seconds(1)}, {"mo", days(30)},
      {"m", minutes(1)},     {"h", hours(1)},  {"d", days(1)},    {"ta", days(1)},
      {"jo", days(1)},       {"j", days(365)}, {"w", weeks(1)},   {"y", days(365)}};
  for (const auto& [beginning, length] : beginnings) {
    if (word.starts_with(beginning)) return length;
  }
  return seconds(0);
}

// Adds `value` of them to the age.
bool unit(Scanner& in, int value) {
  const std::size_t from = in.at();
  in.spaces();
  const SmallWord word = in.word();
  if (units.has(word)) {
    in.skip(word.size());
    in.sign('.');
    const std::chrono::seconds length = length_of_unit(word.text());
    in.reading.age += value * length;
    in.reading.age_unit = std::max(in.reading.age_unit, length);
    return true;
  }
  in.back_to(from);
  return false;
}

// "1 hour", "1 h 5 min", "1 hour and 5 minutes"
bool span_of_time(Scanner& in) {
  int value = 0;
  if (!amount(in, value) || !unit(in, value)) return false;
  for (int i = 0; i < 3; ++i) {
    const std::size_t from = in.at();
    in.sign(',');
    in.spaces();
    if (const SmallWord word = in.word(); word == "and" || word == "und" || word == "et") {
      in.skip(word.size());
      in.spaces();
    }
    if (amount(in, value) && unit(in, value)) continue;
    in.back_to(from);
    break;
  }
  return true;
}

bool words_are(Scanner& in, std::initializer_list<std::string_view> words) {
  const std::size_t from = in.at();
  bool first = true;
  for (const std::string_view word : words) {
    if ((!first && !in.spaces()) || in.word() != word) {
      in.back_to(from);
      return false;
    }
    in.skip(word.size());
    first = false;
  }
  return true;
}

std::size_t ended(const Scanner& in, bool found) {
  return found && in.ends() ? in.at() : 0;
}

std::size_t read_age(Scanner& in) {
  if (words_are(in, {"just", "now"}) || words_are(in, {"moments", "ago"}) ||
      words_are(in, {"a", "moment", "ago"})) {
    in.reading.age_unit = std::chrono::minutes(1);
    return ended(in, true);
  }
  if (words_are(in, {"yesterday"})) {
    in.reading.age = in.reading.age_unit = std::chrono::days(1);
    return ended(in, true);
  }
  if (words_are(in, {"vor"}) || words_are(in, {"il", "y", "a"}) || words_are(in, {"hace"})) {
    return in.spaces() && span_of_time(in) ? ended(in, true) : 0;
  }
  if (!span_of_time(in)) return 0;
  return in.spaces() && words_are(in, {"ago"}) ? ended(in, true) : 0;
}

std::size_t read_date(Scanner& in) {
  return ended(in, date(in));
}

std::size_t read_time(Scanner& in) {
  const bool found = clock_time(in);
  return in.peek() == ':' ? 0 : ended(in, found);
}

// 20250512T123000Z
std::size_t read_run_of_digits(Scanner& in) {
  int date = 0, time = 0;
  if (!in.digits(8, 8, date) || !in.sign('T') || !in.digits(6, 6, time)) return 0;
  in.reading.year = date / 10'000;
  in.reading.month = date / 100 % 100;
  in.reading.day = date % 100;
  in.reading.hours = time / 10'000;
  in.reading.minutes = time / 100 % 100;
  in.reading.seconds = time % 100;
  zone(in);
  return ended(in, true);
}

std::size_t read_datetime(Scanner& in) {
  if (const std::size_t run = read_run_of_digits(in); run > 0) return run;
  in.back_to(0);
  if (!date(in)) return 0;
  if (in.peek() == 'T' && is_digit(in.peek(1))) {
    in.skip(1);
    return ended(in, clock_time(in));
  }
  in.sign(',');
  if (!in.spaces()) return 0;
  if (const SmallWord word = in.word(); word == "at" || word == "um") {
    in.skip(word.size());
    in.spaces();
  }
  return ended(in, clock_time(in));
}

using ReadTime = std::size_t (*)(Scanner&);
std::size_t length(std::string_view text, ReadTime read) {
  Scanner in(text);
  return read(in);
}

}  // namespace

namespace {

// Which of them may begin here: a quick look, for most words of a text begin none.
struct MayBegin {
  bool date = false, time = false, age = false;  // a date may have a time behind it
};
MayBegin may_begin(std::string_view text) {
  Scanner in(text);
  if (!is_digit(in.peek())) {
    const SmallWord word = in.word();
    return {months.has(word) || weekdays.has(word), false, openings.has(word)};
  }
  while (is_digit(in.peek())) in.skip(1);
  const char sign = in.peek();
  if (sign == ':') return {.time = true};
  if (sign == '-' || sign == '/' || sign == '.') return {.date = true};
  in.spaces();
  const SmallWord word = in.word();
  return {sign == 'T' || months.has(word) || followers.has(word), false, units.has(word)};
}

}  // namespace

bool may_begin_a_time(std::string_view text) {
  const MayBegin may = may_begin(text);
  return may.date || may.time || may.age;
}

std::optional<TimeAhead> time_ahead(std::string_view text) {
  const MayBegin may = may_begin(text);
  const std::size_t none = 0;
  if (may.date) {
    if (const std::size_t length = datetime_length(text)) return {{TokenKind::datetime, length}};
    if (const std::size_t length = date_length(text)) return {{TokenKind::date, length}};
  }
  if (const std::size_t length = may.time ? time_length(text) : none)
    return {{TokenKind::time, length}};
  if (const std::size_t length = may.age ? age_length(text) : none)
    return {{TokenKind::age, length}};
  return std::nullopt;
}

std::size_t age_length(std::string_view text) {
  return length(text, read_age);
}
std::size_t date_length(std::string_view text) {
  return length(text, read_date);
}
std::size_t time_length(std::string_view text) {
  return length(text, read_time);
}
std::size_t datetime_length(std::string_view text) {
  return length(text, read_datetime);
}

std::optional<Reading> reading_of(std::string_view text, TokenKind kind) {
  const ReadTime read = kind == TokenKind::age        ? read_age
                        : kind == TokenKind::date     ? read_date
                        : kind == TokenKind::time     ? read_time
                        : kind == TokenKind::datetime ? read_datetime
                                                      : nullptr;
  Scanner in(text);
  if (read == nullptr || read(in) != text.size()) return std::nullopt;
  return in.reading;
}

}  // namespace pollux::extract
