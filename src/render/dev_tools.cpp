#include "render/dev_tools.hpp"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/serialize.hpp>

namespace pollux::render {
namespace {

constexpr std::size_t read_at_once = 64u << 10;

}  // namespace

std::shared_ptr<DevTools> DevTools::open(boost::asio::io_context& io, int to_browser,
                                         int from_browser, Listener listener) {
  std::shared_ptr<DevTools> tools(new DevTools(io, to_browser, from_browser, std::move(listener)));
  tools->read();
  return tools;
}

DevTools::DevTools(boost::asio::io_context& io, int to_browser, int from_browser, Listener listener)
    : to_(io, to_browser),
      from_(io, from_browser),
      listener_(std::move(listener)),
      piece_(read_at_once, '\0') {}

void DevTools::call(std::string_view method, boost::json::object values, std::string_view session,
                    Answer answer) {
  if (!open_) return;
  boost::json::object message;
  const std::uint64_t id = ++last_id_;
  message["id"] = id;
  message["method"] = method;
  message["params"] = std::move(values);
  if (!session.empty()) message["sessionId"] = session;
  if (answer) calls_.emplace(id, std::move(answer));
  unsent_.push_back(boost::json::serialize(message) + '\0');
  unsent_bytes_ += unsent_.back().size();
  if (unsent_bytes_ > most_waiting) return fail("it takes no more calls");
  if (unsent_.size() == 1) write();
}

void DevTools::write() {
  boost::asio::async_write(
      to_, boost::asio::buffer(unsent_.front()),
      [self = shared_from_this()](boost::system::error_code error, std::size_t) {
        if (!self->open_) return;
        if (error) return self->fail("it does not listen any more");
        self->unsent_bytes_ -= self->unsent_.front().size();
        self->unsent_.pop_front();
        if (!self->unsent_.empty()) self->write();
      });
}

void DevTools::read() {
  from_.async_read_some(
      boost::asio::buffer(piece_),
      [self = shared_from_this()](boost::system::error_code error, std::size_t size) {
        if (!self->open_) return;
        if (error) return self->fail("it has ended");
        if (!self->splitter_.add({self->piece_.data(), size}))
          return self->fail("it says more at once than it may");
        while (const std::optional<std::string> text = self->splitter_.next()) {
          const std::optional<Message> message = parse_message(*text);
          if (!message) return self->fail("it does not speak the DevTools protocol");
          self->take(*message);
          if (!self->open_) return;
        }
        self->read();
      });
}

void DevTools::take(const Message& message) {
  if (!message.id) {
    const auto tell = listener_.event;  // it may close us
    if (tell) tell(message);
    return;
  }
  auto call = calls_.extract(*message.id);
  if (call) call.mapped()(message);
}

void DevTools::fail(std::string why) {
  if (!open_) return;
  shut();
  boost::asio::post(to_.get_executor(), [self = shared_from_this(), why = std::move(why)] {
    const auto closed = std::exchange(self->listener_, {}).closed;
    if (closed) closed(why);
  });
}

void DevTools::close() {
  shut();
  listener_ = {};
}

void DevTools::shut() {
  open_ = false;
  calls_.clear();
  boost::system::error_code ignored;
  to_.close(ignored);
  from_.close(ignored);
}

}  // namespace pollux::render
