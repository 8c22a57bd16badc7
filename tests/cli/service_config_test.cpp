// The configurations that the package and the container ship must work as they are.
#include "unit/tree/tree.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace pollux::tree {
namespace {

namespace fs = std::filesystem;

Finished check(const fs::path& config) {
  return run("'" POLLUX_BINARY "' check --config '" + config.string() + "'");
}

class ServiceConfiguration : public testing::Test {
 protected:
  void SetUp() override {
    if (run("'" POLLUX_BINARY "' --help").output.find("\n  check ") == std::string::npos) {
      GTEST_SKIP() << "this pollux has no check command";
    }
  }
};

TEST_F(ServiceConfiguration, the_packaged_one_is_valid) {
  const fs::path packaged = fs::path(POLLUX_BINARY).parent_path() / "service" / "pollux.yaml";
  const Finished finished = check(packaged);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
}

TEST_F(ServiceConfiguration, the_annotated_one_is_valid) {
  const Finished finished = check(root / "config" / "pollux.yaml");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
}

TEST_F(ServiceConfiguration, the_one_of_the_container_is_valid) {
  const Finished finished = check(root / "docker" / "etc" / "pollux.yaml");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
}

}  // namespace
}  // namespace pollux::tree
