// A site to watch: a real HTTP/1.1 server on loopback whose pages change.
//
// It listens on several loopback addresses with one port, and its pages are spread over them, so
// that to a visitor it is as many hosts; pages that are slow or fail share the last one. Pages
// answer with ETag and Last-Modified and honour conditional requests, but for those with noise,
// which differ at every request. A thread of its own serves everything. All members may be called
// from any thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/result.hpp"
#include "pollux/demo/visits.hpp"
#include "pollux/demo/world.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pollux::demo {

struct SiteOptions {
  WorldOptions world;
  std::uint16_t port = 0;   // 0: a free one
  std::uint8_t hosts = 16;  // 127.0.0.1 … 127.0.0.hosts, at least 1
};

class Site {
 public:
  // Listening when it returns. `clock` must outlive the site.
  static Result<std::unique_ptr<Site>> start(const SiteOptions& options, const Clock& clock);
  ~Site();  // closes every connection

  std::uint16_t port() const;
  std::size_t pages() const;
  std::string url(PageNumber page) const;  // where the page is watched
  std::string index_url() const;           // lists all pages

  Role role(PageNumber page) const;
  double rate(PageNumber page) const;  // true changes per second
  std::size_t noisy() const;           // pages that differ at every request

  // Every change up to now, the oldest first, without the first `from`.
  std::vector<Change> history(std::size_t from = 0) const;
  std::uint64_t requests() const;  // answered or reset, of any kind
  Visits visits() const;

 private:
  struct State;
  explicit Site(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pollux::demo
