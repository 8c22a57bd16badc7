#include "engine/detect_pool.hpp"

#include "engine/asio_loop.hpp"

#include <map>

#include <boost/asio/executor_work_guard.hpp>
#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

struct Pool {
  explicit Pool(DetectPool::Options options)
      : pool(loop, options,
             {.hashed =
                  [this](fetch::Token t, HashedBody b) {
                    hashes[t] = detect::to_hex(b.hash);
                    bodies[t] = b.body;
                  },
              .looked = {},
              .room = [this] { ++rooms; }}) {}
  template <typename Done>
  void run_until(Done done) {
    while (!done()) {
      io.restart();
      io.run_one_for(std::chrono::seconds(20));
    }
  }
  boost::asio::io_context io;
  AsioLoop loop{io};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::map<fetch::Token, std::string> hashes;
  std::map<fetch::Token, std::shared_ptr<CountedBytes>> bodies;
  int rooms = 0;
  DetectPool pool;
};

std::string sha256(const std::string& text) {
  detect::Digest digest;
  digest.update(text);
  return detect::to_hex(digest.finish());
}

TEST(DetectPool, hashes_whole_bodies_and_bodies_in_pieces_alike) {
  Pool p({.threads = 2});
  p.pool.add_piece(fetch::Token{1}, "first ", Keep::no);
  p.pool.add_piece(fetch::Token{2}, "other ", Keep::no);
  p.pool.add_piece(fetch::Token{1}, "second ", Keep::no);
  p.pool.finish(fetch::Token{2}, "end", Keep::no);
  p.pool.finish(fetch::Token{1}, "third", Keep::no);
  p.pool.finish(fetch::Token{3}, "whole", Keep::no);
  EXPECT_EQ(p.pool.waiting(), 3u);
  p.run_until([&] { return p.hashes.size() == 3; });
  EXPECT_EQ(p.hashes[fetch::Token{1}], sha256("first second third"));
  EXPECT_EQ(p.hashes[fetch::Token{2}], sha256("other end"));
  EXPECT_EQ(p.hashes[fetch::Token{3}], sha256("whole"));
  EXPECT_EQ(p.pool.waiting(), 0u);
}

TEST(DetectPool, an_abandoned_body_leaves_nothing_to_the_next_with_its_name) {
  Pool p({.threads = 1});
  p.pool.add_piece(fetch::Token{1}, "half a page", Keep::no);
  p.pool.abandon(fetch::Token{1});
  p.pool.finish(fetch::Token{1}, "clean", Keep::no);
  p.run_until([&] { return !p.hashes.empty(); });
  EXPECT_EQ(p.hashes[fetch::Token{1}], sha256("clean"));
}

TEST(DetectPool, says_when_it_is_full_and_when_there_is_room_again) {
  Pool p({.threads = 1,
          .rooms = {.looks = std::make_shared<ByteRoom>(1 << 20),
                    .programs = std::make_shared<ByteRoom>(1 << 20)}});
  EXPECT_FALSE(p.pool.full());
  bool was_full = false;
  for (int i = 0; i < 64 && !was_full; ++i) {
    p.pool.add_piece(fetch::Token{1}, std::string(1 << 20, 'x'), Keep::no);
    was_full = p.pool.full();
  }
  ASSERT_TRUE(was_full);
  p.run_until([&] { return p.rooms == 1; });
  EXPECT_FALSE(p.pool.full());
}

TEST(DetectPool, gives_back_what_is_to_be_kept_and_counts_it_meanwhile) {
  const auto room = std::make_shared<ByteRoom>(1 << 20);
  Pool p({.threads = 2, .rooms = {.looks = room, .programs = room}});
  p.pool.add_piece(fetch::Token{1}, "first ", Keep::for_look);
  p.pool.finish(fetch::Token{1}, "second", Keep::for_look);
  p.pool.finish(fetch::Token{2}, "whole", Keep::for_program);
  p.pool.finish(fetch::Token{3}, "not kept", Keep::no);
  p.run_until([&] { return p.hashes.size() == 3; });
  EXPECT_EQ(p.hashes[fetch::Token{1}], sha256("first second"));
  ASSERT_TRUE(p.bodies[fetch::Token{1}] && p.bodies[fetch::Token{2}]);
  EXPECT_EQ(p.bodies[fetch::Token{1}]->join(), "first second");
  EXPECT_EQ(p.bodies[fetch::Token{2}]->join(), "whole");
  EXPECT_FALSE(p.bodies[fetch::Token{3}]);
  EXPECT_EQ(room->bytes(), 17u);
  p.bodies.clear();
  EXPECT_EQ(room->bytes(), 0u);
}

TEST(DetectPool, bodies_that_are_abandoned_or_not_kept_leave_nothing_counted) {
  const auto room = std::make_shared<ByteRoom>(100);
  Pool p({.threads = 1, .rooms = {.looks = room, .programs = room}});
  p.pool.add_piece(fetch::Token{1}, std::string(200, 'x'), Keep::for_look);
  p.pool.add_piece(fetch::Token{2}, std::string(200, 'x'), Keep::no);
  EXPECT_TRUE(room->may_grow(1));
  p.pool.abandon(fetch::Token{1});
  p.pool.finish(fetch::Token{2}, "", Keep::no);
  p.run_until([&] { return p.hashes.size() == 1; });
  EXPECT_EQ(room->bytes(), 0u);
  room->add(200);
  EXPECT_TRUE(room->may_grow(3)) << "no other one goes on alone";
}

}  // namespace
}  // namespace pollux::engine
