#include "config/web_readers.hpp"

#include "config/request_headers.hpp"
#include "config/section_readers.hpp"
#include "config/value_readers.hpp"
#include "pollux/base/text.hpp"
#include "pollux/web/options.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

#include <arpa/inet.h>
#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

constexpr std::size_t shortest_password = 8;
constexpr std::size_t shortest_token = 16;
constexpr std::size_t most_tokens = 100;
constexpr std::size_t most_host_names = 100;
constexpr std::string_view scopes[] = {"read", "steer"};

bool is_numeric_address(const std::string& text) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

bool is_host_name(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

// Letters that stand in a URL as they are.
bool is_path_letter(char c) {
  constexpr std::string_view others = "/-._~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         others.find(c) != others.npos;
}

// Two files that must be there when the daemon starts: better told here, with the line.
Status read_web_file(LoadContext& r, const Key& key, const Node& value, std::string& out) {
  if (Status status = read_path(r, key, value, out); !status) return status;
  if (std::ifstream(out).good()) return success();
  return r.error(value, fmt::format("{}: {} cannot be read; write the path of a PEM file",
                                    name_of(key), printable(out)));
}

// What lets nobody in but those who may.
Status check_web(LoadContext& r, const Node& where, const web::Options& web) {
  if (web.certificate.empty() != web.key.empty())
    return r.error(where, "web.tls: certificate and key go together; write both, or neither");
  if (web::is_loopback(web.address)) {
    if (web.behind_proxy && web.password.empty())
      r.warnings.push_back(
          {at(r.file, where.line(),
              "web: behind_proxy without a password: whoever the proxy lets in may "
              "steer; write password_file, unless the proxy asks for one")});
    return success();
  }
  if (web.password.empty()) {
    return r.error(where, fmt::format("web: others can reach {}, and there is no password; write "
                                      "password_file, or listen: \"127.0.0.1:{}\"",
                                      web.address, web.port));
  }
  if (web.certificate.empty() && !web.behind_proxy) {
    return r.error(where,
                   fmt::format("web: others can reach {}, and the password would travel in the "
                               "open; write tls: {{ certificate: …, key: … }}, or behind_proxy: "
                               "true where a proxy speaks TLS for it",
                               web.address));
  }
  return success();
}

}  // namespace

Status read_web(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() != Kind::mapping && value.kind() != Kind::null) {
    return r.error(value, fmt::format("'{}' is {}; write {{ listen: \"127.0.0.1:8600\" }}",
                                      name_of(key), kind_name(value.kind())));
  }
  r.config.web.emplace();
  if (value.kind() == Kind::null) return success();
  if (!read_keys(r, "web", value)) return success();  // told already
  return check_web(r, value, *r.config.web);
}

Status read_web_listen(LoadContext& r, const Key& key, const Node& value) {
  std::string text;
  if (Status status = read_line(r, key, value, text); !status) return status;
  const std::size_t colon = text.rfind(':');
  std::string address = text.substr(0, colon);
  if (address == "localhost") address = "127.0.0.1";
  if (address.starts_with('[') && address.ends_with(']'))
    address = address.substr(1, address.size() - 2);
  else if (address.find(':') != address.npos)
    address.clear();  // which of them ends the address?
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const bool has_port = colon != text.npos && colon + 1 < text.size();
  const auto read = has_port ? std::from_chars(text.data() + colon + 1, end, port)
                             : std::from_chars_result{end, std::errc::invalid_argument};
  if (read.ec != std::errc{} || read.ptr != end || !is_numeric_address(address)) {
    return r.error(value, fmt::format("{}: '{}' is no address and port; write \"127.0.0.1:8600\" "
                                      "or \"[::1]:8600\"",
                                      name_of(key), printable(text, 80)));
  }
  r.config.web->address = address;
  r.config.web->port = port;
  return success();
}

Status read_web_password(LoadContext& r, const Key& key, const Node& value) {
  Result<std::string> secret = read_secret(r, key, value);
  if (!secret) return secret.error();
  if (secret->size() < shortest_password) {
    return r.error(value, fmt::format("{}: the password has fewer than {} characters; take a "
                                      "longer one",
                                      name_of(key), shortest_password));
  }
  r.config.web->password = std::move(*secret);
  return success();
}

