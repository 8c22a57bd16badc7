// The files an administrator installs: systemd unit, Debian package, container.
#include "support/temp_folder.hpp"
#include "unit/tree/tree.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::tree {
namespace {

namespace fs = std::filesystem;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The daemon's, and an agent's.
class ServiceUnits : public testing::TestWithParam<const char*> {
 protected:
  std::string file() const { return std::string("systemd/") + GetParam() + ".service"; }
};
INSTANTIATE_TEST_SUITE_P(All, ServiceUnits, testing::Values("pollux", "pollux-agent"));

TEST_P(ServiceUnits, is_valid) {
  if (!installed("systemd-analyze")) GTEST_SKIP() << "systemd-analyze is not installed";
  // The unit names the installed program; here it is enough that one is there.
  const test::TempFolder folder;
  const fs::path unit = folder / (std::string(GetParam()) + ".service");
  std::ofstream(unit) << replaced(read(file()), "ExecStart=/usr/bin/pollux", "ExecStart=/bin/true");
  const Finished verify = run("systemd-analyze verify --man=no " + unit.string());
  EXPECT_EQ(verify.exit_code, 0) << verify.output;
  EXPECT_EQ(verify.output.find(".service:"), std::string::npos) << verify.output;
}

// Its unit with what a browser needs, in a folder where systemd looks for both.
fs::path unit_with_browser(const test::TempFolder& folder, const std::string& name) {
  const fs::path unit = folder / (name + ".service");
  std::ofstream(unit) << replaced(read("systemd/" + name + ".service"), "ExecStart=/usr/bin/pollux",
                                  "ExecStart=/bin/true");
  fs::create_directory(unit.string() + ".d");
  std::ofstream(unit.string() + ".d/render.conf") << read("systemd/render.conf");
  return unit;
}

TEST_P(ServiceUnits, is_valid_with_what_a_browser_needs) {
  if (!installed("systemd-analyze")) GTEST_SKIP() << "systemd-analyze is not installed";
  const test::TempFolder folder;
  const Finished verify =
      run("systemd-analyze verify --man=no " + unit_with_browser(folder, GetParam()).string());
  EXPECT_EQ(verify.exit_code, 0) << verify.output;
  EXPECT_EQ(verify.output.find("render.conf:"), std::string::npos) << verify.output;
}

// What systemd says of a unit with all its drop-ins; none: it cannot.
std::optional<double> exposure_of(const fs::path& unit) {
  const Finished security =
      run("systemd-analyze security --no-pager --offline=yes '" + unit.string() + "'");
  if (security.output.find("unrecognized option") != std::string::npos) return {};
  const std::string label = "Overall exposure level for " + unit.filename().string() + ": ";
  const auto at = security.output.find(label);
  EXPECT_NE(at, std::string::npos) << security.output;
  if (at == std::string::npos) return {};
  return std::stod(security.output.substr(at + label.size()));
}

TEST_P(ServiceUnits, exposes_at_most_1_5_and_with_a_browser_2) {
  if (!installed("systemd-analyze")) GTEST_SKIP() << "systemd-analyze is not installed";
  const auto alone = exposure_of(root / file());
  if (!alone) GTEST_SKIP() << "this systemd-analyze has no --offline";
  EXPECT_LE(*alone, 1.5);
  const test::TempFolder folder;
  const auto with_browser = exposure_of(unit_with_browser(folder, GetParam()));
  ASSERT_TRUE(with_browser);
  EXPECT_LE(*with_browser, 2);
  EXPECT_GT(*with_browser, *alone) << "the drop-in was not seen";
}

// It loosens what a browser needs, and neither who it is nor what it may become.
TEST(BrowserDropIn, gives_no_privileges) {
  for (const std::string& line : lines("systemd/render.conf")) {
    for (const char* key : {"User=", "Group=", "NoNewPrivileges=", "CapabilityBoundingSet=",
                            "AmbientCapabilities=", "PrivateUsers=", "ProtectSystem="})
      EXPECT_FALSE(line.starts_with(key)) << line;
  }
}

// Backups, checks and what the page has tried or replayed go behind the polling: setpriority.
TEST(ServiceUnit, lets_the_daemon_lower_its_own_priority) {
  const auto all = lines("systemd/pollux.service");
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const std::string& line) {
    return line.starts_with("SystemCallFilter=") && line.find("setpriority") != line.npos &&
           line.find('~') == line.npos;
  }));
}

