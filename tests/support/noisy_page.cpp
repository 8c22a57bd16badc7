#include "support/noisy_page.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace pollux::test {
namespace {

using Random = std::mt19937_64;

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
                                                             "render time"});
constexpr auto lie_names =
    std::to_array<std::string_view>({"login wall", "consent redirect", "bot challenge", "soft 404",
                                     "maintenance", "size collapse"});

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

std::string hex(Random& random, std::size_t digits) {
  std::string text;
  while (text.size() < digits) text += "0123456789abcdef"[random() % 16];
  return text;
}
std::string base64(Random& random, std::size_t length) {
  static constexpr std::string_view signs =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string text;
  while (text.size() < length) text += signs[random() % signs.size()];
  return text;
}
std::string uuid(Random& random) {
  return hex(random, 8) + "-" + hex(random, 4) + "-4" + hex(random, 3) + "-a" + hex(random, 3) +
         "-" + hex(random, 12);
}

std::string written(std::chrono::system_clock::time_point at, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

constexpr auto consonants =
    std::to_array<char>({'b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v'});
constexpr auto vowels = std::to_array<char>({'a', 'e', 'i', 'o', 'u'});

std::string syllable(std::uint64_t n) {
  return {consonants[n % consonants.size()], vowels[n / consonants.size() % vowels.size()]};
}
std::string word(Random& random) {
  std::string text;
  for (std::uint64_t left = 2 + random() % 3; left > 0; --left) text += syllable(random());
  return text;
}
std::string sentence(Random& random, int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += (i == 0 ? "" : " ") + word(random);
  return text + ".";
}

// What the page says at a version; the noise comes later.
struct Content {
  std::string title, headline, price = "99.90";
  std::vector<std::string> paragraphs;
  std::vector<std::string> notes;
};

Content content_of(const NoisyPage& page, int version) {
  Random random(page.seed);
  Content content;
  content.title = word(random) + " " + word(random);
  content.headline = sentence(random, 5);
  for (int i = 0; i < 6; ++i) content.paragraphs.push_back(sentence(random, 24));
  for (int i = 0; i < 4; ++i) content.notes.push_back(sentence(random, 4));
  for (int i = 0; i < version; ++i) {
    const TrueChange& change = page.changes[static_cast<std::size_t>(i)];
    const std::uint64_t drawn = random();
    switch (change.how) {
      case TrueChange::How::headline:
        content.headline = word(random) + " " + change.says + " " + word(random) + ".";
        break;
      case TrueChange::How::price:
        content.price = change.says;
        break;
      case TrueChange::How::note:
        content.notes.insert(content.notes.begin(), word(random) + " " + change.says + ".");
        break;
      case TrueChange::How::word: {
        std::string& text = content.paragraphs[drawn % content.paragraphs.size()];
        const std::size_t space = text.find(' ', drawn / 8 % (text.size() / 2));
        const std::size_t end = text.find_first_of(" .", space + 1);
        text.replace(space + 1, end - space - 1, change.says);
        break;
      }
    }
  }
  return content;
}

constexpr auto ads = std::to_array<std::string_view>(
    {"Sunny holidays by the sea, book today with Marlin Tours",
     "Tired feet? Walk on clouds with Nimbus shoes", "Fresh coffee at your door every Monday",
     "The bank that calls you back: Ledger and Sons",
     "Learn to play the lute in thirty days, first lesson free"});

struct NoiseParts {
  std::string head, top, bottom, link_query, attribute;
  bool variant = false, shuffle = false;
};

NoiseParts noise_of(const NoisyPage& page, const Drawing& how, Random& random) {
  NoiseParts parts;
  if (!how.noise) return parts;
  const auto paragraph = [](const std::string& text) { return "<p>" + text + "</p>\n"; };
  switch (page.kind) {
    case NoiseKind::csrf_meta:
      parts.head = "<meta name=\"csrf-token\" content=\"" + base64(random, 43) + "\">";
      break;
    case NoiseKind::script_nonce:
      parts.head = "<script nonce=\"" + base64(random, 24) + "\">var t = \"" + hex(random, 16) +
                   "\";</script>";
      break;
    case NoiseKind::session_in_links:
      parts.link_query = "?sid=" + hex(random, 32);
      break;
    case NoiseKind::uuid:
      parts.bottom = paragraph("Trace " + uuid(random));
      break;
    case NoiseKind::datetime:
      parts.bottom = paragraph("Page generated " + written(how.now, "%Y-%m-%d %H:%M:%S") + " UTC");
      break;
    case NoiseKind::clock:
      parts.top = paragraph("Local time " + written(how.now, "%H:%M:%S") + " at the harbour");
      break;
    case NoiseKind::seconds_ago:
      parts.top = paragraph("Last refreshed " + number(1 + random() % 58) + " seconds ago");
      break;
    case NoiseKind::minutes_ago: {
      const auto age = how.now.time_since_epoch() / how.minute + page.seed % 7;
      parts.top = paragraph("Posted " + number(2 + age % 50) + " minutes ago by the editor");
      break;
    }
    case NoiseKind::view_counter:
      parts.bottom = paragraph("This page was viewed " + number(12000 + how.nth) + " times");
      break;
    case NoiseKind::users_online:
      parts.bottom = paragraph(number(20 + random() % 900) + " users online and " +
                               number(20 + random() % 900) + " guests");
      break;
    case NoiseKind::request_id:
      parts.bottom = paragraph("Request ID: " + hex(random, 20));
      break;
    case NoiseKind::build_comment:
      parts.bottom =
          "<!-- build " + hex(random, 40) + " served in " + number(random() % 90) + " -->";
      break;
    case NoiseKind::rotating_ad:
      parts.top = "<div class=ad>" + std::string(ads[random() % ads.size()]) + "</div>\n";
      break;
    case NoiseKind::shuffled_list:
      parts.shuffle = true;
      break;
    case NoiseKind::ab_test:
    case NoiseKind::load_balancer:
      parts.variant = random() % 2 == 1;
      break;
    case NoiseKind::hidden_form_token:
      parts.bottom = "<form action=/search><input name=q><input type=hidden name=token value=\"" +
                     base64(random, 32) + "\"></form>\n";
      break;
    case NoiseKind::random_attributes:
      parts.attribute = " id=\"r" + hex(random, 8) + "\" data-key=\"" + hex(random, 12) + "\"";
      break;
    case NoiseKind::tracking_links:
      parts.link_query = "?utm_source=page&amp;click=" + base64(random, 22);
      break;
    case NoiseKind::render_time:
      parts.bottom = paragraph("Rendered in 0." + number(100 + random() % 900) + " seconds");
      break;
    default:
      break;
  }
  return parts;
}

std::string variant_top(const NoisyPage& page, const Drawing& how, bool variant) {
  if (!how.noise) return {};
  if (page.kind == NoiseKind::ab_test)
    return variant ? "<p>Put it into your basket today</p>\n"
                   : "<p>Buy it now with one click</p>\n";
  if (page.kind == NoiseKind::load_balancer)
    return variant ? "<p>All offices are open, see our new opening hours below</p>\n" : "";
  return {};
}

std::string html(const NoisyPage& page, const Content& content, const Drawing& how,
                 Random& random) {
  const NoiseParts noise = noise_of(page, how, random);
  std::string text = "<!doctype html><html><head><title>" + content.title + "</title>" +
                     noise.head + "</head><body" + noise.attribute + ">\n<nav>";
  for (const char* name : {"Home", "Archive", "Contact"}) {
    text += std::string("<a href=\"/") + name + noise.link_query + "\">" + name + "</a> ";
  }
  text += "</nav>\n<h1" + noise.attribute + ">" + content.title + "</h1>\n" + noise.top +
          variant_top(page, how, noise.variant) + "<h2>" + content.headline + "</h2>\n";
  for (std::size_t i = 0; i < 3; ++i) text += "<p>" + content.paragraphs[i] + "</p>\n";
  text += "<p>Price: " + content.price + " EUR</p>\n";
  if (page.kind == NoiseKind::shuffled_list) {
    std::vector<std::string> tips = {"Walk along the quay at dawn", "Try the smoked fish",
                                     "Ring the bell of the chapel", "Ask for the small boat",
                                     "Bring a coat in spring"};
    if (noise.shuffle) std::shuffle(tips.begin(), tips.end(), random);
    text += "<ul>\n";
    for (const std::string& tip : tips) text += "<li>" + tip + "</li>\n";
    text += "</ul>\n";
  }
  text += "<h3>Notes</h3>\n<ul>\n";
  for (const std::string& note : content.notes) text += "<li>" + note + "</li>\n";
  text += "</ul>\n";
  for (std::size_t i = 3; i < content.paragraphs.size(); ++i)
    text += "<p>" + content.paragraphs[i] + "</p>\n";
  if (page.kind == NoiseKind::load_balancer && how.noise)
    text += std::string("<p>Served by web") + (noise.variant ? "-two" : "-one") + "</p>\n";
  return text + noise.bottom + "<footer>All rights reserved by the harbour office</footer>\n" +
         "</body></html>\n";
}

std::string json(const NoisyPage& page, const Content& content, const Drawing& how,
                 Random& random) {
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  const auto list = [&](const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "" : ",") + quoted(text);
    return "[" + out + "]";
  };
  std::vector<std::string> members = {
      "\"title\":" + quoted(content.title), "\"headline\":" + quoted(content.headline),
      "\"price\":" + quoted(content.price), "\"notes\":" + list(content.notes),
      "\"text\":" + list(content.paragraphs)};
  if (how.noise && page.kind == NoiseKind::json_key_order)
    std::shuffle(members.begin(), members.end(), random);
  if (how.noise && page.kind == NoiseKind::json_timestamp)
    members.push_back("\"generated_at\":" + quoted(written(how.now, "%Y-%m-%dT%H:%M:%SZ")));
  if (how.noise && page.kind == NoiseKind::json_request_id)
    members.push_back("\"request_id\":" + quoted(hex(random, 24)));
  std::string out;
  for (const std::string& member : members) out += (out.empty() ? "" : ",") + member;
  return "{" + out + "}";
}

