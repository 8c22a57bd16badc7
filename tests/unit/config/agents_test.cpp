#include "loaded.hpp"

namespace pollux::config {
namespace {

Result<Loaded> as_agent(const std::string& text) {
  LoadOptions options;
  options.purpose = Purpose::agent;
  return load_text(text, "agent.yaml", options);
}
std::string refusal_of(const std::string& text) {
  const auto loaded = as_agent(text);
  return loaded.ok() ? "it was taken" : loaded.error().message;
}
constexpr char nats[] = "nats: { servers: [\"tls://n.example:4222\"] }\n";

TEST(AgentConfig, needs_a_name_and_servers_and_no_pages) {
  const auto loaded = as_agent(std::string("agent: { name: fra-1, slots: 16, secrets: true }\n") +
                               nats + "hosts: { delay: 2s }\nnetwork: { allow: [10.0.0.0/8] }\n");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->config.agent.name, "fra-1");
  EXPECT_EQ(loaded->config.agent.slots, 16u);
  EXPECT_TRUE(loaded->config.agent.secrets);
  EXPECT_EQ(loaded->config.nats.servers, std::vector<std::string>{"tls://n.example:4222"});
  EXPECT_EQ(loaded->config.host_default.delay, std::chrono::seconds(2));
  EXPECT_TRUE(contains(refusal_of(nats), "has no name"));
  EXPECT_TRUE(contains(refusal_of("agent: { name: a }\n"), "no way to its brain"));
}

TEST(AgentConfig, the_annotated_file_loads) {
  LoadOptions options;
  options.purpose = Purpose::agent;
  const auto loaded = load(POLLUX_SOURCE_DIR "/config/agent.yaml", options);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const AgentSettings fresh;
  EXPECT_EQ(loaded->config.agent.slots, fresh.slots);
  EXPECT_EQ(loaded->config.agent.secrets, fresh.secrets);
  EXPECT_EQ(loaded->config.host_default.delay, HostSettings().delay);
}

TEST(AgentConfig, says_what_is_its_brains_to_say) {
  const std::string name = std::string("agent: { name: a }\n") + nats;
  for (const char* other : {"budget: 1\n", "pages: [http://a.example/]\n", "web: { listen: x }\n"})
    EXPECT_FALSE(as_agent(name + other).ok()) << other;
  EXPECT_TRUE(contains(refusal_of(name + "budget: 1\n"), "means nothing to an agent"));
}

TEST(AgentConfig, may_have_a_browser_whose_price_is_the_brains_to_say) {
  const std::string name = std::string("agent: { name: a }\n") + nats;
  const auto loaded = as_agent(name + "render: { chromium: true, pages: 4, memory: 512MiB }\n");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_TRUE(loaded->config.render.chromium);
  EXPECT_EQ(loaded->config.render.pages, 4u);
  EXPECT_TRUE(contains(refusal_of(name + "render: { chromium: true, price: 3 }\n"),
                       "agent.yaml:3: render.price means nothing to an agent"));
  EXPECT_TRUE(contains(refusal_of(name + "render: { chromium: true }\n"
                                         "network: { proxy: 'http://127.0.0.1:8080' }\n"),
                       "render: a rendered page would pass by the proxy of network.proxy"));
}

TEST(AgentConfig, names_that_cannot_stand_in_a_subject_are_refused) {
  for (const char* bad : {"a.b", "\"*\"", "\">\"", "\"a b\"", "\"\""})
    EXPECT_FALSE(as_agent(std::string("agent: { name: ") + bad + " }\n" + nats).ok()) << bad;
}

TEST(AgentConfig, secrets_need_encryption) {
  EXPECT_TRUE(contains(refusal_of("agent: { name: a, secrets: true }\nnats: { servers: "
                                  "[\"nats://n.example:4222\"] }\n"),
                       "tls:// only"));
}

TEST(BrainConfig, has_agents_as_access_points) {
  const Config config = loaded(std::string("pages: [http://a.example/]\n") + nats +
                               "access_points: [{ name: fra, agent: fra-1, capacity: 7 }]\n")
                            .config;
  ASSERT_EQ(config.fetch.access_points.size(), 1u);
  EXPECT_EQ(config.fetch.access_points[0].agent, "fra-1");
}

TEST(BrainConfig, says_how_content_comes) {
  const auto way = [](const std::string& word) {
    return loaded("pages: [http://a.example/]\nnats: { servers: [\"tls://n.example:4222\"]" + word +
                  " }\n")
        .config.content_way;
  };
  EXPECT_EQ(way(""), ContentWay::automatic);
  EXPECT_EQ(way(", content: auto"), ContentWay::automatic);
  EXPECT_EQ(way(", content: at_once"), ContentWay::at_once);
  EXPECT_EQ(way(", content: hash_first"), ContentWay::hash_first);
  EXPECT_EQ(way(", content: always"), ContentWay::always);
  EXPECT_TRUE(contains(refused("pages: [http://a.example/]\nnats: { content: never }\n").message,
                       "at_once"));
}

TEST(BrainConfig, agents_it_cannot_reach_are_refused) {
  EXPECT_TRUE(contains(refused("pages: [http://a.example/]\n"
                               "access_points: [{ name: fra, agent: fra-1 }]\n")
                           .message,
                       "no way to them"));
  EXPECT_TRUE(contains(refused("pages: [http://a.example/]\naccess_points: [{ name: fra, agent: "
                               "fra-1, interface: eth0 }]\n")
                           .message,
                       "more than one"));
  EXPECT_TRUE(contains(refused("pages: [http://a.example/]\nagent: { name: fra-1 }\n").message,
                       "pollux agent --config"));
}

TEST(NatsConfig, what_is_wrong_with_servers_and_certificates_is_told_and_no_login_is_shown) {
  const std::string page = "pages: [http://a.example/]\n";
  const std::string told =
      refused(page + "nats: { servers: [\"tls://me:secret@n.example:4222\"] }\n").message;
  EXPECT_TRUE(contains(told, "auth_file")) << told;
  EXPECT_FALSE(contains(told, "secret")) << told;
  EXPECT_TRUE(
      contains(refused(page + "nats: { servers: [http://n.example] }\n").message, "is no server"));
  EXPECT_TRUE(contains(
      refused(page + "nats: { servers: [\"tls://n.example\"], key_file: a.key }\n").message,
      "only one is given"));
}

}  // namespace
}  // namespace pollux::config
