// What libnats reports, in words that say what to do.
#pragma once

#include "bus/nats_address.hpp"
#include "pollux/base/result.hpp"
#include "pollux/bus/bus.hpp"

#include <string>

#include <nats/nats.h>

namespace pollux::bus {

// Just after a call came back with `status`, on the same thread.
std::string why_no_connection(natsStatus status, const NatsAddress& address,
                              const Options& options);
std::string last_nats_error(natsStatus status);

struct DestroyNatsOptions {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};
using NatsOptions = std::unique_ptr<natsOptions, DestroyNatsOptions>;
// Reads the files: it fails when they cannot be used.
Result<NatsOptions> make_nats_options(const Options& options, const NatsAddress& address);

}  // namespace pollux::bus
