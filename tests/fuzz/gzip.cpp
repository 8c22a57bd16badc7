// A compressed body, in pieces of any size. The first byte says how large the pieces are.
#include "fetch/inflater.hpp"
#include "fuzz/fuzz.hpp"

#include <algorithm>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  if (size == 0) return 0;
  const std::size_t piece = static_cast<std::size_t>(data[0]) + 1;
  std::string_view body = fuzz::text(data + 1, size - 1);
  fetch::Inflater inflater;
  std::size_t total = 0;
  while (!body.empty() && total < (1u << 20)) {
    std::string_view input = body.substr(0, piece);
    body.remove_prefix(input.size());
    for (;;) {
      std::string_view output;
      const auto step = inflater.decode(input, output);
      if (step == fetch::Inflater::Step::corrupt) return 0;
      total += output.size();
      if (step == fetch::Inflater::Step::need_input || total >= (1u << 20)) break;
    }
  }
  return 0;
}
