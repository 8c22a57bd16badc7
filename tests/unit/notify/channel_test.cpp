// Each channel against a real counterpart on loopback.
#include "pollux/notify/channel.hpp"

#include "pollux/extract/extract.hpp"
#include "pollux/notify/excerpt.hpp"
#include "pollux/notify/render.hpp"
#include "support/json_schema.hpp"
#include "support/receiver.hpp"
#include "support/smtp_server.hpp"
#include "support/temp_folder.hpp"
#include "unit/notify/moments.hpp"

#include <fstream>
#include <iterator>
#include <thread>

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <sys/stat.h>

namespace pollux::notify {
namespace {

namespace json = boost::json;
using test::Reply;
using namespace std::chrono_literals;

const std::vector<std::string> loopback = {"127.0.0.0/8"};

Message news(int number = 1) {
  Message message = sample("team", moment("2026-11-18T08:00:00Z"));
  message.kind = Message::Kind::single;
  message.key = "0a1b2c3d-" + std::to_string(number) + "-1790000000000";
  Item& item = message.items.front();
  item.id = number;
  item.name = "Prices & <b>more</b> €";
  item.diff = excerpt("a\nbolt 9 €\n", "a\nbolt 8 €\n");
  return message;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Attempt send(const Target& to, const Message& message, ChannelOptions options = {}) {
  return make_channel(to, options)->send(message);
}

TEST(WebhookChannel, delivers_and_hears_the_answer) {
  test::Receiver receiver;
  const Webhook to{.url = receiver.url("/hook"), .headers = {"X-Own: yes"}, .allow = loopback};
  const auto channel = make_channel(to, {.user_agent = "pollux/test"});
  for (int i = 1; i <= 3; ++i) {
    const Attempt attempt = channel->send(news(i));
    EXPECT_TRUE(attempt.delivered) << attempt.error;
  }
  const auto taken = receiver.taken("/hook");
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[1].method, "POST");
  EXPECT_EQ(taken[1].key(), "0a1b2c3d-2-1790000000000");
  EXPECT_EQ(taken[1].headers.at("content-type"), "application/json");
  EXPECT_EQ(taken[1].headers.at("x-own"), "yes");
  EXPECT_EQ(taken[1].headers.at("user-agent"), "pollux/test");
  EXPECT_EQ(std::string(json::parse(taken[1].body).at("key").as_string()), taken[1].key());
}

// Method, path and the members without which the service refuses a body, by its documentation.
TEST(WebhookChannel, each_recipe_arrives_as_its_service_documents_it) {
  struct Service {
    Body body;
    const char *path, *method, *arrives;
    std::vector<const char*> members;
  };
  const std::string key = news().key;
  const std::string room = "/_matrix/client/v3/rooms/r/send/m.room.message/" + key;
  const Service services[] = {
      {Body::json, "/hook", "POST", "/hook", {"version", "key", "rule", "events"}},
      {Body::slack, "/services/T/B/x", "POST", "/services/T/B/x", {"text", "blocks"}},
      {Body::discord, "/api/webhooks/1/x", "POST", "/api/webhooks/1/x", {"content"}},
      {Body::matrix,
       "/_matrix/client/v3/rooms/r/send/m.room.message",
       "PUT",
       room.c_str(),
       {"msgtype", "body"}},
      {Body::ntfy, "/topic", "POST", "/", {"topic", "message"}},
      {Body::gotify, "/message", "POST", "/message", {"message"}},
      {Body::telegram,
       "/bot1:x/sendMessage?chat_id=7",
       "POST",
       "/bot1:x/sendMessage",
       {"chat_id", "text"}},
      {Body::teams, "/workflows/x", "POST", "/workflows/x", {"type", "attachments"}}};
  for (const Service& service : services) {
    test::Receiver receiver;
    const Webhook to{.url = receiver.url(service.path), .body = service.body, .allow = loopback};
    const Attempt attempt = send(to, news());
    EXPECT_TRUE(attempt.delivered) << service.path << ": " << attempt.error;
    const std::vector<test::Received> received = receiver.all();
    ASSERT_EQ(received.size(), 1u) << service.path;
    EXPECT_EQ(received[0].method, service.method) << service.path;
    EXPECT_EQ(received[0].path, service.arrives);
    EXPECT_EQ(received[0].headers.at("content-type"), "application/json") << service.path;
    EXPECT_EQ(received[0].key(), key) << service.path;
    const json::value body = json::parse(received[0].body);
    for (const char* member : service.members)
      EXPECT_TRUE(body.as_object().contains(member)) << service.path << " wants " << member;
  }
}

TEST(WebhookChannel, goes_nowhere_that_only_network_allow_or_nobody_has_permitted) {
  test::Receiver receiver;
  const Attempt attempt = send(Webhook{.url = receiver.url("/hook")}, news());
  EXPECT_FALSE(attempt.delivered);
  EXPECT_NE(attempt.error.find("`allow` of the rule"), std::string::npos) << attempt.error;
  EXPECT_EQ(receiver.origin().connections(), 0u);
}

TEST(WebhookChannel, follows_no_redirect) {
  test::Receiver receiver([](const test::Received&) { return Reply::elsewhere; });
  const Attempt attempt = send(Webhook{.url = receiver.url("/hook"), .allow = loopback}, news());
  EXPECT_FALSE(attempt.delivered);
  EXPECT_NE(attempt.error.find("redirect"), std::string::npos) << attempt.error;
  EXPECT_EQ(receiver.count(), 1u);
}

TEST(WebhookChannel, tells_failures_apart) {
  Reply reply = Reply::error;
  test::Receiver receiver([&](const test::Received&) { return reply; });
  const Webhook to{.url = receiver.url("/hook"), .allow = loopback};
  Attempt attempt = send(to, news());
  EXPECT_EQ(attempt.error, "HTTP 500");
  EXPECT_FALSE(attempt.hopeless);
  reply = Reply::busy;
  attempt = send(to, news());
  EXPECT_EQ(attempt.retry_after, std::optional<Duration>(1s));
  reply = Reply::gone;
  EXPECT_TRUE(send(to, news()).hopeless);
  reply = Reply::half;
  attempt = send(to, news());
  EXPECT_FALSE(attempt.delivered);
  EXPECT_FALSE(attempt.error.empty());
  reply = Reply::hang;
  attempt = send(to, news(), {.webhook_timeout = 300ms});
  EXPECT_FALSE(attempt.delivered);
  EXPECT_NE(attempt.error.find("timeout"), std::string::npos) << attempt.error;
}

TEST(WebhookChannel, a_2xx_whose_body_never_ends_has_been_said) {
  test::Receiver receiver([](const test::Received&) { return Reply::stall; });
  const Webhook to{.url = receiver.url("/hook"), .allow = loopback};
  EXPECT_TRUE(send(to, news(), {.webhook_timeout = 300ms}).delivered)
      << "or it would be told again for three days, and all others would wait behind it";
  EXPECT_EQ(receiver.count(), 1u);
}

TEST(WebhookChannel, that_hangs_can_be_cancelled) {
  test::Receiver receiver([](const test::Received&) { return Reply::hang; });
  const Webhook to{.url = receiver.url("/hook"), .allow = loopback};
  const auto channel = make_channel(to, {.webhook_timeout = 10min});
  std::thread other([&] {
    while (receiver.count() == 0) std::this_thread::sleep_for(1ms);
    channel->cancel();
  });
  EXPECT_FALSE(channel->send(news()).delivered);
  other.join();
  EXPECT_FALSE(channel->send(news()).delivered) << "and nothing is sent any more";
  EXPECT_EQ(receiver.count(), 1u);
}

TEST(WebhookChannel, checks_certificates) {
  test::Receiver receiver([](const test::Received&) { return Reply::ok; }, {.tls = true});
  const Webhook to{.url = receiver.origin().url_at("localhost", "/hook"), .allow = loopback};
  EXPECT_FALSE(send(to, news()).delivered) << "nobody vouches for it";
  const test::TempFolder folder;
  const ChannelOptions trusting{.ca_file = folder.write("ca.pem", receiver.origin().ca_pem())};
  const Attempt attempt = send(to, news(), trusting);
  EXPECT_TRUE(attempt.delivered) << attempt.error;
}

// --- Mail.

std::string decoded_part(const std::string& mail, const std::string& type) {
  const auto part = mail.find("Content-Type: " + type);
  const auto start = mail.find("\r\n\r\n", part) + 4;
  const auto end = mail.find("\r\n--", start);
  std::string base64 = mail.substr(start, end - start), out;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : base64) {
    static const std::string letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto value = letters.find(c);
    if (value == std::string::npos) continue;
    group = group << 6U | static_cast<std::uint32_t>(value);
    if ((bits += 6) >= 8) out += static_cast<char>(group >> (bits -= 8) & 0xFFU);
  }
  return out;
}

struct MailWay {
  test::SmtpServer::Tls tls;
  const char* scheme;
};

class MailChannel : public testing::TestWithParam<MailWay> {};

TEST_P(MailChannel, logs_in_over_tls_and_delivers_text_and_html) {
  test::SmtpServer server({.tls = GetParam().tls, .login = "me:secret"});
  const test::TempFolder folder;
  const Mail to{
      .to = {"a@example.org", "b@example.org"},
      .from = "pollux@watch.example",
      .server = GetParam().scheme + std::string("://localhost:") + std::to_string(server.port()),
      .login = "me:secret",
      .allow = {"127.0.0.0/8", "::1"}};
  const ChannelOptions trusting{.ca_file = folder.write("ca.pem", server.ca_pem())};
  const Attempt attempt = send(to, news(), trusting);
  ASSERT_TRUE(attempt.delivered) << attempt.error;
  const auto mails = server.mails();
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_TRUE(mails[0].tls);
  EXPECT_EQ(mails[0].login, "me:secret");
  EXPECT_EQ(mails[0].from, "pollux@watch.example");
  EXPECT_EQ(mails[0].to, to.to);
  const std::string plain = decoded_part(mails[0].text, "text/plain");
  const std::string html = decoded_part(mails[0].text, "text/html");
  EXPECT_NE(plain.find("Prices & <b>more</b> €"), std::string::npos) << plain;
  EXPECT_NE(plain.find("-bolt 9 €"), std::string::npos) << plain;
  EXPECT_NE(html.find("Prices &amp; &lt;b&gt;more&lt;/b&gt; €"), std::string::npos) << html;
  EXPECT_NE(html.find("<del "), std::string::npos) << html;
  for (const std::string& line : server.seen_in_the_clear())
    EXPECT_EQ(line.find("AUTH"), std::string::npos) << "a login in the clear";
}

INSTANTIATE_TEST_SUITE_P(Ways, MailChannel,
                         testing::Values(MailWay{test::SmtpServer::Tls::starttls, "smtp"},
                                         MailWay{test::SmtpServer::Tls::from_the_start, "smtps"}),
                         [](const auto& way) { return std::string(way.param.scheme); });

TEST(MailChannels, send_no_login_to_a_server_without_tls) {
  test::SmtpServer server({.tls = test::SmtpServer::Tls::none, .login = "me:secret"});
  const Mail to{.to = {"a@example.org"},
                .from = "p@example.org",
                .server = "smtp://127.0.0.1:" + std::to_string(server.port()),
                .login = "me:secret",
                .allow = loopback};
  EXPECT_FALSE(send(to, news()).delivered);
  for (const std::string& line : server.seen_in_the_clear())
    EXPECT_EQ(line.find("AUTH"), std::string::npos);
}

TEST(MailChannels, check_certificates_and_addresses) {
  test::SmtpServer server({.tls = test::SmtpServer::Tls::starttls, .login = "me:secret"});
  Mail to{.to = {"a@example.org"},
          .from = "p@example.org",
          .server = "smtp://127.0.0.1:" + std::to_string(server.port()),
          .login = "me:secret",
          .allow = loopback};
  EXPECT_FALSE(send(to, news()).delivered) << "nobody vouches for it";
  to.allow.clear();
  const Attempt refused = send(to, news());
  EXPECT_NE(refused.error.find("not public"), std::string::npos) << refused.error;
  EXPECT_TRUE(server.mails().empty());
}

TEST(MailChannels, know_what_is_refused_for_good) {
  test::SmtpServer server({.tls = test::SmtpServer::Tls::none, .refuse_data_with = 554});
  Mail to{.to = {"a@example.org"},
          .from = "p@example.org",
          .server = "smtp://127.0.0.1:" + std::to_string(server.port()),
          .allow = loopback};
  const Attempt refused = send(to, news());
  EXPECT_FALSE(refused.delivered);
  EXPECT_TRUE(refused.hopeless) << refused.error;
  EXPECT_TRUE(refused.error.starts_with("the mail server refused it: 554 ")) << refused.error;

  test::SmtpServer picky({.tls = test::SmtpServer::Tls::starttls, .login = "me:secret"});
  const test::TempFolder folder;
  to.server = "smtp://localhost:" + std::to_string(picky.port());
  to.login = "me:wrong";
  to.allow = {"127.0.0.0/8", "::1"};
  const Attempt wrong = send(to, news(), {.ca_file = folder.write("ca.pem", picky.ca_pem())});
  EXPECT_FALSE(wrong.delivered);
  EXPECT_FALSE(wrong.hopeless) << "a login can be mended";
}

TEST(MailChannels, a_mail_whose_answer_was_lost_is_not_delivered_yet) {
  test::SmtpServer server({.tls = test::SmtpServer::Tls::none, .close_after_data = true});
  const Mail to{.to = {"a@example.org"},
                .from = "p@example.org",
                .server = "smtp://127.0.0.1:" + std::to_string(server.port()),
                .allow = loopback};
  EXPECT_FALSE(send(to, news()).delivered);
  EXPECT_TRUE(send(to, news()).delivered);
  const auto mails = server.mails();
  ASSERT_EQ(mails.size(), 2u);
  const auto id = [](const std::string& text) {
    const auto at = text.find("Message-ID:");
    return text.substr(at, text.find("\r\n", at) - at);
  };
  EXPECT_EQ(id(mails[0].text), id(mails[1].text)) << "the same mail";
}

// --- Programs.

class ProgramChannel : public testing::Test {
 protected:
  std::string program(const std::string& text) {
    const std::string path = folder_.write("hook", "#!/bin/sh\n" + text);
    ::chmod(path.c_str(), 0755);
    return path;
  }
  test::TempFolder folder_;
};

TEST_F(ProgramChannel, gets_its_arguments_as_they_are_and_the_message_as_input) {
  const std::string out = folder_.file("out"), arguments = folder_.file("args");
  const ToProgram to{{program("cat > " + out + "\nprintf '%s\\n' \"$@\" \"$POLLUX_KEY\" > " +
                              arguments + "\nenv | grep -c HOME >> " + arguments + "\nexit 0\n"),
                      "--quiet", "$(touch evil); `x`"}};
  const Attempt attempt = send(to, news());
  ASSERT_TRUE(attempt.delivered) << attempt.error;
  EXPECT_EQ(text_of(arguments), "--quiet\n$(touch evil); `x`\n0a1b2c3d-1-1790000000000\n0\n");
  std::ifstream schema(POLLUX_SOURCE_DIR "/config/notification.schema.json");
  const auto rules = json::parse(std::string{std::istreambuf_iterator<char>(schema), {}});
  EXPECT_EQ(test::schema_errors(rules, json::parse(text_of(out))), std::vector<std::string>());
}

TEST_F(ProgramChannel, that_fails_or_takes_too_long_has_not_delivered) {
  Attempt attempt = send(ToProgram{{program("echo no room >&2\nexit 3\n")}}, news());
  EXPECT_FALSE(attempt.delivered);
  EXPECT_NE(attempt.error.find("status 3: no room"), std::string::npos) << attempt.error;
  attempt = send(ToProgram{{program("sleep 600\n")}}, news(), {.program_timeout = 200ms});
  EXPECT_FALSE(attempt.delivered);
  EXPECT_NE(attempt.error.find("longer than it may"), std::string::npos) << attempt.error;
  EXPECT_FALSE(send(ToProgram{{folder_.file("none")}}, news()).delivered);
}

TEST_F(ProgramChannel, can_be_ended) {
  const auto channel =
      make_channel(ToProgram{{program("touch " + folder_.file("begun") + "\nsleep 600\n")}},
                   {.program_timeout = 10min});
  std::thread other([&] {
    while (!std::ifstream(folder_.file("begun")).is_open()) std::this_thread::sleep_for(1ms);
    channel->cancel();
  });
  EXPECT_FALSE(channel->send(news()).delivered);
  other.join();
}

// --- Files.

TEST(FileChannel, adds_a_line_each_and_mends_one_that_was_cut_off) {
  const test::TempFolder folder;
  const std::string path = folder.write("changes.jsonl", "{\"cut\":");
  const auto channel = make_channel(ToFile{path}, {});
  ASSERT_TRUE(channel->send(news(1)).delivered);
  ASSERT_TRUE(channel->send(news(2)).delivered);
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(std::string(json::parse(lines[2]).at("key").as_string()), news(2).key);
  EXPECT_FALSE(send(ToFile{folder.file("no/folder")}, news()).delivered);
}

struct FreeXml {
  void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
  void operator()(xmlXPathContext* context) const { xmlXPathFreeContext(context); }
  void operator()(xmlXPathObject* found) const { xmlXPathFreeObject(found); }
};

const xmlChar* xml(const char* text) {
  return reinterpret_cast<const xmlChar*>(text);
}

// What RFC 4287 demands of feeds and entries, by XPath.
class Feed {
 public:
  explicit Feed(const std::string& text)
      : document_(xmlReadMemory(text.data(), static_cast<int>(text.size()), "", nullptr,
                                XML_PARSE_NONET | XML_PARSE_NOERROR)) {}
  bool parses() const { return document_ != nullptr; }
  int count(const std::string& path) const {
    const std::unique_ptr<xmlXPathContext, FreeXml> context(xmlXPathNewContext(document_.get()));
    xmlXPathRegisterNs(context.get(), xml("a"), xml("http://www.w3.org/2005/Atom"));
    const std::unique_ptr<xmlXPathObject, FreeXml> found(
        xmlXPathEvalExpression(xml(path.c_str()), context.get()));
    return found && found->nodesetval != nullptr ? found->nodesetval->nodeNr : 0;
  }

