#include "pollux/demo/noise.hpp"

#include <array>
#include <ctime>

namespace pollux::demo {
namespace {

constexpr auto kind_names = std::to_array<std::string_view>({"none",
                                                             "csrf meta",
                                                             "script nonce",
                                                             "session in links",
                                                             "uuid",
                                                             "datetime",
                                                             "clock",
                                                             "seconds ago",
                                                             "minutes ago",
                                                             "view counter",
                                                             "users online",
                                                             "request id",
                                                             "build comment",
                                                             "rotating ad",
                                                             "shuffled list",
                                                             "A/B test",
                                                             "load balancer",
                                                             "JSON key order",
                                                             "JSON timestamp",
                                                             "JSON request id",
                                                             "feed build date",
                                                             "hidden token",
                                                             "random attributes",
                                                             "tracking links",
                                                             "render time",
                                                             "ad with a price",
                                                             "uptime",
                                                             "slow views",
                                                             "slow comments"});

constexpr auto ads = std::to_array<std::string_view>(
    {"Sunny holidays by the sea, book today with Marlin Tours",
     "Tired feet? Walk on clouds with Nimbus shoes", "Fresh coffee at your door every Monday",
     "The bank that calls you back: Ledger and Sons",
     "Learn to play the lute in thirty days, first lesson free"});

// What is sold, and for how much: of one shop or another.
std::string priced_ad(Random& random) {
  static constexpr auto things = std::to_array<std::string_view>(
      {"Garden chairs", "A winter coat", "Two nights in Lisbon", "The new phone", "Running shoes",
       "A bicycle lamp", "Fresh oranges", "A course in drawing"});
  const std::string thing(things[random() % things.size()]);
  const std::string euros = std::to_string(5 + random() % 200);
  switch (random() % 5) {
    case 0:
      return thing + ", only " + euros + ".99";
    case 1:
      return "Save " + std::to_string(5 * (1 + random() % 14)) + " % today: " + thing;
    case 2:
      return thing + " from €" + euros;
    case 3:
      return "Sale! " + thing + " now $" + euros + ".50 instead of $" + euros + "9";
    default:
      return thing + ": " + std::to_string(5 * (1 + random() % 14)) + "% off until Sunday";
  }
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

std::string uuid(Random& random) {
  return random_hex(random, 8) + "-" + random_hex(random, 4) + "-4" + random_hex(random, 3) + "-a" +
         random_hex(random, 3) + "-" + random_hex(random, 12);
}

std::string paragraph(const std::string& text) {
  return "<p>" + text + "</p>\n";
}

}  // namespace

std::string_view name_of(NoiseKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::vector<NoiseKind> all_noise_kinds() {
  std::vector<NoiseKind> kinds;
  for (std::size_t i = 1; i < kind_names.size(); ++i) kinds.push_back(static_cast<NoiseKind>(i));
  return kinds;
}

std::string random_hex(Random& random, std::size_t digits) {
  std::string text;
  while (text.size() < digits) text += "0123456789abcdef"[random() % 16];
  return text;
}

std::string random_base64(Random& random, std::size_t length) {
  static constexpr std::string_view signs =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string text;
  while (text.size() < length) text += signs[random() % signs.size()];
  return text;
}

std::string written(std::chrono::system_clock::time_point at, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

NoiseParts draw_noise(NoiseKind kind, const NoiseMoment& moment, Random& random) {
  NoiseParts parts;
  switch (kind) {
    case NoiseKind::csrf_meta:
      parts.head = "<meta name=\"csrf-token\" content=\"" + random_base64(random, 43) + "\">";
      break;
    case NoiseKind::script_nonce:
      parts.head = "<script nonce=\"" + random_base64(random, 24) + "\">var t = \"" +
                   random_hex(random, 16) + "\";</script>";
      break;
    case NoiseKind::session_in_links:
      parts.link_query = "?sid=" + random_hex(random, 32);
      break;
    case NoiseKind::uuid:
      parts.bottom = paragraph("Trace " + uuid(random));
      break;
    case NoiseKind::datetime:
      parts.bottom =
          paragraph("Page generated " + written(moment.now, "%Y-%m-%d %H:%M:%S") + " UTC");
      break;
    case NoiseKind::clock:
      parts.top = paragraph("Local time " + written(moment.now, "%H:%M:%S") + " at the harbour");
      break;
    case NoiseKind::seconds_ago:
      parts.top = paragraph("Last refreshed " + number(1 + random() % 58) + " seconds ago");
      break;
    case NoiseKind::minutes_ago: {
      const auto age = moment.now.time_since_epoch() / moment.minute + moment.page % 7;
      parts.top = paragraph("Posted " + number(2 + age % 50) + " minutes ago by the editor");
      break;
    }
    case NoiseKind::view_counter:
      parts.bottom = paragraph("This page was viewed " + number(12000 + moment.nth) + " times");
      break;
    case NoiseKind::users_online:
      parts.bottom = paragraph(number(20 + random() % 900) + " users online and " +
                               number(20 + random() % 900) + " guests");
      break;
    case NoiseKind::request_id:
      parts.bottom = paragraph("Request ID: " + random_hex(random, 20));
      break;
    case NoiseKind::build_comment:
      parts.bottom =
          "<!-- build " + random_hex(random, 40) + " served in " + number(random() % 90) + " -->";
      break;
    case NoiseKind::rotating_ad:
      parts.top = "<div class=ad>" + std::string(ads[random() % ads.size()]) + "</div>\n";
      break;
    case NoiseKind::shuffled_list:
      parts.shuffle = true;
      break;
    case NoiseKind::ab_test:
      parts.top = paragraph(random() % 2 == 1 ? "Put it into your basket today"
                                              : "Buy it now with one click");
      break;
    case NoiseKind::load_balancer: {
      const bool second = random() % 2 == 1;
      if (second) parts.top = paragraph("All offices are open, see our new opening hours below");
      parts.bottom = paragraph(std::string("Served by web") + (second ? "-two" : "-one"));
      break;
    }
    case NoiseKind::hidden_form_token:
      parts.bottom = "<form action=/search><input name=q><input type=hidden name=token value=\"" +
                     random_base64(random, 32) + "\"></form>\n";
      break;
    case NoiseKind::random_attributes:
      parts.attribute =
          " id=\"r" + random_hex(random, 8) + "\" data-key=\"" + random_hex(random, 12) + "\"";
      break;
    case NoiseKind::tracking_links:
      parts.link_query = "?utm_source=page&amp;click=" + random_base64(random, 22);
      break;
    case NoiseKind::render_time:
      parts.bottom = paragraph("Rendered in 0." + number(100 + random() % 900) + " seconds");
      break;
    case NoiseKind::priced_ad:
      (moment.page % 2 == 0 ? parts.top : parts.bottom) =
          "<aside>" + priced_ad(random) + "</aside>\n";
      break;
    case NoiseKind::uptime: {
      static constexpr auto services = std::to_array<std::string_view>(
          {"Mail", "Search", "Accounts", "Payments", "Uploads", "Website"});
      const bool in_line = moment.page % 2 == 0;
      for (const std::string_view service : services) {
        const std::string share = "99." + number(10 + random() % 90);
        parts.bottom += paragraph(std::string(service) + (in_line ? " works, uptime " : " works")) +
                        (in_line ? "" : paragraph(share + "% in 90 days"));
        if (in_line) parts.bottom.insert(parts.bottom.size() - 5, share + " %");
      }
      break;
    }
    case NoiseKind::slow_views: {
      const auto ticks = static_cast<std::uint64_t>(moment.now.time_since_epoch() /
                                                    (moment.minute / 3) * (1 + moment.page % 3));
      static constexpr auto before =
          std::to_array<std::string_view>({"", "Views: ", "Viewed ", "Likes: ", "", ""});
      static constexpr auto after = std::to_array<std::string_view>(
          {" views", "", " times", "", " downloads so far", " people read this"});
      const std::size_t way = moment.page / 3 % before.size();
      parts.bottom = paragraph(std::string(before[way]) + number(100 + ticks % 5'000'000) +
                               std::string(after[way]));
      break;
    }
    case NoiseKind::slow_talk: {
      const auto ticks =
          static_cast<std::uint64_t>(moment.now.time_since_epoch() / (2 * moment.minute));
      parts.bottom = paragraph(number(3 + ticks % 10'000) +
                               (moment.page % 2 == 0 ? " comments" : " replies below"));
      break;
    }
    default:
      break;
  }
  return parts;
}

}  // namespace pollux::demo
