// Memory for tables of millions of rows that are read here and there. With pages of 4 KiB nearly
// every such read costs a walk through the page tables besides the cache miss; with pages of 2 MiB
// it does not. The kernel is only asked: where it has none to give, the memory is ordinary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace pollux {

template <typename T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{2} << 20;
  static constexpr std::size_t worthwhile = 2 * page;  // smaller tables stay where malloc puts them
  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t small = 1024;  // not worth the gaps that alignment leaves

  HugePages() = default;
  template <typename Other>
  HugePages(const HugePages<Other>&) noexcept {
  }  // NOLINT(google-explicit-constructor): allocators convert

  static constexpr std::align_val_t alignment(std::size_t bytes) {
    if (bytes >= worthwhile) return std::align_val_t(page);
    return std::align_val_t(bytes < small ? alignof(T) : std::max(alignof(T), cache_line));
  }
  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= worthwhile) (void)::madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }
  template <typename Other>
  bool operator==(const HugePages<Other>&) const noexcept {
    return true;
  }
};

template <typename T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace pollux
