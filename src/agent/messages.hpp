// What a brain and its agents say to each other, as bytes: compact, versioned, bounded, and decoded
// strictly, because whatever comes may have been sent by anybody. No moment travels, only
// durations. Pure; any thread.
//
//   px.up.AGENT.ask            Ask     → brain: I am here, so many polls may come
//   px.to.AGENT.INSTANCE.poll  Polls   → agent, at most once; with a reply subject that tells the
//   px.up.AGENT.nr.BATCH               → brain that nobody was there
//   px.up.AGENT.res            Results → brain, repeated until they are named in an
//   px.to.AGENT.INSTANCE.ack   Answer  → agent, also to every Ask; and what content is wanted
//   px.up.AGENT.part           Part    → brain: of a result that is too large for one message
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/leases/leases.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::agent {

inline constexpr std::uint8_t protocol = 3;  // the first byte of every message
inline constexpr std::size_t most_polls_at_once = 32;
inline constexpr std::size_t most_results_at_once = 256;
inline constexpr std::size_t most_slots = 4096;           // polls at one agent
inline constexpr std::size_t most_renders = 64;           // pages that it renders at a time
inline constexpr std::uint32_t most_price = 100;          // of a request, in ordinary ones
inline constexpr std::size_t part_bytes = 256u << 10;     // a larger result goes in parts
inline constexpr std::size_t longest_result = 48u << 20;  // what comes in parts, as one

struct Ask {
  std::uint64_t instance = 0;  // random at every start
  std::uint64_t brain = 0;     // the incarnation that was heard last; 0: none
  std::uint64_t id = 0;        // grows
  std::uint32_t slots = 0;     // polls that may be here at a time
  std::uint32_t in_use = 0;    // of them
  std::uint32_t foreign = 0;   // polls of an earlier brain that are still under way
  bool secrets = false;        // takes polls with headers, cookies or logins
  bool leaving = false;        // stops: takes nothing more
  std::string version;
  leases::Ask lease = {};     // its weight is the brain's to say
  std::uint32_t renders = 0;  // pages at a time; 0: it has no browser
};

// To every ask, to results, and for content that was put aside.
struct Answer {
  std::uint64_t brain = 0;           // the incarnation
  bool refused = false;              // another instance of this name is alive
  std::vector<std::uint64_t> taken;  // results that have arrived, whatever became of them
  std::optional<leases::Grant> grant = {};
  bool unlimited = false;                 // there is no budget: nothing is held back for a while
  std::vector<std::uint64_t> wants = {};  // results whose content is to be brought
};

struct Poll {
  std::uint64_t id = 0;    // grows, within an incarnation
  fetch::Request request;  // token, access point and credit stay at home
  fetch::Remote remote;
  bool hash_first = false;  // content that is news is put aside: see Result::aside
};
struct Polls {
  std::uint64_t brain = 0, ask = 0;  // which ask they answer, ...
  Duration ttl{};                    // ... and so long after that was asked they may begin
  std::vector<Poll> polls;
};

enum class Fate : std::uint8_t {
  done,    // see the response
  unused,  // never begun: too old, too many, another brain's, known already; see failure_text
  rest,    // of a result before it: the content that was put aside, as it was kept
  gone     // likewise: it is there no more
};
// What there is of the body.
enum class Content : std::uint8_t { none, bytes, extracted };
struct Aside {
  fetch::Remote::Hash hash{};  // of the content
  std::uint64_t bytes = 0;     // that it will take, squeezed
};
struct Result {
  std::uint64_t id = 0;
  Fate fate = Fate::done;
  Duration here{};  // from the poll's arrival at the agent to this sending
  fetch::Response response;
  Content content = Content::none;
  std::optional<Aside> aside;  // with Content::extracted, whose content is empty then
  std::uint64_t size = 0;      // of the content, before it was squeezed
  bool squeezed = false;       // by zstd
  std::string body;
};
struct Results {
  std::uint64_t instance = 0, brain = 0;
  std::vector<Result> results;
};

struct Part {
  std::uint64_t instance = 0, brain = 0, id = 0;  // of the result
  std::uint32_t number = 0, count = 0;
  std::string bytes;  // of a Results with this result alone
};

// Empty: it has a field that is out of bounds.
std::string encode(const Ask& message);
std::string encode(const Answer& message);
std::string encode(const Polls& message);
std::string encode(const Results& message);
std::string encode(const Part& message);

std::optional<Ask> decode_ask(std::string_view bytes);
std::optional<Answer> decode_answer(std::string_view bytes);
std::optional<Polls> decode_polls(std::string_view bytes);
std::optional<Results> decode_results(std::string_view bytes);
std::optional<Part> decode_part(std::string_view bytes);
// The version of a message that does not decode, to tell an old program from a broken one.
std::uint8_t version_of(std::string_view bytes);

// The body of a result, squeezed where that makes it shorter, and back.
void put_body(Result& result, std::string body);
std::optional<std::string> take_body(Result& result);

// A name that may stand in a subject: letters, digits, '-' and '_', at most 40.
bool is_name(std::string_view name);
std::string instance_text(std::uint64_t instance);
// What stands between the dots of a subject; six at most.
std::vector<std::string_view> words_of(std::string_view subject);
// The number in Subjects::nobody().
std::optional<std::uint64_t> batch_of(std::string_view word);
struct Subjects {
  std::string agent;
  std::string ask() const { return "px.up." + agent + ".ask"; }
  std::string results() const { return "px.up." + agent + ".res"; }
  std::string parts() const { return "px.up." + agent + ".part"; }
  std::string nobody(std::uint64_t batch) const {
    return "px.up." + agent + ".nr." + std::to_string(batch);
  }
  std::string polls(std::uint64_t instance) const {
    return "px.to." + agent + "." + instance_text(instance) + ".poll";
  }
  std::string answers(std::uint64_t instance) const {
    return "px.to." + agent + "." + instance_text(instance) + ".ack";
  }
};

}  // namespace pollux::agent