Status read_web_base_path(LoadContext& r, const Key& key, const Node& value) {
  std::string path;
  if (Status status = read_line(r, key, value, path); !status) return status;
  if (!path.starts_with('/') || path.find("//") != path.npos || path.find("..") != path.npos ||
      path.size() > 200 || !std::ranges::all_of(path, is_path_letter)) {
    return r.error(value, fmt::format("{}: '{}' does not do; write a path as /pollux/",
                                      name_of(key), printable(path, 80)));
  }
  if (!path.ends_with('/')) path += '/';
  r.config.web->base_path = std::move(path);
  return success();
}

Status read_web_certificate(LoadContext& r, const Key& key, const Node& value) {
  return read_web_file(r, key, value, r.config.web->certificate);
}
Status read_web_key(LoadContext& r, const Key& key, const Node& value) {
  Status status = read_web_file(r, key, value, r.config.web->key);
  if (status) warn_if_readable_by_all(r, value, r.config.web->key);
  return status;
}
Status read_web_metrics(LoadContext& r, const Key& key, const Node& value) {
  return read_truth(r, key, value, r.config.web->metrics);
}
Status read_web_behind_proxy(LoadContext& r, const Key& key, const Node& value) {
  return read_truth(r, key, value, r.config.web->behind_proxy);
}
Status read_web_connections(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t number = 0;
  Status status = read_whole(r, key, value, number, 8, 10'000);
  if (status) r.config.web->connections = number;
  return status;
}

Status read_web_tokens(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::null) return success();
  if (value.kind() != Kind::list) {
    return r.error(value, fmt::format("'{}' is {}; write a list of {{ name: …, file: …, scope: "
                                      "read }}",
                                      name_of(key), kind_name(value.kind())));
  }
  std::vector<web::Token>& tokens = r.config.web->tokens;
  for (const Node entry : value) {
    if (entry.kind() != Kind::mapping) {
      r.note(r.error(entry, fmt::format("a token is {}; write {{ name: …, file: …, scope: read }}",
                                        kind_name(entry.kind()))));
      continue;
    }
    if (tokens.size() == most_tokens)
      return r.error(entry, fmt::format("more than {} tokens; drop some", most_tokens));
    tokens.emplace_back();
    if (!read_keys(r, "web.tokens[]", entry)) continue;
    const web::Token& token = tokens.back();
    if (token.name.empty() || token.secret.empty()) {
      r.note(r.error(entry, "a token needs a name and a file; write { name: …, file: … }"));
      continue;
    }
    const auto same = [&](const web::Token& other) {
      return &other != &token && (other.name == token.name || other.secret == token.secret);
    };
    if (std::ranges::any_of(tokens, same)) {
      r.note(r.error(entry, fmt::format("token '{}': another one has its name or its secret; keep "
                                        "one of them",
                                        token.name)));
    }
  }
  return success();
}

Status read_web_token_name(LoadContext& r, const Key& key, const Node& value) {
  return read_line(r, key, value, r.config.web->tokens.back().name);
}
Status read_web_token_file(LoadContext& r, const Key& key, const Node& value) {
  Result<std::string> secret = read_secret(r, key, value);
  if (!secret) return secret.error();
  if (secret->size() < shortest_token || secret->find(' ') != std::string::npos) {
    return r.error(value, fmt::format("{}: the file must hold at least {} characters without "
                                      "spaces, as `openssl rand -hex 32` writes them",
                                      name_of(key), shortest_token));
  }
  r.config.web->tokens.back().secret = std::move(*secret);
  return success();
}
Status read_web_token_scope(LoadContext& r, const Key& key, const Node& value) {
  std::string word;
  Status status = read_choice(r, key, value, word, scopes);
  r.config.web->tokens.back().may_steer = word == "steer";
  return status;
}

Status read_web_hosts(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::null) return success();
  if (value.kind() != Kind::list) {
    return r.error(value, fmt::format("'{}' is {}; write a list as [pollux.example.org]",
                                      name_of(key), kind_name(value.kind())));
  }
  std::vector<std::string>& hosts = r.config.web->hosts;
  for (const Node entry : value) {
    std::string name;
    if (!r.note(read_line(r, key, entry, name))) continue;
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    if (hosts.size() == most_host_names)
      return r.error(entry, fmt::format("more than {} hosts; drop some", most_host_names));
    if (!is_host_name(name)) {
      r.note(r.error(entry, fmt::format("{}: '{}' is no name of a host; write it without scheme "
                                        "and port",
                                        name_of(key), printable(name, 80))));
      continue;
    }
    hosts.push_back(std::move(name));
  }
  return success();
}

}  // namespace pollux::config
