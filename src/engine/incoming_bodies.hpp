// Bodies on their way in: hashed piece by piece, and kept where they are to be looked into.
// Threading: one owner; what is kept may go to another thread with its hash.
#pragma once

#include "engine/hasher.hpp"
#include "pollux/base/byte_room.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace pollux::engine {

class IncomingBodies {
 public:
  // `keep_in`: the room that has counted the piece already; null: it is hashed and let go. The same
  // for all pieces of a body.
  void add(fetch::Token token, std::string piece, const std::shared_ptr<ByteRoom>& keep_in) {
    take(open_[token], token, std::move(piece), keep_in);
  }
  HashedBody finish(fetch::Token token, std::string last_piece,
                    const std::shared_ptr<ByteRoom>& keep_in) {
    auto open = open_.extract(token);
    Open& body = open ? open.mapped() : whole_;
    take(body, token, std::move(last_piece), keep_in);
    return {body.digest.finish(), std::move(body.kept)};
  }
  // Whether there was anything of it.
  bool drop(fetch::Token token) { return open_.erase(token) > 0; }
  bool has(fetch::Token token) const { return open_.contains(token); }

 private:
  struct Open {
    detect::Digest digest;
    std::shared_ptr<CountedBytes> kept;
  };
  static void take(Open& body, fetch::Token token, std::string piece,
                   const std::shared_ptr<ByteRoom>& keep_in) {
    body.digest.update(piece);
    if (!keep_in) return;
    if (!body.kept)
      body.kept = std::make_shared<CountedBytes>(keep_in, static_cast<ByteRoom::Name>(token));
    body.kept->add_counted(std::move(piece));
  }

  std::unordered_map<fetch::Token, Open> open_;  // of which pieces have come
  Open whole_;                                   // for those that come whole
};

}  // namespace pollux::engine
