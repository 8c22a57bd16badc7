// The list of networks that a configuration allows.
#include "pollux/fetch/address_gate.hpp"

#include "fuzz/fuzz.hpp"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  const std::string entry(fuzz::text(data, size));
  const auto gate = fetch::AddressGate::create({entry});
  if (!gate.ok()) {
    fuzz::check(fuzz::is_inert(gate.error().message), "a message is one harmless line");
    return 0;
  }
  gate->permits_origin("http://" + entry + "/");
  fuzz::check(gate->permits_origin("http://93.184.215.14:80"), "public addresses always pass");
  return 0;
}
