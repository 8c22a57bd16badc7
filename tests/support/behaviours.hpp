// Ready-made scripts for Origin: good pages and the ways a server goes wrong.
#pragma once

#include "support/origin.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace pollux::test {

std::string gzip(const std::string& text);
// Packed by gzip it is 217 times smaller: large, but no bomb that anything would refuse.
std::string foldable_text(std::size_t bytes);

namespace serve {

// Good ones. `fields` is "Name: value\r\n", as often as needed.
Script page(std::string body, std::string fields = "");
Script page_with_etag(std::string body, std::string etag);  // 304 when the validator matches
Script changing_page();                                     // another body at every request
Script status(int code, std::string fields = "", std::string body = "");
Script redirect(int code, std::string location);
Script gzipped(std::string body);
Script in_turn(std::vector<Script> scripts);  // the nth request gets the nth, then the last one

// Bad ones.
Script raw(std::string bytes);  // these bytes, then close
Script silence();               // never an answer
Script reset();                 // RST instead of an answer
Script reset_after(std::string bytes);
Script silence_after(std::string bytes);
Script drip(std::string at_once, std::string bytes, std::chrono::milliseconds between);
Script repeat(std::string at_once, std::string forever);  // as fast as the client takes it
Script gzip_bomb(std::size_t decompressed_bytes);
Script slow_body(std::chrono::milliseconds between);  // one byte at a time
Script slow_headers(std::chrono::milliseconds between);
Script short_body(std::size_t declared, std::string sent);
Script endless_chunks();
Script endless_chunk_heads();            // what follows a chunk's size never ends
Script crumbs(const std::string& body);  // every byte in a chunk of its own
Script endless_trailers();
Script endless_early_hints();
Script header_flood();
Script http_0_9();

}  // namespace serve
}  // namespace pollux::test
