// The lists of `pollux lab brains`: pages of traces, or synthetic ones, with what stands in for
// their domains, and their division among brains.
#pragma once

#include "pollux/lab/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::lab {

struct BrainList {
  Trace trace;  // times in seconds from the start of the window; births before it
  std::vector<std::uint32_t> domain;  // of each page: an index into
  std::vector<std::string> domains;   // their names
};

// The last `days` of several traces side by side, each in `copies` that are shifted against one
// another round the window: the same habits at other times, which is a larger list of the same
// kind. Traces have no names, only the order of paths: so many neighbours are taken for a domain.
BrainList list_of_traces(std::span<const Trace> traces, double days, std::size_t copies,
                         std::size_t pages_of_a_domain);
// Domains whose pages change, on the average, between once in a hundred days and ten times a day,
// log-uniform; a page within a factor of three of its domain. Memoryless.
BrainList synthetic_list(std::size_t pages, double days, std::size_t pages_of_a_domain,
                         std::uint64_t seed);

// Which of so many brains has a domain. The names of the lab's domains are registrable as they are.
std::size_t brain_of(std::string_view domain, std::size_t brains);

enum class Split {
  hash,    // by domain, as the daemon does it
  lively,  // the first brain has the liveliest fifth of the domains, the last one the quietest
  sorted   // pages by their rates, in equal runs: as unequal as it can be, and sites are cut apart
};
// The pages of each brain, ascending.
std::vector<std::vector<std::uint32_t>> split_list(const BrainList& list, std::size_t brains,
                                                   Split split);

}  // namespace pollux::lab
