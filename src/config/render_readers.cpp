#include "config/render_readers.hpp"

#include "config/value_readers.hpp"

namespace pollux::config {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t most_pages = 16;
constexpr std::uint64_t least_memory = 256ull << 20, most_memory = 1ull << 40;
constexpr std::uint64_t least_traffic = 1ull << 20, most_traffic = 16ull << 30;
constexpr std::string_view what_of_refused[] = {"error", "skip"};

}  // namespace

Status read_render_chromium(LoadContext& r, const Key& key, const Node& value) {
  return read_truth(r, key, value, r.config.render.chromium);
}

// A name is looked for where programs are; a path is taken as all paths of this file.
Status read_render_program(LoadContext& r, const Key& key, const Node& value) {
  std::string& program = r.config.render.program;
  Status status = read_line(r, key, value, program);
  if (status && program.empty()) return r.error(value, "render.program: name a program");
  if (status && program.find('/') != std::string::npos) program = r.resolve(program);
  return status;
}

Status read_render_pages(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t number = 0;
  Status status = read_whole(r, key, value, number, 1, most_pages);
  if (status) r.config.render.pages = number;
  return status;
}

Status read_render_price(LoadContext& r, const Key& key, const Node& value) {
  if (r.options.purpose == Purpose::agent)
    return r.error(value, "render.price means nothing to an agent; it is its brain's to say");
  std::uint64_t number = 0;
  Status status = read_whole(r, key, value, number, 1, 100);
  if (status) r.config.render.price = static_cast<int>(number);
  return status;
}

Status read_render_wait(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.config.render.wait, 0s, 5min);
}

Status read_render_memory(LoadContext& r, const Key& key, const Node& value) {
  return read_bytes(r, key, value, r.config.render.memory, least_memory, most_memory);
}

Status read_render_max_traffic(LoadContext& r, const Key& key, const Node& value) {
  return read_bytes(r, key, value, r.config.render.max_traffic, least_traffic, most_traffic);
}

Status read_render_max_requests(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t number = 0;
  Status status = read_whole(r, key, value, number, 1, 100'000);
  if (status) r.config.render.max_requests = number;
  return status;
}

Status read_render_refused(LoadContext& r, const Key& key, const Node& value) {
  std::string word;
  Status status = read_choice(r, key, value, word, what_of_refused);
  r.config.render.refused_addresses =
      word == "skip" ? render::Refused::skip : render::Refused::error;
  return status;
}

}  // namespace pollux::config
