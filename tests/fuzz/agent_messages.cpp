// Whatever comes over the bus, and what a brain makes of an agent's results.
#include "agent/messages.hpp"
#include "agent/trusted_answer.hpp"
#include "fuzz/fuzz.hpp"
#include "pollux/extract/packed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  const std::string_view bytes = fuzz::text(data, size);
  static_cast<void>(extract::unpack_rules(bytes));
  static_cast<void>(extract::unpack_extraction(bytes));
  if (const auto ask = agent::decode_ask(bytes))
    fuzz::check(agent::encode(*ask) == bytes, "what is read is what would be written");
  if (const auto answer = agent::decode_answer(bytes))
    fuzz::check(agent::encode(*answer) == bytes, "likewise an answer");
  if (const auto part = agent::decode_part(bytes))
    fuzz::check(agent::encode(*part) == bytes, "likewise a part");
  if (const auto polls = agent::decode_polls(bytes))
    fuzz::check(agent::encode(*polls) == bytes, "likewise polls");
  auto results = agent::decode_results(bytes);
  if (!results) return 0;
  fuzz::check(agent::encode(*results) == bytes, "likewise results");
  fetch::Request request;
  request.keep_in = std::make_shared<ByteRoom>(1u << 20);
  for (agent::Result& result : results->results) {
    if (result.size > 1u << 20) continue;  // memory that is allowed, and too much for a fuzzer
    const auto answer = agent::trusted_answer(std::move(result), request, fetch::Token{1});
    if (!answer) continue;
    fuzz::check(fuzz::is_inert(answer->etag) && fuzz::is_inert(answer->failure_text),
                "nothing that could break out of a header or a terminal");
    fuzz::check(answer->failure != fetch::Failure::none || answer->status >= 100, "a status");
  }
  return 0;
}
