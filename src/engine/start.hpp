// From a configuration to filled lists and an open database. Threading: the engine's thread.
#pragma once

#include "engine/lists.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/store/store.hpp"

#include <functional>
#include <memory>

namespace pollux::engine {

// How memory goes back to the system: once, before there are other threads.
void tune_allocator();
void give_back_memory();

// A database that turns out to be damaged while it is read is replaced by its newest good backup,
// and read anew. `told_to_stop` is asked now and then, from any thread: checking or migrating a
// large database takes its time.
Result<std::unique_ptr<store::Store>> open_and_fill(Lists& lists, const Clock& clock,
                                                    const std::function<bool()>& told_to_stop);

}  // namespace pollux::engine
