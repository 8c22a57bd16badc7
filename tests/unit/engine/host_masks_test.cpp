#include "engine/host_masks.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using extract::TokenKind;

const extract::Mask made_at{TokenKind::datetime, {"Generated"}, {"in", "#", "ms"}};
const extract::Mask read_by{TokenKind::number, {"read", "by"}, {"people"}};
constexpr HostSlot one_host{3}, another_host{4};

TEST(HostMasks, are_those_that_two_pages_have_learnt) {
  HostMasks masks;
  masks.learnt(one_host, PageSlot{1}, {made_at, read_by});
  masks.learnt(one_host, PageSlot{1}, {made_at});
  EXPECT_EQ(masks.of(one_host), nullptr) << "one page may be a special one";
  masks.learnt(another_host, PageSlot{2}, {made_at});
  EXPECT_EQ(masks.of(one_host), nullptr) << "another host";
  masks.learnt(one_host, PageSlot{2}, {made_at});
  ASSERT_NE(masks.of(one_host), nullptr);
  EXPECT_EQ(*masks.of(one_host), Masks{made_at});
}

TEST(HostMasks, lines_are_a_page_s_own) {
  HostMasks masks;
  const extract::Mask lines{TokenKind::lines, {"top"}, {"bottom"}};
  masks.learnt(one_host, PageSlot{1}, {lines});
  masks.learnt(one_host, PageSlot{2}, {lines});
  EXPECT_EQ(masks.of(one_host), nullptr);
}

// A counter that has stopped on one page is news there when it goes on.
TEST(HostMasks, end_when_one_of_a_page_does) {
  HostMasks masks;
  masks.learnt(one_host, PageSlot{1}, {made_at, read_by});
  masks.learnt(one_host, PageSlot{2}, {made_at, read_by});
  masks.ended(one_host, read_by);
  ASSERT_NE(masks.of(one_host), nullptr);
  EXPECT_EQ(*masks.of(one_host), Masks{made_at});
  masks.learnt(one_host, PageSlot{4}, {read_by});
  masks.learnt(one_host, PageSlot{5}, {read_by});
  EXPECT_EQ(*masks.of(one_host), Masks{made_at}) << "nor does it begin again";
  masks.ended(another_host, read_by);
  masks.learnt(another_host, PageSlot{6}, {read_by});
  masks.learnt(another_host, PageSlot{7}, {read_by});
  EXPECT_EQ(masks.of(another_host), nullptr) << "it was known from an earlier run";
}

TEST(HostMasks, the_oldest_give_way) {
  HostMasks masks;
  masks.learnt(one_host, PageSlot{1}, {made_at});
  masks.learnt(one_host, PageSlot{2}, {made_at});
  for (std::size_t i = 0; i < HostMasks::most_of_a_host; ++i)
    masks.learnt(one_host, PageSlot{3}, {{TokenKind::number, {"word" + std::to_string(i)}, {}}});
  EXPECT_EQ(masks.of(one_host), nullptr);
}

}  // namespace
}  // namespace pollux::engine
