// One poll under way, over all its redirects, or one request that is none (a host's robots.txt, a
// path that cannot exist); and the table of them. A flight is in exactly one stage; the table moves
// it, checks that the move is a legal one and keeps the lists by stage. Threading: the engine's
// thread.
#pragma once

#include "engine/hasher.hpp"
#include "engine/look.hpp"
#include "pollux/base/ids.hpp"
#include "pollux/base/time.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pollux::engine {

enum class FlightKind : std::uint8_t {
  page,         // polls a page
  robots_txt,   // brings the robots.txt of `robots_of`
  missing_page  // asks for a path that cannot exist: see MissingPages
};

enum class Stage : std::uint8_t {
  free,
  waiting,    // for its host: a redirect's next hop, a second try, robots.txt
  preparing,  // name, connection and TLS; a connection of its host is ours from here on
  ready,      // the request waits for the budget
  sent,
  hashing,    // the body has come and waits for its hash, or for a look
  bringing,   // content that its agent has put aside: detection does not wait for it
  in_program  // likewise, for a program
};

// Second tries are paid for and polite like any request; each kind is given once.
enum class Attempt : std::uint8_t {
  first,
  again,     // a kept connection had gone stale: on a new one
  elsewhere  // its access point had failed: by another one
};

// Headers, a login or cookies, which not everybody may be told.
enum class HasSecrets : std::uint8_t { no, yes };

// May the present hop be asked for? A page's own URL is checked before its flight begins.
enum class RobotsCheck : std::uint8_t { passed, open };

// Where redirects have led.
struct Trail {
  int hops = 0;
  bool left_origin = false;  // to another scheme, host or port
  bool permanent = true;     // every redirect so far was a permanent one
  std::string moved_to;      // where permanent redirects have led
};

struct Flight {
  Stage stage = Stage::free;
  FlightKind kind = FlightKind::page;
  Attempt attempt = Attempt::first;
  RobotsCheck robots_check = RobotsCheck::passed;
  HasSecrets secrets = HasSecrets::no;                // what it may send
  Keep keep = Keep::no;                               // what becomes of its body
  bool page_gone = false;                             // removed meanwhile: the answer is dropped
  bool conditional = false;                           // validators are sent
  schedule::Reason reason = schedule::Reason::share;  // of a poll: why now
  LookReason look = LookReason::poll;  // what its present request is for: see second_look
  std::uint8_t looks = 0;              // requests besides the poll's own
  std::uint8_t allowed_looks = 0;      // of them, those that LookAllowance pays for
  std::uint8_t put_off = 0;    // not believed before so many polls in a row have seen it; 0: it is
  bool stranger = false;       // its host has not answered lately: see Strangers
  bool rendered = false;       // its page is fetched by a browser, ...
  bool rendered_here = false;  // ... which is this process's: see Renderers
  bool promised = false;       // counts in the budget although it is not sent yet
  std::uint32_t index = 0, generation = 0;  // its name: see FlightTable::token
  PageSlot page{};
  HostSlot host{};                    // of the present hop
  HostSlot robots_of{};               // without a page: the host it was begun for
  std::optional<fetch::Token> payer;  // robots.txt: the poll whose redirect leads to its host
  int price = 1;                      // of each of its requests, in ordinary ones
  int requests = 1;  // a poll: those it has caused, with redirects and robots.txt where they lead
  std::optional<fetch::AccessPointId> access_point;
  std::optional<learn::Look> sibling;      // of a poll: why it is made out of turn
  PageId sibling_id{};                     // the page whose change that was, whoever has its slot
  std::optional<detect::Hash> first_hash;  // of the first look, where the second is to confirm it
  detect::Hash body_hash{};                // of the body that is being looked into
  std::vector<SharedText> texts;           // of the looks so far, where they are compared
  std::shared_ptr<struct FirstLook> first_look;  // what is left if those after it say nothing
  Instant first_asked{};                         // when the first of them was sent
  Trail trail;
  Instant started{};           // unset without a page
  Instant deadline{};          // the poll's time-out, over all its hops; our own waits do not count
  Instant waiting_since{};     // waiting, preparing or ready
  Instant give_up_at{};        // waiting: nothing will come of it
  Instant asked{};             // when the present hop was sent
  std::string url;             // of the present hop
  fetch::CookieLines cookies;  // that the hops before it have set
  std::string text;            // without a page: the body, as far as it has come
  std::shared_ptr<CountedBytes> text_room;  // counts it; may be null
  std::optional<HostSlot> program_host;     // counted among those with programs: see ProgramFlights
  fetch::Response answer;                   // kept while its body is hashed

  bool is_page() const { return kind == FlightKind::page; }
  bool is_poll_start() const {
    return is_page() && trail.hops == 0 && attempt == Attempt::first && !is_second_look();
  }
  // What its page pays for with its share. One that is in doubt must not be polled less for it.
  int own_requests() const { return (requests - allowed_looks) * price; }
  // What came first was not believed by itself.
  bool is_second_look() const { return look != LookReason::poll; }
  // A redirect brought it to where it is: its host has not been chosen by the user.
  bool is_guest() const { return trail.left_origin || payer.has_value(); }
  schedule::Taker taker() const {
    return is_guest() ? schedule::Taker::guest : schedule::Taker::own;
  }
  // Its look is not detection's business, or not now.
  bool looks_apart() const { return stage == Stage::bringing || stage == Stage::in_program; }
  // A connection of `host` is ours.
  bool holds_host() const {
    return stage == Stage::preparing || stage == Stage::ready || stage == Stage::sent;
  }
};

class FlightTable {
 public:
  // At least so many in all; never fewer than before.
  void grow(std::size_t most);
  bool has_room() const { return !free_.empty(); }
  std::size_t in_use() const { return flights_.size() - free_.size(); }

  // A new flight, in no stage but `free`: the caller fills it and moves it on. Needs has_room().
  Flight& take();
  void move(Flight& flight, Stage to);  // to `free`: the flight is over
  fetch::Token token(const Flight& flight) const;
  Flight* find(fetch::Token token);  // null: it is over

  // Copies, because whoever goes through them moves flights.
  std::vector<fetch::Token> waiting() const { return waiting_; }
  std::optional<fetch::Token> first_ready() const;
  std::size_t ready_count() const { return ready_.size(); }

  template <typename Visit>
  void for_each(Visit visit) {
    for (Flight& flight : flights_) {
      if (flight.stage != Stage::free) visit(flight);
    }
  }
  template <typename Test>
  bool any(Test test) const {
    for (const Flight& flight : flights_) {
      if (flight.stage != Stage::free && test(flight)) return true;
    }
    return false;
  }
  template <typename Visit>
  void for_each_waiting(Visit visit) const {
    for (const fetch::Token token : waiting_) visit(flights_[index_of(token)]);
  }

 private:
  static std::size_t index_of(fetch::Token token) {
    return static_cast<std::uint64_t>(token) & 0xffffffffu;
  }

  std::deque<Flight> flights_;  // their addresses stay
  std::vector<std::uint32_t> free_;
  std::vector<fetch::Token> waiting_;
  std::deque<fetch::Token> ready_;  // who came first is sent first
};

}  // namespace pollux::engine
