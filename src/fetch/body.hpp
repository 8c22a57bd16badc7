// The body of one answer on its way in: gzip undone, limits kept, cut into pieces that go to the
// handler within the credit. What the credit does not cover is held back, compressed where it came
// compressed: at most one chunk of curl's, one piece and one step of the inflater. So is what the
// quota of a turn does not cover: waits_for_turn().
// Threading: the thread of its transfer.
#pragma once

#include "fetch/body_quota.hpp"
#include "fetch/inflater.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::fetch {

class Body {
 public:
  enum class Verdict : std::uint8_t {
    ok,
    enough,  // the rest is not wanted (Request::cut_body)
    too_large,
    unfolds_too_much,
    damaged
  };

  // Forgets the last body. `request` and `quota` stay valid while this body comes in.
  void begin(const Request& request, std::size_t piece_bytes, BodyQuota& quota);
  // Before the first byte.
  void expect_gzip() { inflater_ = std::make_unique<Inflater>(); }
  void expect_length(std::uint64_t bytes);

  // Only when nothing is held_back(). False: the quota is spent, and nothing was taken; held back
  // until it goes on.
  bool may_take();
  Verdict take(std::string_view data, Handler& handler);
  // Also from inside Handler::on_piece(), which then goes on.
  void grant(std::size_t bytes);
  // Hands over what is held back, as far as the credit and the quota go.
  Verdict go_on(Handler& handler);
  // There is more than the last piece, and no credit for it; or the quota is spent.
  bool held_back() const { return postponed_ || inflating_ || text_.size() > piece_bytes_; }
  // It could go on: only the quota was spent.
  bool waits_for_turn() const { return (postponed_ || inflating_) && !wants_credit(); }

  std::uint64_t bytes() const { return bytes_; }  // decompressed
  bool in_pieces() const { return in_pieces_; }   // at least one has been handed over
  // A compressed body says where it ends, whatever the connection does.
  bool has_own_end() const { return inflater_ != nullptr; }
  bool cut_short() const { return inflater_ && started_ && !inflater_->complete(); }
  std::string& last_piece() { return text_; }
  void drop();  // what has come is not wanted any more

 private:
  // Nothing is unfolded for a consumer that has had all it gave credit for.
  bool wants_credit() const { return text_.size() > piece_bytes_ || (in_pieces_ && credit_ == 0); }
  Verdict inflate(std::string_view data, Handler& handler);
  Verdict add(std::string_view text, Handler& handler);
  void hand_over(std::string_view more, Handler& handler);

  const Request* request_ = nullptr;
  BodyQuota* quota_ = nullptr;
  std::size_t piece_bytes_ = 0;
  std::size_t credit_ = 0;
  std::string text_;  // decompressed, not handed over
  std::string rest_;  // of a chunk that came compressed
  std::uint64_t bytes_ = 0;
  std::uint64_t encoded_bytes_ = 0;     // as it came
  std::unique_ptr<Inflater> inflater_;  // for a compressed body
  bool inflating_ = false;              // stopped in the middle, for want of credit or quota
  bool postponed_ = false;              // the quota was spent when more came
  bool started_ = false;
  bool in_pieces_ = false;
};

}  // namespace pollux::fetch
