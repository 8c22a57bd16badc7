// How many bytes may be in memory at once, counted over all threads, and bytes that are counted.
//
// What is on its way cannot be stopped, so more than that may come; whoever can wait asks first.
// While the room is full, one body alone goes on: it may always become whole, so that those who
// wait for it are not waiting for ever. It counts as the one until its bytes are gone, or are no
// body any more; then those who wait are told to ask again.
// Threading: any thread. What is told is told on the thread that gave room, and may not call back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pollux {

class ByteRoom {
 public:
  using Name = std::uint64_t;  // of a body; the caller's, unique among those that are counted
  using Listener = std::list<std::function<void()>>::iterator;

  explicit ByteRoom(std::size_t most) : most_(most) {}

  std::size_t most() const { return most_; }
  std::size_t bytes() const { return bytes_; }
  bool full() const { return bytes_ >= most_; }

  void add(std::size_t bytes) { bytes_ += bytes; }
  void give_back(std::size_t bytes);
  // More of this body may come. No: a listener hears when to ask again.
  bool may_grow(Name body);
  // It is no body any more, whatever of it is still counted.
  void ended(Name body);

  Listener listen(std::function<void()> told);
  void forget(Listener listener);  // not called any more once this has returned

 private:
  void tell();

  const std::size_t most_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<bool> waited_for_{false};
  std::atomic<bool> pressed_{false};  // there is one that goes on alone
  std::mutex mutex_;
  std::optional<Name> alone_;  // goes on while the others wait
  std::list<std::function<void()>> listeners_;
};

// The pieces of one body, counted in a room for as long as they are here.
// Threading: one owner at a time.
class CountedBytes {
 public:
  CountedBytes(std::shared_ptr<ByteRoom> room, ByteRoom::Name name)
      : room_(std::move(room)), name_(name) {}
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;
  ~CountedBytes() { leave(0); }

  void add(std::string piece);
  void add_counted(std::string piece);  // the room knows of it already
  void count(std::size_t bytes);        // of a piece that is somewhere else
  std::size_t size() const { return size_; }
  // All of it in one piece. It stays counted: whoever takes it has it now.
  std::string join();
  // So many bytes are left of what it was, somewhere else: a text, and no body any more.
  void leave(std::size_t bytes);

 private:
  const std::shared_ptr<ByteRoom> room_;
  const ByteRoom::Name name_;
  std::vector<std::string> pieces_;
  std::size_t size_ = 0;
};

}  // namespace pollux
