// Calls and events over a browser's DevTools pipe. Threading: the io_context's thread.
#pragma once

#include "render/messages.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/json/object.hpp>

namespace pollux::render {

class DevTools : public std::enable_shared_from_this<DevTools> {
 public:
  using Answer = std::function<void(const Message&)>;
  struct Listener {
    std::function<void(const Message&)> event;
    std::function<void(std::string why)> closed;  // once, from the event loop
  };
  // The descriptors are taken over.
  static std::shared_ptr<DevTools> open(boost::asio::io_context& io, int to_browser,
                                        int from_browser, Listener listener);
  // Never answered from inside; not answered at all when the pipe closes first.
  void call(std::string_view method, boost::json::object values, std::string_view session = {},
            Answer answer = {});
  void close();  // nobody hears anything any more, not even that it has closed

 private:
  static constexpr std::size_t most_waiting = 64u << 20;  // bytes that the browser does not take
  DevTools(boost::asio::io_context& io, int to_browser, int from_browser, Listener listener);
  void read();
  void write();
  void take(const Message& message);
  void fail(std::string why);
  void shut();

  boost::asio::posix::stream_descriptor to_, from_;
  Listener listener_;
  MessageSplitter splitter_;
  std::string piece_;
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
  bool open_ = true;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, Answer> calls_;
};

}  // namespace pollux::render
