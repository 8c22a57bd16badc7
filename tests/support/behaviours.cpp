#include "support/behaviours.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include <zlib.h>

namespace pollux::test {

std::string gzip(const std::string& text) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, 9, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib cannot start");
  }
  std::string source = text;
  std::string out(deflateBound(&stream, source.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Matches of full length at some distance: about 1.2 bytes for 258.
std::string foldable_text(std::size_t bytes) {
  std::string text(1000, '\0');
  std::uint32_t state = 1;
  for (char& byte : text) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<char>(state >> 24);
  }
  while (text.size() < bytes) text += text.substr(0, 1000);
  text.resize(bytes);
  return text;
}

namespace serve {
namespace {

constexpr const char* chunked_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

}  // namespace

Script page(std::string body, std::string fields) {
  return status(200, std::move(fields), std::move(body));
}

Script status(int code, std::string fields, std::string body) {
  return [=](Exchange& x) -> Step { co_await x.respond(code, fields, body); };
}

Script page_with_etag(std::string body, std::string etag) {
  return [=](Exchange& x) -> Step {
    const bool same = x.header("if-none-match") == etag;
    co_await x.respond(same ? 304 : 200, "ETag: " + etag + "\r\n", body);
  };
}

Script changing_page() {
  return
      [](Exchange& x) -> Step { co_await x.respond(200, "", "version " + std::to_string(x.nth)); };
}

Script redirect(int code, std::string location) {
  return status(code, "Location: " + location + "\r\n");
}

Script gzipped(std::string body) {
  return page(gzip(body), "Content-Encoding: gzip\r\n");
}

Script in_turn(std::vector<Script> scripts) {
  const auto list = std::make_shared<const std::vector<Script>>(std::move(scripts));
  return [list](Exchange& x) -> Step {
    co_await (*list)[std::min<std::size_t>(x.nth, list->size()) - 1](x);
  };
}

Script raw(std::string bytes) {
  return [=](Exchange& x) -> Step {
    co_await x.send(bytes);
    x.close();
  };
}

Script silence() {
  return silence_after("");
}

Script silence_after(std::string bytes) {
  return [=](Exchange& x) -> Step {
    co_await x.send(bytes);
    co_await x.wait_for_close();
  };
}

Script reset() {
  return reset_after("");
}

Script reset_after(std::string bytes) {
  return [=](Exchange& x) -> Step {
    co_await x.send(bytes);
    // Time for the client to read: a reset throws away what has not been read.
    if (!bytes.empty()) co_await x.sleep(std::chrono::milliseconds(50));
    x.reset();
  };
}

Script drip(std::string at_once, std::string bytes, std::chrono::milliseconds between) {
  return [=](Exchange& x) -> Step {
    co_await x.send(at_once);
    for (const char byte : bytes) {
      co_await x.sleep(between);
      co_await x.send(std::string(1, byte));
    }
    x.close();
  };
}

Script repeat(std::string at_once, std::string forever) {
  return [=](Exchange& x) -> Step {
    co_await x.send(at_once);
    while (x.connected()) co_await x.send(forever);
  };
}

Script gzip_bomb(std::size_t decompressed_bytes) {
  return gzipped(std::string(decompressed_bytes, '\0'));
}

Script slow_body(std::chrono::milliseconds between) {
  return drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", std::string(100000, 'x'),
              between);
}

Script slow_headers(std::chrono::milliseconds between) {
  return drip("HTTP/1.1 200 OK\r\n", "X-Slow: " + std::string(60000, 'x'), between);
}

Script short_body(std::size_t declared, std::string sent) {
  return raw("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(declared) + "\r\n\r\n" + sent);
}

Script endless_chunks() {
  return repeat(chunked_head, "2000\r\n" + std::string(0x2000, 'x') + "\r\n");
}

Script endless_chunk_heads() {
  return repeat(std::string(chunked_head) + "1;a=", std::string(64000, 'b'));
}

Script crumbs(const std::string& body) {
  std::string chunks;
  for (const char byte : body) chunks += std::string("1\r\n") + byte + "\r\n";
  return raw(chunked_head + chunks + "0\r\n\r\n");
}

Script endless_trailers() {
  return repeat(std::string(chunked_head) + "1\r\nx\r\n0\r\n", "X-Trailer: more and more\r\n");
}

Script endless_early_hints() {
  return repeat("", "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n");
}

Script header_flood() {
  return repeat("HTTP/1.1 200 OK\r\n", "X-Flood: " + std::string(200, 'x') + "\r\n");
}

Script http_0_9() {
  return raw("<html>no status line, no headers</html>");
}

}  // namespace serve
}  // namespace pollux::test
