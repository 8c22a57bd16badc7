#include "engine/second_look.hpp"

#include "engine/validators.hpp"
#include "pollux/detect/verdict.hpp"

namespace pollux::engine {
namespace {

constexpr std::uint8_t most_looks = 2;
// Polls in a row that must see what nobody could look at again, of a page that alternates: of one
// that is one of two at random, every fourth three see the same.
constexpr std::uint8_t seen_of_a_restless_page = 4;
// And where looks agree, of a page that has shown something else lately, which did not stay.
constexpr std::uint8_t seen_of_a_wavering_page = 3;
// Pages that were never compared go first: most need it once.
constexpr int left_to_new_pages = 4;
// A page may be called noisy by chance, and nobody hears of its news while it is: it is asked again
// after this, then after twice as long each time, up to the longest.
constexpr Duration first_twin_of_a_noisy_page = std::chrono::minutes(1);
constexpr Duration between_twins_of_a_noisy_page = std::chrono::hours(24);

bool may_be_cut_short(const Flight& flight, const PageRecord& page, const detect::Hash& hash,
                      const Look* look) {
  const detect::Answer seen{.status = flight.answer.status,
                            .complete = true,
                            .conditional = flight.conditional,
                            .hash = hash,
                            .empty = flight.answer.body_bytes == 0,
                            .uncertain_end = has_uncertain_end(flight, look)};
  return detect::judge(seen, page.known_hash()) == detect::Verdict::noisy;
}

bool differs(const PageRecord& page, const Look& look) {
  return page.has_hash && !look.failure && !look.same && look.significant;
}

bool has_lost_mask(const Look& look) {
  return look.lost_aside || std::ranges::any_of(look.masks_shown, [](const extract::Shown& shown) {
           return shown.mark == 0;
         });
}
bool has_flapped(const PageRecord& page) {
  return page.flapped != 0 && page.polls - page.flapped <= KnownVersions::window;
}

bool may_ask_noisy_page(const PageRecord& page, WallTime now) {
  const Duration asked_for = page.twins_at - page.noisy_since;
  return now - page.twins_at >=
         std::clamp(asked_for, first_twin_of_a_noisy_page, between_twins_of_a_noisy_page);
}

bool is_restless(const PageRecord& page, const Look& look) {
  return has_flapped(page) || page.trust.wavers() || has_lost_mask(look);
}

// A page that has not shown yet that it is quiet, on a host whose pages are: it must have been
// found as it was more often than not, or have had no occasion for either.
bool neighbours_vouch(const PageRecord& page, const HostRecord& host) {
  if (!host.calm.vouches() || page.noisy || page.suspect || !page.masks.empty()) return false;
  return page.trust.mostly_same() || page.differed_at == 0;
}

// What differs after the same was seen for a while, here or by its neighbours, is believed; what
// differs from one poll to the next is asked about, unless looks have agreed lately. So is what a
// page shows where a mask has lost its place or has ended: what was masked may be what differs. A
// version that comes back after the present one was held for a while may be news. A page that is
// known to be noisy is asked now and then whether it still is.
bool wants_twin(const PageRecord& page, const HostRecord& host, const Look& look, WallTime now) {
  if (look.noise == Noise::masked || look.has_condition || !differs(page, look)) return false;
  if (!look.masks_ended.empty()) return false;  // it has been seen again and again
  const bool comes_back = page.earlier.has(look.hash, page.polls + 1);
  if (page.noisy) return !comes_back && may_ask_noisy_page(page, now);
  if (comes_back) return held_long(page, page.polls + 1) || is_first_return(page, page.polls + 1);
  if (has_lost_mask(look) || page.unmasked) return true;
  // They say anew what differs at every look, however quiet the rest of it has been.
  if (page.aside && now - page.noisy_since >= aside_at_most) return true;
  if (page.trust.has_credit()) return false;
  // What differs at every look stands where something else stood.
  if (look.grown && !is_restless(page, look)) return false;
  return is_restless(page, look) || !(page.trust.settled() || neighbours_vouch(page, host));
}

// Nothing: the look is taken as it is.
LookReason next_reason(Flight& flight, PageRecord& page, HostRecord& host, const End& end,
                       const Moment& moment) {
  const Look* look = end.look.get();
  if (flight.look == LookReason::poll) {
    const auto content = content_hash(page, end);
    if (content && may_be_cut_short(flight, page, *content, look)) return LookReason::cut_short;
    if (caught_lying(page, host, flight)) return LookReason::lie;
    if (look == nullptr) return LookReason::poll;
    // Of a page that is suspect already, the same is believed not to be the page.
    if (look->suspicion) return page.suspect ? LookReason::poll : LookReason::suspect;
    if (wants_twin(page, host, *look, moment.wall)) return LookReason::twin;
  }
  if (flight.look != LookReason::twin || look == nullptr) return LookReason::poll;
  // Of a page that is one of two at random, every second pair agrees.
  const bool believed = look->noise == Noise::twins_agree && !page.trust.none() &&
                        !is_restless(page, *look) && !page.earlier.has(look->hash, page.polls + 1);
  return look->failure || look->suspicion || believed ? LookReason::poll : LookReason::confirm;
}

}  // namespace

bool wants_second_look(Flight& flight, PageTable& pages, HostTable& hosts, End& end,
                       LookAllowance& allowance, const Moment& moment) {
  if (!flight.is_page() || flight.page_gone || flight.looks >= most_looks || !end.error.empty())
    return false;
  PageRecord& page = pages[flight.page];
  const LookReason reason = next_reason(flight, page, hosts[page.host], end, moment);
  if (reason == LookReason::poll) {
    if (flight.look == LookReason::twin) allowance.give_back();
    return false;
  }
  // A twin may need a third look, or nothing has come of it: that one is paid for beforehand.
  if (reason == LookReason::suspect && !allowance.take(1)) return false;
  const bool restless = end.look && is_restless(page, *end.look);
  const int leave = page.twins_at == WallTime{} ? 0 : left_to_new_pages;
  if (reason == LookReason::twin && !allowance.take(2, leave)) {
    if (!page.trust.proven())
      flight.put_off = restless ? seen_of_a_restless_page : std::uint8_t{Trust::often};
    return false;
  }
  if (reason == LookReason::twin && (restless || page.trust.none()))
    flight.put_off =
        std::max(flight.put_off, page.trust.wavers() ? seen_of_a_wavering_page : seen_again);
  if (reason == LookReason::cut_short) flight.first_hash = content_hash(page, end);
  if (reason == LookReason::twin || reason == LookReason::confirm)
    flight.texts.push_back(std::move(end.look->text));
  if (reason == LookReason::twin) {
    flight.first_asked = flight.asked;
    flight.first_look = std::make_shared<FirstLook>(
        FirstLook{std::move(end), std::move(flight.answer), flight.url, flight.trail});
  }
  flight.look = reason;
  ++flight.looks;
  if (reason != LookReason::cut_short && reason != LookReason::lie) ++flight.allowed_looks;
  flight.conditional = false;
  flight.attempt = Attempt::first;
  flight.host = page.host;
  flight.url.assign(page.url.view());
  flight.trail = {};
  flight.cookies.clear();
  return true;
}

void fall_back(Flight& flight, End& end, const Manners& manners, Instant now) {
  if (flight.answer.retry_after)
    manners.asked_to_wait(flight, *flight.answer.retry_after, flight.url, now);
  const bool seen = end.error.empty() && end.body && flight.url == flight.first_look->url;
  if (seen && !(end.look && (end.look->failure || end.look->suspicion))) return;
  FirstLook& first = *flight.first_look;
  end = std::move(first.end);
  end.look->text = std::move(flight.texts.front());
  flight.answer = std::move(first.answer);
  flight.url = std::move(first.url);
  flight.trail = std::move(first.trail);
  flight.look = LookReason::poll;
  flight.looks = most_looks;
  flight.put_off = std::max(flight.put_off, seen_again);
  flight.first_look.reset();
}

}  // namespace pollux::engine