std::string feed(const Content& content, const Drawing& how) {
  std::string text = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>" +
                     content.title + "</title><link>http://example.org/</link><description>" +
                     content.headline + "</description>";
  if (how.noise) {
    text += "<lastBuildDate>" + written(how.now, "%a, %d %b %Y %H:%M:%S GMT") + "</lastBuildDate>";
  }
  const auto item = [&](const std::string& name, const std::string& id) {
    text += "<item><title>" + name + "</title><guid>" + id + "</guid><description>" + name +
            "</description></item>";
  };
  item("Headline " + content.headline, "headline");
  item("Price " + content.price, "price");
  for (const std::string& note : content.notes) item(note, note);
  for (std::size_t i = 0; i < content.paragraphs.size(); ++i)
    item(content.paragraphs[i], "p" + number(i));
  return text + "</channel></rss>";
}

std::string short_page(const std::string& title, const std::string& body) {
  return "<!doctype html><html><head><title>" + title + "</title></head><body><h1>" + title +
         "</h1>" + body + "</body></html>";
}

}  // namespace

std::string_view name_of(NoiseKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}
std::string_view name_of(Lie lie) {
  return lie_names[static_cast<std::size_t>(lie)];
}

std::vector<NoiseKind> all_noise_kinds() {
  std::vector<NoiseKind> kinds;
  for (std::size_t i = 1; i < kind_names.size(); ++i) kinds.push_back(static_cast<NoiseKind>(i));
  return kinds;
}
std::vector<Lie> all_lies() {
  std::vector<Lie> lies;
  for (std::size_t i = 0; i < lie_names.size(); ++i) lies.push_back(static_cast<Lie>(i));
  return lies;
}

