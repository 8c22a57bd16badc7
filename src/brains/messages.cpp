#include "brains/messages.hpp"

#include "pollux/bus/subject.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <boost/json.hpp>

namespace pollux::brains {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_message = 4096;
constexpr std::uint64_t largest_count = std::uint64_t{1} << 53;  // an epoch has one above it
constexpr double longest_lease = 3600;                           // seconds

// Takes members out of an object; afterwards good() says whether all were there and right.
class Reader {
 public:
  explicit Reader(std::string_view text) {
    if (text.size() > longest_message) return;
    boost::system::error_code error;
    value_ = json::parse({text.data(), text.size()}, error);
    good_ = !error && value_.is_object();
  }
  bool good() const { return good_; }
  std::uint64_t count(std::string_view name) {
    const json::value* found = find(name);
    boost::system::error_code error;
    const auto number = found ? found->to_number<std::uint64_t>(error) : 0;
    good_ = good_ && !error && number <= largest_count;
    return good_ ? number : 0;
  }
  double number(std::string_view name) {
    const json::value* found = find(name);
    boost::system::error_code error;
    const double number = found ? found->to_number<double>(error) : 0;
    good_ = good_ && !error && std::isfinite(number) && number >= 0;
    return good_ ? number : 0;
  }
  std::string word(std::string_view name) {
    const json::value* found = find(name);
    good_ = good_ && found->is_string() &&
            bus::is_word({found->get_string().data(), found->get_string().size()});
    return good_ ? std::string(found->get_string()) : "";
  }
  bool flag(std::string_view name) {
    const json::value* found = find(name);
    good_ = good_ && found->is_bool();
    return good_ && found->get_bool();
  }

 private:
  const json::value* find(std::string_view name) {
    if (!good_) return nullptr;
    const json::value* found = value_.get_object().if_contains({name.data(), name.size()});
    good_ = found != nullptr;
    return found;
  }
  json::value value_;
  bool good_ = false;
};

}  // namespace

std::string text_of(const AskMessage& message) {
  const leases::Ask& ask = message.ask;
  const Figures& figures = message.figures;
  return json::serialize(json::object{{"incarnation", message.incarnation},
                                      {"id", ask.id},
                                      {"knows", ask.knows},
                                      {"epoch", ask.epoch},
                                      {"held", ask.held},
                                      {"rate", ask.rate},
                                      {"leaving", ask.leaving},
                                      {"ends_in", to_seconds(ask.ends_in)},
                                      {"marginal_value", figures.marginal_value},
                                      {"pages", figures.pages},
                                      {"hosts", figures.hosts},
                                      {"requests", figures.requests},
                                      {"changes", figures.changes},
                                      {"errors", figures.errors},
                                      {"poll_rate", figures.poll_rate}});
}

std::string text_of(const GrantMessage& message) {
  const leases::Grant& grant = message.grant;
  return json::serialize(json::object{{"incarnation", message.incarnation},
                                      {"epoch", grant.epoch},
                                      {"ask", grant.ask},
                                      {"rate", grant.rate},
                                      {"seconds", to_seconds(grant.lasts)},
                                      {"hello", grant.hello}});
}

std::optional<AskMessage> read_ask(std::string_view text) {
  Reader reader(text);
  AskMessage message;
  message.incarnation = reader.word("incarnation");
  message.ask.id = reader.count("id");
  message.ask.knows = reader.count("knows");
  message.ask.epoch = reader.count("epoch");
  message.ask.held = reader.count("held");
  message.ask.rate = reader.number("rate");
  message.ask.leaving = reader.flag("leaving");
  message.ask.ends_in = from_seconds(std::min(reader.number("ends_in"), longest_lease));
  message.figures.marginal_value = reader.number("marginal_value");
  message.figures.pages = reader.count("pages");
  message.figures.hosts = reader.count("hosts");
  message.figures.requests = reader.count("requests");
  message.figures.changes = reader.count("changes");
  message.figures.errors = reader.count("errors");
  message.figures.poll_rate = reader.number("poll_rate");
  return reader.good() ? std::optional(message) : std::nullopt;
}

std::optional<GrantMessage> read_grant(std::string_view text) {
  Reader reader(text);
  GrantMessage message;
  message.incarnation = reader.word("incarnation");
  message.grant.epoch = reader.count("epoch");
  message.grant.ask = reader.count("ask");
  message.grant.rate = reader.number("rate");
  const double seconds = reader.number("seconds");
  message.grant.lasts = from_seconds(std::min(seconds, longest_lease));
  message.grant.hello = reader.flag("hello");
  return reader.good() ? std::optional(message) : std::nullopt;
}

}  // namespace pollux::brains
