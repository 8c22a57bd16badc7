#include "pollux/notify/render.hpp"

#include "pollux/notify/excerpt.hpp"
#include "support/json_schema.hpp"
#include "unit/notify/moments.hpp"

#include <fstream>
#include <iterator>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace pollux::notify {
namespace {

namespace json = boost::json;

// A page that tries everything: markup of all channels, mentions, headers, placeholders, control
// characters.
constexpr char hostile[] =
    "<script>alert(1)</script> <!channel> @everyone [x](http://evil) *b* ${json} ``` "
    "\r\nBcc: victim@example.org\r\n\x1b[31m =?UTF-8?B?eA==?= {{x}} &amp; \"quoted\"";

Message one(const std::string& text, Event event = Event::change) {
  Message message;
  message.key = "0a1b2c3d-7-1790000000000";
  message.rule = "team";
  message.sent_at = moment("2026-11-18T08:00:00Z");
  message.count = 1;
  Item item;
  item.id = 17;
  item.change_id = event == Event::change ? 4 : 0;
  item.event = event;
  item.at = moment("2026-11-18T07:59:00Z");
  item.since = moment("2026-11-18T07:49:00Z");
  item.name = visible(text);
  item.url = "https://example.org/a?b=c&d=e";
  item.tags = {visible(text)};
  item.summary = visible(text);
  item.diff = excerpt("same\n" + text + "\nlast", "same\nnew " + text + "\nlast");
  item.why = "its max_interval was over";
  if (event == Event::moved) item.link = "https://example.org/new";
  message.items.push_back(item);
  return message;
}

Message many(int count) {
  Message message = one("calm");
  message.kind = Message::Kind::digest;
  for (int i = 1; i < count; ++i) message.items.push_back(message.items.front());
  message.count = count + 3;
  return message;
}

json::value body_of(Body body, const Message& message, std::string url = "https://h.example/x") {
  Webhook webhook{.url = std::move(url), .body = body};
  return json::parse(http_message(webhook, message).body);
}

std::string text(const json::value& value) {
  return std::string(value.as_string());
}

json::value schema() {
  std::ifstream file(POLLUX_SOURCE_DIR "/config/notification.schema.json");
  return json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
}

TEST(RenderJson, is_as_its_schema_says) {
  const json::value rules = schema();
  for (const Message& message : {one("Prices"), one(hostile), one("m", Event::moved), many(5),
                                 many(80), sample("team", moment("2026-11-18T08:00:00Z"))}) {
    EXPECT_EQ(test::schema_errors(rules, json_of(message)), std::vector<std::string>());
  }
  Message system = one("x", Event::system);
  system.items.front().url.clear();
  system.items.front().since.reset();
  EXPECT_EQ(test::schema_errors(rules, json_of(system)), std::vector<std::string>());
}

TEST(RenderJson, the_schema_refuses_what_is_not_documented) {
  json::object wrong = json_of(one("Prices"));
  wrong["extra"] = 1;
  wrong["kind"] = "other";
  EXPECT_EQ(test::schema_errors(schema(), wrong).size(), 2u);
}

TEST(RenderJson, says_name_url_when_summary_diff_why_and_links) {
  const json::object event = json_of(one("Prices")).at("events").as_array().at(0).as_object();
  EXPECT_EQ(text(event.at("name")), "Prices");
  EXPECT_EQ(text(event.at("url")), "https://example.org/a?b=c&d=e");
  EXPECT_EQ(text(event.at("at")), "2026-11-18T07:59:00.000Z");
  EXPECT_EQ(text(event.at("since")), "2026-11-18T07:49:00.000Z");
  EXPECT_EQ(text(event.at("diff")), " same\n-Prices\n+new Prices\n last");
  EXPECT_EQ(text(event.at("why")), "its max_interval was over");
  EXPECT_EQ(text(event.at("links").at("page")), "https://example.org/a?b=c&d=e");
}

TEST(Webhooks, carry_their_key_as_a_header_and_their_type) {
  const HttpMessage http = http_message(
      {.url = "https://h.example/x", .headers = {"Authorization: Bearer t"}}, one("Prices"));
  EXPECT_EQ(http.method, "POST");
  EXPECT_EQ(http.headers,
            (std::vector<std::string>{"Authorization: Bearer t", "Content-Type: application/json",
                                      "Idempotency-Key: 0a1b2c3d-7-1790000000000"}));
}

TEST(Webhooks, control_characters_of_pages_are_visible_in_every_recipe) {
  for (const Body body : {Body::json, Body::slack, Body::discord, Body::matrix, Body::ntfy,
                          Body::gotify, Body::telegram, Body::teams}) {
    const std::string url = body == Body::telegram ? "https://h.example/x?chat_id=1"
                                                   : "https://h.example/send/m.room.message";
    const std::string sent = http_message({.url = url, .body = body}, one(hostile)).body;
    EXPECT_EQ(sent.find('\x1b'), std::string::npos);
    EXPECT_EQ(sent.find("\\u001b"), std::string::npos) << static_cast<int>(body);
    EXPECT_EQ(sent.find("\\r\\n"), std::string::npos) << static_cast<int>(body);
    EXPECT_NE(sent.find("x1b"), std::string::npos) << "and not just left out";
  }
}

// https://api.slack.com/messaging/webhooks: text, and blocks of at most 3000 characters; & < > are
// the characters that make mentions and links.
TEST(Recipes, slack_has_text_and_blocks_and_no_mentions) {
  const json::value body = body_of(Body::slack, one(hostile));
  EXPECT_EQ(body.as_object().size(), 2u);
  const json::object& block = body.at("blocks").at(0).as_object();
  EXPECT_EQ(text(block.at("type")), "section");
  EXPECT_EQ(text(block.at("text").at("type")), "mrkdwn");
  for (std::string shown : {text(body.at("text")), text(block.at("text").at("text"))}) {
    // The page's own address is a link, and nothing else is.
    const std::string link = "<https://example.org/a?b=c&amp;d=e>";
    if (const auto at = shown.find(link); at != std::string::npos) shown.erase(at, link.size());
    EXPECT_EQ(shown.find('<'), std::string::npos);
    EXPECT_EQ(shown.find('>'), std::string::npos);
    EXPECT_LE(shown.size(), 3000u);
  }
}

// https://discord.com/developers/docs/resources/webhook: content of at most 2000 characters.
TEST(Recipes, discord_has_content_without_mentions) {
  const json::value body = body_of(Body::discord, one(hostile));
  EXPECT_TRUE(body.at("allowed_mentions").at("parse").as_array().empty());
  const std::string content = text(body.at("content"));
  EXPECT_LE(content.size(), 2000u);
  EXPECT_NE(content.find("\\@everyone"), std::string::npos);
  EXPECT_NE(content.find("\\[x\\]\\("), std::string::npos);
  EXPECT_LE(text(body_of(Body::discord, many(300)).at("content")).size(), 2000u);
}

// Client-server API of Matrix: PUT …/send/m.room.message/{txnId}, and the server knows repetitions.
TEST(Recipes, matrix_puts_the_message_under_its_key) {
  const Webhook room{.url =
                         "https://m.example/_matrix/client/v3/rooms/!r:m.example/send/m.room."
                         "message",
                     .body = Body::matrix};
  const HttpMessage http = http_message(room, one(hostile));
  EXPECT_EQ(http.method, "PUT");
  EXPECT_TRUE(http.url.ends_with("/send/m.room.message/0a1b2c3d-7-1790000000000"));
  const json::value body = json::parse(http.body);
  EXPECT_EQ(text(body.at("msgtype")), "m.text");
  EXPECT_EQ(text(body.at("format")), "org.matrix.custom.html");
  EXPECT_EQ(text(body.at("formatted_body")).find("<script"), std::string::npos);
  EXPECT_FALSE(text(body.at("body")).empty());
}

// https://docs.ntfy.sh/publish/#publish-as-json: to the root, with the topic inside.
TEST(Recipes, ntfy_is_posted_to_the_root_with_its_topic) {
  const Webhook topic{.url = "https://ntfy.example/watch", .body = Body::ntfy};
  const HttpMessage http = http_message(topic, one("Prices"));
  EXPECT_EQ(http.url, "https://ntfy.example/");
  const json::value body = json::parse(http.body);
  EXPECT_EQ(text(body.at("topic")), "watch");
  EXPECT_EQ(text(body.at("title")), "Prices changed: Prices");
  EXPECT_EQ(text(body.at("click")), "https://example.org/a?b=c&d=e");
  EXPECT_LE(text(body_of(Body::ntfy, many(300)).at("message")).size(), 4096u);
}

// https://gotify.net/api-docs: title, message, priority, extras.
TEST(Recipes, gotify_has_title_message_and_priority) {
  const json::value body = body_of(Body::gotify, one("Prices"));
  EXPECT_EQ(text(body.at("title")), "Prices changed: Prices");
  EXPECT_FALSE(text(body.at("message")).empty());
  EXPECT_TRUE(body.at("priority").is_int64());
  EXPECT_EQ(text(body.at("extras").at("client::display").at("contentType")), "text/plain");
}

// https://core.telegram.org/bots/api#sendmessage: chat_id, text of 1 to 4096 characters.
TEST(Recipes, telegram_has_its_chat_and_plain_text) {
  const Webhook chat{.url = "https://api.telegram.org/botT/sendMessage?chat_id=%2D1001",
                     .body = Body::telegram};
  const HttpMessage http = http_message(chat, one(hostile));
  EXPECT_EQ(http.url, "https://api.telegram.org/botT/sendMessage");
  const json::value body = json::parse(http.body);
  EXPECT_EQ(text(body.at("chat_id")), "-1001");
  EXPECT_FALSE(body.as_object().contains("parse_mode")) << "nothing in it is markup";
  EXPECT_LE(text(json::parse(http_message(chat, many(300)).body).at("text")).size(), 4096u);
}

// Adaptive cards in a message, as webhooks of Teams take them.
TEST(Recipes, teams_has_an_adaptive_card) {
  const json::value body = body_of(Body::teams, one(hostile));
  EXPECT_EQ(text(body.at("type")), "message");
  const json::object& attachment = body.at("attachments").at(0).as_object();
  EXPECT_EQ(text(attachment.at("contentType")), "application/vnd.microsoft.card.adaptive");
  const json::object& card = attachment.at("content").as_object();
  EXPECT_EQ(text(card.at("type")), "AdaptiveCard");
  EXPECT_EQ(text(card.at("actions").at(0).at("url")), "https://example.org/a?b=c&d=e");
  EXPECT_NE(text(card.at("body").at(0).at("text")).find("\\[x\\]"), std::string::npos);
}

TEST(Recipes, teams_is_bounded_as_a_whole_and_counts_the_rest) {
  Message message = many(300);
  for (Item& item : message.items) {
    item.name = std::string(400, '*');
    item.summary = std::string(900, '\\');
    item.diff = excerpt(std::string(3000, '_'), std::string(3000, '#'));
  }
  const std::string sent =
      http_message({.url = "https://h.example/x", .body = Body::teams}, message).body;
  EXPECT_LE(sent.size(), 28u * 1024);
  const json::value body = json::parse(sent);
  const json::array& blocks = body.at("attachments").at(0).at("content").at("body").as_array();
  ASSERT_GE(blocks.size(), 3u);
  EXPECT_EQ(text(blocks.back().at("text")).substr(0, 4), "and ");
  EXPECT_NE(text(blocks.back().at("text")).find("more events"), std::string::npos);
  message.items.resize(1);
  message.items.front().summary = std::string(1 << 20, '<');
  EXPECT_LE(http_message({.url = "https://h.example/x", .body = Body::teams}, message).body.size(),
            28u * 1024);
}

TEST(OwnTemplate, fills_in_and_escapes_as_in_a_string_of_json) {
  const std::string own = R"({"text": "${title}", "n": ${count}, "all": ${json}})";
  ASSERT_TRUE(check_template(own));
  const json::value body = json::parse(fill_in(own, one(hostile)));
  EXPECT_NE(text(body.at("text")).find("\"quoted\""), std::string::npos);
  EXPECT_EQ(body.at("n").as_int64(), 1);
  EXPECT_EQ(text(body.at("all").at("rule")), "team");
}

TEST(OwnTemplate, what_pages_say_is_never_a_placeholder) {
  EXPECT_EQ(fill_in("<${name}>", one("${key} ${json}")), "<${key} ${json}>");
}

TEST(OwnTemplate, what_pages_say_adds_nothing_to_a_form) {
  constexpr std::string_view form = "application/x-www-form-urlencoded";
  Message message = one("calm");
  message.items.front().summary = "a&channel=all \"+%";
  EXPECT_EQ(fill_in("text=${summary}&channel=ops", message, form),
            "text=a%26channel%3Dall%20%22%2B%25&channel=ops");
  EXPECT_EQ(fill_in("n=1&payload={\"text\": \"${summary}\"}&n=${count}", message, form),
            "n=1&payload={\"text\": \"a%26channel%3Dall%20%5C%22%2B%25\"}&n=1");
  Webhook webhook{.url = "https://h.example/x",
                  .headers = {"Content-Type: Application/X-WWW-Form-Urlencoded"},
                  .body = Body::own,
                  .own = "text=${summary}"};
  EXPECT_EQ(http_message(webhook, message).body, "text=a%26channel%3Dall%20%22%2B%25");
}

TEST(OwnTemplate, what_pages_say_is_no_markup) {
  const std::string body = fill_in("<note>${name}</note>", one("</note><to>x&"), "text/xml");
  EXPECT_EQ(body, "<note>&lt;/note&gt;&lt;to&gt;x&amp;</note>");
}

TEST(OwnTemplate, an_unknown_placeholder_is_named) {
  const Status wrong = check_template("${titel}");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("${titel}"), std::string::npos);
  EXPECT_NE(wrong.error().message.find("${title}"), std::string::npos);
}