int NoisyPage::version_at(SinceBegin now) const {
  return static_cast<int>(std::count_if(
      changes.begin(), changes.end(), [&](const TrueChange& change) { return change.at <= now; }));
}
bool NoisyPage::lies_at(SinceBegin now) const {
  return std::any_of(lies.begin(), lies.end(), [&](const auto& window) {
    return window.first <= now && now < window.second;
  });
}

std::string telling_word(int n) {
  // The pages' own words have no z.
  std::string text = "zu";
  auto left = static_cast<std::uint64_t>(n);
  for (int i = 0; i < 3; ++i, left /= 65) text += syllable(left % 65);
  return text;
}

Drawn draw(const NoisyPage& page, const Drawing& how, Random& random) {
  const Content content = content_of(page, how.version);
  Drawn drawn;
  switch (page.kind) {
    case NoiseKind::json_key_order:
    case NoiseKind::json_timestamp:
    case NoiseKind::json_request_id:
      drawn.type = "application/json";
      drawn.body = json(page, content, how, random);
      break;
    case NoiseKind::feed_build_date:
      drawn.type = "application/rss+xml";
      drawn.body = feed(content, how);
      break;
    default:
      drawn.type = "text/html; charset=utf-8";
      drawn.body = html(page, content, how, random);
  }
  return drawn;
}

Drawn draw_lie(const NoisyPage& page, Random& random) {
  Drawn drawn;
  drawn.type = "text/html; charset=utf-8";
  const bool long_one = page.seed % 2 == 0;
  switch (*page.lie) {
    case Lie::login_wall:
      if (long_one) {
        drawn.status = 302;
        drawn.location = "/login?next=" + number(page.seed);
      } else {
        drawn.body = draw_wall("/login")->body;
      }
      break;
    case Lie::consent_redirect:
      drawn.status = 302;
      drawn.location = "/consent?back=" + number(page.seed);
      break;
    case Lie::bot_challenge:
      drawn.body =
          short_page("Just a moment...",
                     "<p>Checking your browser before you go on.</p><p>Ray " + hex(random, 16) +
                         "</p><script src=\"/cdn-cgi/challenge-platform/x.js\"></script>");
      break;
    case Lie::soft_404: {
      // Half of them in the dress of the site: as long as a page, and another one.
      std::string rest;
      Random same(7);
      if (long_one) rest = "<p>" + sentence(same, 60) + "</p>";
      drawn.body = short_page("Page not found", "<p>What you look for is not here.</p>" + rest);
      break;
    }
    case Lie::maintenance:
      drawn.body = short_page("Down for maintenance", "<p>We will be back soon, thank you.</p>");
      break;
    case Lie::size_collapse:
      drawn.body = "<!doctype html><html><head><title></title></head><body><p>ok</p></body></html>";
      break;
  }
  return drawn;
}

std::optional<Drawn> draw_wall(std::string_view path) {
  if (path == "/login") {
    return Drawn{200,
                 "text/html; charset=utf-8",
                 short_page("Sign in",
                            "<form method=post><input name=user><input type=password "
                            "name=password><button>Sign in</button></form>"),
                 {}};
  }
  if (path == "/consent") {
    return Drawn{200,
                 "text/html; charset=utf-8",
                 short_page("Before you continue",
                            "<p>We and our partners use cookies. Please accept them all or choose "
                            "among the purposes.</p><form><button>Accept</button></form>"),
                 {}};
  }
  return std::nullopt;
}

}  // namespace pollux::test
