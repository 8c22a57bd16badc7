// The one browser that all pages share: started when somebody needs it, with a pause that grows
// after each failure, and ended when nobody has for a while, when it has shown many pages, or when
// it does not do as told. Threading: the io_context's thread.
#pragma once

#include "pollux/render/options.hpp"
#include "render/browser_process.hpp"
#include "render/dev_tools.hpp"
#include "render/names.hpp"
#include "render/proxy.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace pollux::render {

class Browser {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Listener {
    std::function<void()> up;
    std::function<void(std::string why)> down;  // also instead of up
    std::function<void(const Message&)> event;
  };
  Browser(boost::asio::io_context& io, const Options& options,
          std::shared_ptr<const ProxyRules> rules, Names& names, Listener listener);
  ~Browser();

  bool is_up() const { return up_; }
  bool running() const { return process_ != nullptr; }
  const std::shared_ptr<DevTools>& tools() const { return tools_; }
  Proxy& proxy(std::size_t place) { return *proxies_[place]; }
  // Starts it if it does not run and its pause is over. May call `down`.
  void want(TimePoint now);
  void worked() { pause_ = {}; }     // a page came out of it
  void tick(TimePoint now);          // some times a second
  void end(const std::string& why);  // tells `down`
  void rest();                       // likewise, but nothing is wrong and nobody is told

 private:
  void stop();
  void fail(const std::string& why, TimePoint now);

  boost::asio::io_context& io_;
  const Options& options_;
  const std::shared_ptr<const ProxyRules> rules_;
  Names& names_;
  const Listener listener_;
  bool up_ = false;
  std::unique_ptr<BrowserProcess> process_;
  std::vector<std::unique_ptr<Proxy>> proxies_;
  std::shared_ptr<DevTools> tools_;
  TimePoint started_{}, not_before_{};
  std::chrono::milliseconds pause_{};
};

}  // namespace pollux::render
