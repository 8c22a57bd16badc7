#include "support/noisy_page.hpp"

#include <algorithm>
#include <array>

namespace pollux::test {
namespace {

using demo::Random;

constexpr auto lie_names =
    std::to_array<std::string_view>({"login wall", "consent redirect", "bot challenge", "soft 404",
                                     "maintenance", "size collapse", "lie at first"});

std::string number(std::uint64_t value) {
  return std::to_string(value);
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

std::string html(const NoisyPage& page, const Content& content, const Drawing& how,
                 Random& random) {
  demo::NoiseParts noise;
  if (how.noise)
    noise = demo::draw_noise(page.kind, {how.nth, page.seed, how.now, how.minute}, random);
  std::string text = "<!doctype html><html><head><title>" + content.title + "</title>" +
                     noise.head + "</head><body" + noise.attribute + ">\n<nav>";
  for (const char* name : {"Home", "Archive", "Contact"}) {
    text += std::string("<a href=\"/") + name + noise.link_query + "\">" + name + "</a> ";
  }
  text += "</nav>\n<h1" + noise.attribute + ">" + content.title + "</h1>\n" + noise.top + "<h2>" +
          content.headline + "</h2>\n";
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
    members.push_back("\"generated_at\":" + quoted(demo::written(how.now, "%Y-%m-%dT%H:%M:%SZ")));
  if (how.noise && page.kind == NoiseKind::json_request_id)
    members.push_back("\"request_id\":" + quoted(demo::random_hex(random, 24)));
  std::string out;
  for (const std::string& member : members) out += (out.empty() ? "" : ",") + member;
  return "{" + out + "}";
}

std::string feed(const Content& content, const Drawing& how) {
  std::string text = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>" +
                     content.title + "</title><link>http://example.org/</link><description>" +
                     content.headline + "</description>";
  if (how.noise) {
    text += "<lastBuildDate>" + demo::written(how.now, "%a, %d %b %Y %H:%M:%S GMT") +
            "</lastBuildDate>";
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

// What servers and those before them really send.
Drawn draw_first_lie(std::uint64_t seed) {
  static const std::vector<Drawn> answers = {
      {200, "", short_page("502 Bad Gateway", "<hr><center>nginx</center>"), {}},
      {200, "", short_page("Just a moment...", "<p>Enable JavaScript and cookies</p>"), {}},
      {200, "", "", {}},
      {202, "", "<html><head></head><body><script src=challenge.js></script></body></html>", {}},
      {200, "", short_page("503 Backend fetch failed", "<p>Guru Meditation: XID 4711</p>"), {}},
      {200, "", short_page("Seite nicht gefunden", "<p>Bitte prüfen Sie die Adresse.</p>"), {}},
      {200, "", "<body><h2>Service temporairement indisponible</h2></body>", {}},
      {200, "", short_page("HTTP Status 500 – Internal Server Error", "<hr>"), {}},
      {200, "", "<title></title><script>window._cf_chl_opt={}</script><p>One more step</p>", {}},
      {203, "", short_page("Proxy", "<p>The cache has no answer.</p>"), {}},
      {200, "", "Error establishing a database connection", {}},
      {200, "", short_page("Access Denied", "<p>Reference #18.5f</p>"), {}}};
  Drawn drawn = answers[seed % answers.size()];
  drawn.type = "text/html; charset=utf-8";
  return drawn;
}

}  // namespace

std::string_view name_of(Lie lie) {
  return lie_names[static_cast<std::size_t>(lie)];
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
      drawn.body = short_page("Just a moment...",
                              "<p>Checking your browser before you go on.</p><p>Ray " +
                                  demo::random_hex(random, 16) +
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
    case Lie::at_first:
      drawn = draw_first_lie(page.seed);
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