std::string header(const std::string& mail, const std::string& name) {
  const auto at = mail.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const auto start = at + 4 + name.size();
  auto end = mail.find("\r\n", start);
  while (mail[end + 2] == ' ') end = mail.find("\r\n", end + 2);
  return mail.substr(start, end - start);
}

const Mail mail_to{.to = {"a@example.org", "b@example.org"}, .from = "pollux@watch.example"};

TEST(MailText, headers_hold_nothing_that_a_page_has_broken_into_lines) {
  const std::string mail = mail_of(mail_to, one(hostile)).text;
  const std::string head = mail.substr(0, mail.find("\r\n\r\n"));
  EXPECT_EQ(head.find("Bcc:"), std::string::npos);
  EXPECT_EQ(head.find("\r\n\r"), std::string::npos);
  for (std::size_t at = 0; (at = head.find('\n', at)) != std::string::npos; ++at)
    ASSERT_EQ(head[at - 1], '\r');
  EXPECT_EQ(header(mail, "To"), "a@example.org,\r\n b@example.org");
  EXPECT_TRUE(header(mail, "Subject").starts_with("=?UTF-8?B?"));
}

TEST(MailText, has_list_id_thread_of_its_page_and_its_key) {
  const std::string first = mail_of(mail_to, one("Prices")).text;
  Message later = one("Prices");
  later.key = "0a1b2c3d-8-1790000000009";
  const std::string second = mail_of(mail_to, later).text;
  EXPECT_EQ(header(first, "List-Id"), "team <team.pollux.watch.example>");
  EXPECT_EQ(header(first, "Message-ID"), "<0a1b2c3d-7-1790000000000@watch.example>");
  EXPECT_NE(header(first, "Message-ID"), header(second, "Message-ID"));
  EXPECT_EQ(header(first, "References"), header(second, "References"));
  EXPECT_EQ(header(first, "References"), header(first, "In-Reply-To"));
  EXPECT_EQ(header(first, "Idempotency-Key"), "0a1b2c3d-7-1790000000000");
  EXPECT_EQ(header(first, "Date"), "Wed, 18 Nov 2026 08:00:00 +0000");
  EXPECT_NE(first.find("text/plain"), std::string::npos);
  EXPECT_NE(first.find("text/html"), std::string::npos);
}