TEST_P(ServiceUnits, leaves_no_core_dump_with_secrets) {
  EXPECT_NE(read(file()).find("\nLimitCORE=0\n"), std::string::npos);
}

TEST_P(ServiceUnits, never_runs_as_root) {
  EXPECT_NE(read(file()).find("\nUser=pollux\n"), std::string::npos);
  EXPECT_NE(read(file()).find("\nNoNewPrivileges=yes\n"), std::string::npos);
}

TEST(AgentUnit, uses_the_paths_that_the_package_installs) {
  EXPECT_NE(read("systemd/pollux-agent.service")
                .find("ExecStart=/usr/bin/pollux agent --config /etc/pollux/agent.yaml"),
            std::string::npos);
  const std::string packaging = read("src/packaging.cmake");
  EXPECT_NE(packaging.find("systemd/pollux-agent.service"), std::string::npos);
  EXPECT_NE(packaging.find("config/agent.yaml"), std::string::npos);
}

TEST(ServiceUnit, uses_the_paths_that_the_package_installs) {
  const std::string unit = read("systemd/pollux.service");
  EXPECT_NE(unit.find("ExecStart=/usr/bin/pollux run --config /etc/pollux/pollux.yaml"),
            std::string::npos);
  EXPECT_NE(unit.find("\nUser=pollux\n"), std::string::npos);
  EXPECT_NE(unit.find("\nStateDirectory=pollux\n"), std::string::npos);
  EXPECT_NE(unit.find("\nRuntimeDirectory=pollux\nRuntimeDirectoryMode=0750\n"), std::string::npos);
  const std::string packaging = read("src/packaging.cmake");
  EXPECT_NE(packaging.find("set(service_database /var/lib/pollux/pollux.db)"), std::string::npos);
  EXPECT_NE(packaging.find("/etc/pollux"), std::string::npos);
}

TEST(ServiceUnit, sysusers_creates_the_user_it_runs_as) {
  const auto all = lines("systemd/pollux.sysusers.conf");
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const std::string& line) {
    return line.starts_with("u") && line.find(" pollux ") != std::string::npos;
  }));
}

TEST(Package, its_scripts_are_executable_shell) {
  for (const char* name : {"postinst", "prerm", "postrm"}) {
    const fs::path script = root / "systemd/deb" / name;
    EXPECT_EQ(run("sh -n '" + script.string() + "'").exit_code, 0) << name;
    EXPECT_EQ(lines(fs::path("systemd/deb") / name).front(), "#!/bin/sh");
    EXPECT_NE(fs::status(script).permissions() & fs::perms::others_exec, fs::perms::none) << name;
  }
}

TEST(Package, the_service_configuration_keeps_its_database_in_the_state_directory) {
  const auto all = lines("config/pollux.yaml");
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const std::string& line) { return line.starts_with("database:"); }),
            1)
      << "the package replaces this line";
}

// The words after a Dockerfile instruction, continuation lines joined.
std::vector<std::vector<std::string>> instructions(const fs::path& dockerfile) {
  std::vector<std::vector<std::string>> all;
  bool continued = false;
  for (const std::string& line : lines(dockerfile)) {
    if (line.empty() || line.starts_with('#')) continue;
    if (!continued) all.emplace_back();
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word != "\\") all.back().push_back(word);
    }
    continued = line.ends_with('\\');
  }
  return all;
}

TEST(Docker, copies_only_files_that_exist) {
  for (const auto& words : instructions("docker/Dockerfile")) {
    if (words[0] != "COPY") continue;
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      EXPECT_TRUE(words[i].starts_with("--") || fs::exists(root / words[i])) << words[i];
    }
  }
}

TEST(Docker, runs_the_daemon_as_a_user_and_asks_after_its_health) {
  std::string user, health, command;
  for (const auto& words : instructions("docker/Dockerfile")) {
    std::string text;
    for (std::size_t i = 1; i < words.size(); ++i) text += words[i] + " ";
    if (words[0] == "USER") user = text;
    if (words[0] == "HEALTHCHECK") health = text;
    if (words[0] == "CMD") command = text;
  }
  EXPECT_EQ(user, "pollux ");
  EXPECT_NE(
      health.find(R"(["pollux", "status", "--check", "--database", "/var/lib/pollux/pollux.db"])"),
      std::string::npos)
      << health;
  EXPECT_EQ(command, R"(["run", "--config", "/etc/pollux/pollux.yaml"] )");
}

