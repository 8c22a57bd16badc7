// Ages, dates and times as pages write them. Each reader looks at a bounded stretch.
#include "extract/mask_tokens.hpp"

#include <algorithm>
#include <array>

namespace pollux::extract {
namespace {

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
  // The word of ASCII letters (and bytes of others) at this place, in lower case, at most 16.
  std::string word() const {
    std::string found;
    while (found.size() < 17 &&
           (is_letter(peek(found.size())) || (peek(found.size()) & 0x80) != 0)) {
      found += lower(peek(found.size()));
    }
    return found;
  }
  void skip(std::size_t length) { at_ += length; }
  bool ends() const { return !is_alphanumeric(peek()); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

template <std::size_t n>
constexpr bool one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr auto months = std::to_array<std::string_view>(
    {"jan",       "feb",      "mar",      "apr",      "may",        "jun",     "jul",
     "aug",       "sep",      "sept",     "oct",      "nov",        "dec",     "january",
     "february",  "march",    "april",    "june",     "july",       "august",  "september",
     "october",   "november", "december", "januar",   "februar",    "märz",    "mai",
     "juni",      "juli",     "oktober",  "dezember", "dez",        "okt",     "janvier",
     "février",   "mars",     "avril",    "juin",     "juillet",    "août",    "septembre",
     "octobre",   "novembre", "décembre", "enero",    "febrero",    "marzo",   "abril",
     "mayo",      "junio",    "julio",    "agosto",   "septiembre", "octubre", "noviembre",
     "diciembre", "gennaio",  "febbraio", "aprile",   "maggio",     "giugno",  "luglio",
     "settembre", "ottobre",  "dicembre"});
constexpr auto weekdays = std::to_array<std::string_view>(
    {"mon",    "tue",    "tues",     "wed",      "thu",        "thur",     "thurs",   "fri",
     "sat",    "sun",    "monday",   "tuesday",  "wednesday",  "thursday", "friday",  "saturday",
     "sunday", "montag", "dienstag", "mittwoch", "donnerstag", "freitag",  "samstag", "sonntag",
     "lundi",  "mardi",  "mercredi", "jeudi",    "vendredi",   "samedi"});
constexpr auto units = std::to_array<std::string_view>(
    {"s",        "m",       "h",        "d",       "w",      "mo",      "y",        "sec",
     "secs",     "min",     "mins",     "hr",      "hrs",    "second",  "seconds",  "minute",
     "minutes",  "hour",    "hours",    "day",     "days",   "week",    "weeks",    "month",
     "months",   "year",    "years",    "yr",      "yrs",    "sekunde", "sekunden", "minuten",
     "stunde",   "stunden", "std",      "tag",     "tagen",  "woche",   "wochen",   "monat",
     "monaten",  "jahr",    "jahren",   "heure",   "heures", "jour",    "jours",    "semaine",
     "semaines", "mois",    "segundos", "minutos", "horas",  "días",    "secondes"});
constexpr auto zones =
    std::to_array<std::string_view>({"z", "utc", "gmt", "cet", "cest", "est", "edt", "cst", "cdt",
                                     "mst", "mdt", "pst", "pdt", "bst"});

// The words that an age, a date or a time can begin with, by their first two letters: all others
// need not be tried.
constexpr auto openings = std::to_array<std::string_view>(
    {"just", "moments", "a ", "an ", "one", "few", "yesterday", "vor", "il ", "hace", "ein", "un"});
constexpr std::size_t pair_of(char first, char second) {
  return (static_cast<unsigned char>(lower(first)) * std::size_t{256}) +
         static_cast<unsigned char>(lower(second));
}
const std::vector<bool>& opening_pairs() {
  static const std::vector<bool> pairs = [] {
    std::vector<bool> table(std::size_t{256} * 256);
    for (const std::string_view word : months) table[pair_of(word[0], word[1])] = true;
    for (const std::string_view word : weekdays) table[pair_of(word[0], word[1])] = true;
    for (const std::string_view word : openings) table[pair_of(word[0], word[1])] = true;
    return table;
  }();
  return pairs;
}

bool month(Scanner& in) {
  const std::string word = in.word();
  if (!one_of(months, word)) return false;
  in.skip(word.size());
  in.sign('.');
  return true;
}

// A weekday in front belongs to the date, and changes with it.
void weekday(Scanner& in) {
  const std::size_t from = in.at();
  const std::string word = in.word();
  if (!one_of(weekdays, word)) return;
  in.skip(word.size());
  in.sign('.');
  in.sign(',');
  if (!in.spaces()) in.back_to(from);
}

bool year(Scanner& in) {
  int value = 0;
  return in.digits(4, 4, value) && value >= 1900 && value < 2200;
}

// 2025-05-12, 2025/05/12, 2025.05.12
bool year_first(Scanner& in) {
  int m = 0, d = 0;
  if (!year(in)) return false;
  const char separator = in.peek();
  if (separator != '-' && separator != '/' && separator != '.') return false;
  in.skip(1);
  return in.digits(1, 2, m) && m >= 1 && m <= 12 && in.sign(separator) && in.digits(1, 2, d) &&
         d >= 1 && d <= 31;
}

// 12.05.2025, 12/5/2025, 05-12-2025
bool year_last(Scanner& in) {
  int first = 0, second = 0;
  if (!in.digits(1, 2, first) || first < 1 || first > 31) return false;
  const char separator = in.peek();
  if (separator != '-' && separator != '/' && separator != '.') return false;
  in.skip(1);
  return in.digits(1, 2, second) && second >= 1 && second <= 31 && in.sign(separator) && year(in);
}

// 12 May 2025, 12. Mai 2025, 12th of May, 2025, 12-May-2025
bool day_month_year(Scanner& in) {
  int day = 0;
  if (!in.digits(1, 2, day) || day < 1 || day > 31) return false;
  const std::string ending = in.word();
  if (ending == "st" || ending == "nd" || ending == "rd" || ending == "th") in.skip(2);
  in.sign('.');
  if (!in.sign('-') && !in.spaces()) return false;
  if (in.word() == "of" || in.word() == "de") {
    in.skip(2);
    if (!in.spaces()) return false;
  }
  if (!month(in)) return false;
  in.sign(',');
  return (in.sign('-') || in.spaces()) && year(in);
}

// May 12, 2025
bool month_day_year(Scanner& in) {
  int day = 0;
  if (!month(in) || !in.spaces() || !in.digits(1, 2, day) || day < 1 || day > 31) return false;
  const std::string ending = in.word();
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
    if (form(in)) return true;
  }
  in.back_to(start);
  return false;
}

void zone(Scanner& in) {
  const std::size_t from = in.at();
  in.spaces();
  int value = 0;
  if (in.peek() == '+' || in.peek() == '-') {
    in.skip(1);
    if (in.digits(4, 4, value)) return;
    if (in.digits(2, 2, value) && in.sign(':') && in.digits(2, 2, value)) return;
  } else if (const std::string word = in.word(); one_of(zones, word)) {
    in.skip(word.size());
    if (in.ends()) return;
  }
  in.back_to(from);
}

void half_of_day(Scanner& in) {
  const std::size_t from = in.at();
  in.spaces();
  const std::string word = in.word();
  if (word == "am" || word == "pm" || word == "uhr") {
    in.skip(word.size());
    return;
  }
  if ((word == "a" || word == "p") && in.peek(1) == '.') {
    in.skip(2);
    if (in.word() == "m") {
      in.skip(1);
      in.sign('.');
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
    const std::size_t end = in.at();
    if (!((in.sign('.') || in.sign(',')) && in.digits(1, 9, fraction))) in.back_to(end);
  } else {
    in.back_to(short_end);
  }
  half_of_day(in);
  zone(in);
  return true;
}

bool amount(Scanner& in) {
  int value = 0;
  if (in.digits(1, 4, value)) return true;
  const std::string word = in.word();
  for (const std::string_view few :
       {"a", "an", "one", "few", "ein", "einer", "einem", "une", "un"}) {
    if (word != few) continue;
    in.skip(few.size());
    return true;
  }
  return false;
}

bool unit(Scanner& in) {
  const std::size_t from = in.at();
  in.spaces();
  const std::string word = in.word();
  if (one_of(units, word)) {
    in.skip(word.size());
    in.sign('.');
    return true;
  }
  in.back_to(from);
  return false;
}

// "1 hour", "1 h 5 min", "1 hour and 5 minutes"
bool span_of_time(Scanner& in) {
  if (!amount(in) || !unit(in)) return false;
  for (int i = 0; i < 3; ++i) {
    const std::size_t from = in.at();
    in.sign(',');
    in.spaces();
    if (const std::string word = in.word(); word == "and" || word == "und" || word == "et") {
      in.skip(word.size());
      in.spaces();
    }
    if (amount(in) && unit(in)) continue;
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

}  // namespace

bool may_begin_a_time(std::string_view text) {
  if (text.size() < 2) return false;
  return is_digit(text[0]) || opening_pairs()[pair_of(text[0], text[1])];
}

std::size_t age_length(std::string_view text) {
  Scanner in(text);
  if (words_are(in, {"just", "now"}) || words_are(in, {"moments", "ago"}) ||
      words_are(in, {"a", "moment", "ago"}) || words_are(in, {"yesterday"})) {
    return ended(in, true);
  }
  if (words_are(in, {"vor"}) || words_are(in, {"il", "y", "a"}) || words_are(in, {"hace"})) {
    return in.spaces() && span_of_time(in) ? ended(in, true) : 0;
  }
  if (!span_of_time(in)) return 0;
  return in.spaces() && words_are(in, {"ago"}) ? ended(in, true) : 0;
}

std::size_t date_length(std::string_view text) {
  Scanner in(text);
  return ended(in, date(in));
}

std::size_t time_length(std::string_view text) {
  Scanner in(text);
  const bool found = clock_time(in);
  return in.peek() == ':' ? 0 : ended(in, found);
}

std::size_t datetime_length(std::string_view text) {
  Scanner in(text);
  // 20250512T123000Z
  int value = 0;
  if (in.digits(8, 8, value) && in.sign('T') && in.digits(6, 6, value)) {
    zone(in);
    return ended(in, true);
  }
  in.back_to(0);
  if (!date(in)) return 0;
  if (in.peek() == 'T' && is_digit(in.peek(1))) {
    in.skip(1);
    return ended(in, clock_time(in));
  }
  in.sign(',');
  if (!in.spaces()) return 0;
  if (const std::string word = in.word(); word == "at" || word == "um") {
    in.skip(word.size());
    in.spaces();
  }
  return ended(in, clock_time(in));
}

}  // namespace pollux::extract