TEST(MailText, lines_are_short_enough_for_any_server) {
  const std::string mail = mail_of(mail_to, many(100)).text;
  std::size_t longest = 0, last = 0;
  for (std::size_t at = 0; (at = mail.find("\r\n", at)) != std::string::npos; at += 2) {
    longest = std::max(longest, at - last);
    last = at + 2;
  }
  EXPECT_LE(longest, 200u);
}

TEST(HtmlDiff, colours_words_and_escapes_them) {
  const std::string html = html_diff("-price <b>99</b> euro\n+price <b>94</b> euro\n @ & same");
  EXPECT_NE(html.find("<del "), std::string::npos);
  EXPECT_NE(html.find("<ins "), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("price "), std::string::npos);
  EXPECT_NE(html.find("&amp; same"), std::string::npos);
}

TEST(Excerpts, are_bounded_and_show_what_differs_in_long_lines) {
  std::string long_line;
  for (int i = 0; i < 5000; ++i) long_line += "word" + std::to_string(i) + " ";
  std::string other = long_line;
  other.replace(other.find("word2500"), 8, "NEWS2500");
  const std::string told = excerpt(long_line, other);
  EXPECT_NE(told.find("NEWS2500"), std::string::npos);
  EXPECT_LT(told.size(), 1000u);

  std::string old_text, new_text;
  for (int i = 0; i < 5000; ++i) {
    old_text += "a" + std::to_string(i) + "\n";
    new_text += "b" + std::to_string(i) + "\n";
  }
  const std::string all = excerpt(old_text, new_text);
  EXPECT_LT(all.size(), 8000u);
  EXPECT_NE(all.find("more lines"), std::string::npos);
}

TEST(Excerpts, of_equal_texts_are_empty) {
  EXPECT_EQ(excerpt("same\ntext", "same\ntext"), "");
}

TEST(Titles, count_what_a_digest_holds) {
  Message message = many(3);
  message.items[1].event = Event::failing;
  EXPECT_EQ(title_of(message), "6 events: 2 change, 1 failing, 3 not listed");
}

}  // namespace
}  // namespace pollux::notify
