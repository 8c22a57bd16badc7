// How the daemon's web server is set up: the section `web` of the configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pollux::web {

// Lets a program in. Who may read may not steer; who may steer may read.
struct Token {
  std::string name;    // for people
  std::string secret;  // of its file
  bool may_steer = false;
  bool operator==(const Token&) const = default;
};

struct Options {
  std::string address = "127.0.0.1";       // numeric
  std::uint16_t port = 8600;               // 0: a free one
  std::string password = {};               // empty: none is asked for, on loopback only
  std::string base_path = "/";             // begins and ends with '/'
  std::string certificate = {}, key = {};  // PEM files; empty: no TLS
  bool metrics = true;                     // /metrics is there
  bool behind_proxy = false;               // who speaks TLS for us, and adds X-Forwarded-For
  std::size_t connections = 256;           // held at a time; more are closed at once
  std::vector<Token> tokens = {};
  std::vector<std::string> hosts = {};  // names by which we may be asked, in lower case
  bool operator==(const Options&) const = default;
};

// Whether only this machine can reach the address; it is numeric.
inline bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace pollux::web
