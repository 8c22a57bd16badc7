#include "pollux/cli/command.hpp"

int main(int argc, char** argv) {
  return pollux::cli::run(argc, argv);
}
