// One page in one place of the browser, from an empty context of its own to the document as its
// scripts have left it, and the context's end. Nothing leaves before send(). Threading: the
// io_context's thread; its listener is called from the event loop, and not after drop().
#pragma once

#include "pollux/fetch/fetcher.hpp"
#include "pollux/render/options.hpp"
#include "render/dev_tools.hpp"
#include "render/proxy.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

namespace pollux::render {

class Visit : public std::enable_shared_from_this<Visit> {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Listener {
    std::function<void()> ready;                   // send() may be called
    std::function<void(fetch::Response)> done;     // once; the whole body is in it
    std::function<void()> closed;                  // once, after done: the place is free
    std::function<void(std::string why)> refused;  // instead: the browser does not do as told
  };
  struct Place {
    std::shared_ptr<DevTools> tools;
    Proxy* proxy = nullptr;  // outlives the visit
    int port = 0;            // of the proxy, as the browser sees it
  };
  static std::shared_ptr<Visit> open(Place place, const Options& options, fetch::Request request,
                                     Listener listener);

  void send();
  void event(const Message& message);  // of the browser or of any of its sessions
  void tick(TimePoint now);            // some times a second
  // What is under way ends with this failure, if it has not ended yet.
  void fail(fetch::Failure failure, std::string text);
  void drop();  // its browser has gone

 private:
  enum class Stage { opening, ready, loading, reading, ended };

  Visit(Place place, const Options& options, fetch::Request request, Listener listener);
  void open_context();
  void open_target();
  void prepare_target();
  void paused(const boost::json::object& event);
  void count(const Message& message);
  void pass(const boost::json::object& event);
  void answered(const boost::json::object& event);
  void navigated(const boost::json::object& event);
  void read();
  void read_in(std::int64_t world);
  void took(const Message& message);
  void finish();
  void deliver();
  void close();
  void block(const boost::json::object& event);
  void call(std::string_view method, boost::json::object values, std::string_view session,
            DevTools::Answer answer = {});
  void page(std::string_view method, boost::json::object values, DevTools::Answer answer = {}) {
    call(method, std::move(values), session_, std::move(answer));
  }

  Place place_;
  const Options& options_;
  const fetch::Request request_;
  const std::string own_host_;  // host:port
  Listener listener_;
  Stage stage_ = Stage::opening;
  bool opened_ = false;  // the browser has been asked for a context
  std::string context_, target_, session_;
  std::string main_request_, loader_;
  std::string loaded_;  // the loader whose document is there with all that belongs to it
  std::size_t requests_ = 0;
  std::unordered_set<std::string> under_way_;  // of its requests
  TimePoint moved_{};                          // when one of them last began or ended
  TimePoint sent_{};
  std::optional<TimePoint> answered_;
  fetch::Response response_;
};

}  // namespace pollux::render