TEST(Docker, compose_names_files_that_exist) {
  const fs::path folder = root / "docker";
  int found = 0;
  for (const std::string& line : lines("docker/compose.yaml")) {
    std::istringstream words(line);
    std::string key, value;
    words >> key >> value;
    if (key == "context:") {
      EXPECT_TRUE(fs::exists(folder / value / "CMakeLists.txt")) << value;
      ++found;
    } else if (key == "dockerfile:") {  // relative to the context
      EXPECT_TRUE(fs::exists(root / value)) << value;
      ++found;
    } else if (key == "-" && value.starts_with("./")) {
      EXPECT_TRUE(fs::exists(folder / value.substr(0, value.find(':')))) << value;
      ++found;
    }
  }
  EXPECT_EQ(found, 3) << "build context, Dockerfile and the mounted configuration";
}

TEST(Docker, the_compose_file_with_agents_names_files_that_exist) {
  const fs::path folder = root / "docker/agents";
  int found = 0;
  for (const std::string& line : lines("docker/agents/compose.yaml")) {
    std::istringstream words(line);
    std::string dash, value;
    words >> dash >> value;
    if (dash != "-" || !value.starts_with("./") || value.starts_with("./certificates/")) continue;
    EXPECT_TRUE(fs::exists(folder / value.substr(0, value.find(':')))) << value;
    ++found;
  }
  EXPECT_EQ(found, 6) << "three servers, a brain and two agents";
}

TEST(Docker, an_agent_with_a_browser_is_the_same_agent_and_has_what_a_browser_needs) {
  const std::string plain = read("docker/agents/fra-1/agent.yaml");
  const std::string rendering = read("docker/agents/rendering/agent.yaml");
  const auto from_name = [](const std::string& text) { return text.substr(text.find("\nagent:")); };
  EXPECT_EQ(from_name(rendering), from_name(plain) + "render: { chromium: true }\n");
  const std::string option = read("docker/agents/rendering.yaml");
  EXPECT_NE(option.find("\n  fra-1:\n"), std::string::npos);
  EXPECT_NE(option.find("./rendering:/etc/pollux:ro"), std::string::npos);
  EXPECT_NE(option.find("args: { BROWSER: chromium-headless-shell }"), std::string::npos);
  EXPECT_NE(read("docker/Dockerfile").find("\nARG BROWSER="), std::string::npos);
  // Loosened is the filter of system calls, and nothing that compose.yaml forbids.
  for (const char* word : {"privileged", "cap_add", "user:", "network_mode", "read_only: false"})
    EXPECT_EQ(option.find(word), std::string::npos) << word;
}

TEST(Docker, the_servers_of_the_agents_start_with_their_configuration_and_certificates) {
  if (!installed("nats-server") || !installed("openssl"))
    GTEST_SKIP() << "nats-server or openssl is not installed";
  const test::TempFolder folder;
  fs::copy(root / "docker/agents/make-certificates", folder / "make-certificates");
  const Finished made = run("'" + (folder / "make-certificates").string() + "'");
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::string certificates = (folder / "certificates").string() + "/";
  std::string text = read("docker/agents/nats.conf");
  for (int i = 0; i < 2; ++i) {  // for clients and for the cluster
    text = replaced(text, "$CERTIFICATE", "\"" + certificates + "nats-1.pem\"");
    text = replaced(text, "$KEY", "\"" + certificates + "nats-1.key\"");
    text = replaced(text, "/etc/nats/authority.pem", certificates + "authority.pem");
  }
  text = replaced(text, "$SERVER", "nats-1");
  text = replaced(text, "/data", (folder / "data").string());
  std::ofstream(folder / "nats.conf") << text;
  const Finished checked = run("nats-server -t -c '" + (folder / "nats.conf").string() + "' 2>&1");
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
}

TEST(Docker, its_configuration_keeps_the_database_on_the_volume) {
  EXPECT_NE(read("docker/etc/pollux.yaml").find("\ndatabase: /var/lib/pollux/pollux.db"),
            std::string::npos);
  EXPECT_NE(read("docker/compose.yaml").find("state:/var/lib/pollux\n"), std::string::npos);
}

}  // namespace
}  // namespace pollux::tree