 private:
  std::unique_ptr<xmlDoc, FreeXml> document_;
};

TEST(AtomChannel, writes_a_feed_that_is_valid_and_that_a_reader_accepts) {
  const test::TempFolder folder;
  const std::string path = folder.file("changes.xml");
  const auto channel = make_channel(ToAtom{path}, {});
  for (int i = 1; i <= 120; ++i) ASSERT_TRUE(channel->send(news(i)).delivered);
  ASSERT_TRUE(channel->send(news(120)).delivered) << "repeated after a kill";
  const std::string text = text_of(path);
  const Feed feed(text);
  ASSERT_TRUE(feed.parses());
  EXPECT_EQ(feed.count("/a:feed/a:id"), 1);
  EXPECT_EQ(feed.count("/a:feed/a:title"), 1);
  EXPECT_EQ(feed.count("/a:feed/a:updated"), 1);
  EXPECT_EQ(feed.count("/a:feed/a:author/a:name"), 1);
  EXPECT_EQ(feed.count("/a:feed/a:entry"), 100) << "the newest, each once";
  EXPECT_EQ(feed.count("/a:feed/a:entry[count(a:id) = 1 and count(a:title) = 1 and "
                       "count(a:updated) = 1 and a:link[@rel = 'alternate']/@href]"),
            100);
  EXPECT_EQ(feed.count("/a:feed/a:entry[a:id = preceding-sibling::a:entry/a:id]"), 0);
  EXPECT_EQ(feed.count("//*[namespace-uri() != 'http://www.w3.org/2005/Atom']"), 0)
      << "what pages say is no markup";

  extract::Rules rules;
  rules.as = extract::As::feed;
  const auto compiled = extract::compile(rules);
  ASSERT_TRUE(compiled);
  const auto read = extract::extract({text, "application/atom+xml"}, **compiled, {});
  const auto* kept = std::get_if<extract::Kept>(&read);
  ASSERT_NE(kept, nullptr);
  EXPECT_NE(kept->content.find("Prices & <b>more</b> €"), std::string::npos) << kept->content;
}

TEST(AtomChannel, does_not_wait_for_what_is_no_file) {
  const test::TempFolder folder;
  const std::string pipe = folder.file("pipe.xml"), feed = folder.file("feed.xml");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Attempt attempt = send(ToAtom{pipe}, news());
  EXPECT_FALSE(attempt.delivered);
  EXPECT_NE(attempt.error.find("is no ordinary file"), std::string::npos) << attempt.error;
  ASSERT_EQ(::mkfifo((feed + ".new").c_str(), 0600), 0);
  EXPECT_FALSE(send(ToAtom{feed}, news()).delivered);
  EXPECT_FALSE(send(ToAtom{"/dev/zero"}, news()).delivered);
}

TEST(Channels, are_described_without_secrets) {
  const Webhook hook{.url = "https://hooks.example/services/T0SECRET?token=x"};
  EXPECT_EQ(describe(hook), "webhook to hooks.example");
  const Mail mail{.to = {"a@example.org", "b@example.org"}, .login = "me:secret"};
  EXPECT_EQ(describe(mail), "mail to a@example.org and 1 more");
}

}  // namespace
}  // namespace pollux::notify
