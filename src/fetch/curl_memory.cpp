#include "fetch/curl_memory.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <curl/curl.h>

namespace pollux::fetch {
namespace {

// Before each block that curl sees.
struct alignas(16) Block {
  std::uint32_t list;  // no_list: straight from malloc
  std::uint32_t room;  // bytes after this; of a block with a list
  Block* next;         // while it is free
};

// Sizes in steps of 32 up to 1 KiB, then four to each doubling.
constexpr std::size_t small_step = 32, small_limit = 1024, largest = 32768;
constexpr std::size_t small_lists = small_limit / small_step + 1;
constexpr std::size_t lists_a_doubling = 4, doublings = 5;
constexpr std::size_t list_count = small_lists + lists_a_doubling * doublings;
constexpr std::size_t no_list = list_count;
constexpr std::size_t most_kept = 4u << 20;  // bytes, by one thread

static_assert(small_limit << doublings == largest);

constexpr std::size_t list_for(std::size_t size) {
  if (size <= small_limit) return (size + small_step - 1) / small_step;
  if (size > largest) return no_list;
  const auto doubling = static_cast<std::size_t>(std::bit_width((size - 1) / (2 * small_limit)));
  const std::size_t base = small_limit << doubling, step = base / lists_a_doubling;
  return small_lists + doubling * lists_a_doubling + (size - base + step - 1) / step - 1;
}

constexpr std::size_t room_in(std::size_t list) {
  if (list < small_lists) return list * small_step;
  const std::size_t doubling = (list - small_lists) / lists_a_doubling;
  const std::size_t base = small_limit << doubling;
  return base + ((list - small_lists) % lists_a_doubling + 1) * (base / lists_a_doubling);
}

static_assert(room_in(list_for(1)) == 32 && room_in(list_for(1024)) == 1024 &&
              room_in(list_for(1025)) == 1280 && room_in(list_for(16385)) == 20480 &&
              room_in(list_for(largest)) == largest && list_for(largest) == list_count - 1);

// Trivial, so that reaching it costs no check; the thread's Cleaner empties it.
struct Lists {
  std::array<Block*, list_count> free = {};
  std::size_t bytes = 0;
  std::size_t most = most_kept;  // 0: the thread ends, and nothing is kept any more
};
thread_local constinit Lists lists;

struct Cleaner {
  Cleaner() = default;
  Cleaner(const Cleaner&) = delete;
  Cleaner& operator=(const Cleaner&) = delete;
  ~Cleaner() {
    lists.most = 0;
    for (Block*& first : lists.free) {
      while (first != nullptr) {
        Block* const block = first;
        first = block->next;
        std::free(block);
      }
    }
  }
  void watch() const {}
};
thread_local const Cleaner cleaner;

void* fresh_block(std::size_t size, std::size_t list) {
  const std::size_t room = list == no_list ? size : room_in(list);
  if (room > SIZE_MAX - sizeof(Block)) return nullptr;
  auto* const block = static_cast<Block*>(std::malloc(sizeof(Block) + room));
  if (block == nullptr) return nullptr;
  block->list = static_cast<std::uint32_t>(list);
  block->room = static_cast<std::uint32_t>(list == no_list ? 0 : room);
  return block + 1;
}

void* allocate(std::size_t size) {
  const std::size_t list = list_for(size);
  if (list == no_list) return fresh_block(size, list);
  Block* const block = lists.free[list];
  if (block == nullptr) return fresh_block(size, list);
  lists.free[list] = block->next;
  lists.bytes -= block->room;
  return block + 1;
}

void release(void* data) {
  if (data == nullptr) return;
  Block* const block = static_cast<Block*>(data) - 1;
  const std::size_t list = block->list;
  if (list == no_list || lists.bytes + block->room > lists.most) {
    std::free(block);
    return;
  }
  if (lists.bytes == 0) cleaner.watch();
  block->next = lists.free[list];
  lists.free[list] = block;
  lists.bytes += block->room;
}

void* resize(void* data, std::size_t size) {
  if (data == nullptr) return allocate(size);
  Block* const block = static_cast<Block*>(data) - 1;
  if (block->list == no_list && list_for(size) == no_list) {
    if (size > SIZE_MAX - sizeof(Block)) return nullptr;
    auto* const grown = static_cast<Block*>(std::realloc(block, sizeof(Block) + size));
    return grown == nullptr ? nullptr : grown + 1;
  }
  if (block->list == no_list) return data;  // it has more than enough
  const std::size_t room = block->room;
  if (size <= room) return data;
  void* const moved = allocate(size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, data, room);
  release(data);
  return moved;
}

char* duplicate(const char* text) {
  const std::size_t size = std::strlen(text) + 1;
  auto* const data = static_cast<char*>(allocate(size));
  if (data != nullptr) std::memcpy(data, text, size);
  return data;
}

void* allocate_zeros(std::size_t count, std::size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return nullptr;
  void* const data = allocate(count * size);
  if (data != nullptr) std::memset(data, 0, count * size);
  return data;
}

}  // namespace

bool init_curl() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr bool own_lists = false;  // the sanitizers want to see every block
#else
  constexpr bool own_lists = true;
#endif
  static const bool ready =
      (own_lists ? curl_global_init_mem(CURL_GLOBAL_DEFAULT, &allocate, &release, &resize,
                                        &duplicate, &allocate_zeros)
                 : curl_global_init(CURL_GLOBAL_DEFAULT)) == CURLE_OK;
  return ready;
}

}  // namespace pollux::fetch
