#include "fetch/body.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace pollux::fetch {
namespace {

constexpr std::size_t max_reserve = 64u << 10;
// No real page beyond this size is compressed this well.
constexpr std::uint64_t largest_unfolding = 1u << 20;
constexpr std::uint64_t most_unfolding = 250;

}  // namespace

void Body::begin(const Request& request, std::size_t piece_bytes, BodyQuota& quota) {
  drop();
  request_ = &request;
  quota_ = &quota;
  piece_bytes_ = piece_bytes;
  credit_ = request.credit;
  bytes_ = encoded_bytes_ = 0;
  started_ = in_pieces_ = false;
}

void Body::drop() {
  text_.clear();
  rest_.clear();
  inflater_.reset();
  inflating_ = postponed_ = false;
}

void Body::expect_length(std::uint64_t bytes) {
  text_.reserve(std::min<std::uint64_t>(bytes, max_reserve));
}

void Body::grant(std::size_t bytes) {
  credit_ += std::min(bytes, std::numeric_limits<std::size_t>::max() - credit_);
}

bool Body::may_take() {
  postponed_ = quota_->spent();
  quota_->take(BodyQuota::part);
  return !postponed_;
}

Body::Verdict Body::take(std::string_view data, Handler& handler) {
  started_ = true;
  if (!inflater_) return add(data, handler);
  encoded_bytes_ += data.size();
  return inflate(data, handler);
}

Body::Verdict Body::go_on(Handler& handler) {
  postponed_ = false;
  hand_over({}, handler);
  if (!inflating_ || wants_credit()) return Verdict::ok;
  const std::string rest = std::exchange(rest_, {});
  return inflate(rest, handler);
}

Body::Verdict Body::inflate(std::string_view data, Handler& handler) {
  inflating_ = false;
  for (;;) {
    if (wants_credit() || quota_->spent()) {
      inflating_ = true;
      rest_.assign(data);
      return Verdict::ok;
    }
    std::string_view output;
    const std::size_t before = data.size();
    const Inflater::Step step = inflater_->decode(data, output);
    quota_->take(before - data.size() + output.size());
    switch (step) {
      case Inflater::Step::need_input:
        return Verdict::ok;
      case Inflater::Step::corrupt:
        return Verdict::damaged;
      case Inflater::Step::output:
        const Verdict verdict = add(output, handler);
        if (verdict != Verdict::ok) return verdict;
        // Everything waits while a bomb unfolds, so it is recognised before it has.
        if (bytes_ > largest_unfolding && bytes_ / most_unfolding > encoded_bytes_ - data.size()) {
          return Verdict::unfolds_too_much;
        }
    }
  }
}

Body::Verdict Body::add(std::string_view text, Handler& handler) {
  Verdict verdict = Verdict::ok;
  if (request_->cut_body && text.size() > request_->max_body - bytes_) {
    text = text.substr(0, request_->max_body - bytes_);
    verdict = Verdict::enough;
  }
  bytes_ += text.size();
  if (bytes_ > request_->max_body) return Verdict::too_large;
  hand_over(text, handler);
  return verdict;
}

// What is left at the end, up to a piece, comes with the answer and needs no credit.
void Body::hand_over(std::string_view more, Handler& handler) {
  while (text_.size() + more.size() > piece_bytes_ && credit_ > 0) {
    const std::size_t size = std::min(piece_bytes_, credit_);
    std::string rest;
    if (text_.size() > size) {
      rest = text_.substr(size);
      text_.resize(size);
    }
    const std::size_t fits = size - text_.size();
    text_.append(more.substr(0, fits));
    more.remove_prefix(fits);
    credit_ -= size;
    in_pieces_ = true;
    handler.on_piece(request_->token, std::exchange(text_, std::move(rest)));
  }
  text_.append(more);
}

}  // namespace pollux::fetch
