// What an installation of several brains needs, from what one page, one decision, one row and one
// message were measured to cost: products and sums, nothing else. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pollux::lab {

struct UnitCosts {
  double pages = 0;                         // of the list it was measured at
  double memory_bytes_per_page = 0;         // of all that is kept of a page in memory
  double learner_bytes_per_page = 0;        // the learner's and the scheduler's part of that
  double file_bytes_per_page = 0;           // of the database
  double start_us_per_page = 0;             // from the file of pages to the first decision
  double decision_us = 0;                   // CPU: choose a page, feed its outcome
  double row_us = 0;                        // CPU: write what a poll found
  double row_bytes = 0;                     // written to disk for it, log and file
  double ask_bytes = 0, grant_bytes = 0;    // between brains
  double poll_bytes = 0, result_bytes = 0;  // with agents, of a poll that found nothing new
  double polls_per_message = 1;             // with agents
  double message_us = 0;                    // CPU: an ask read and a grant written
};

struct Installation {
  std::size_t brains = 20;
  double pages = 1e8, rate = 1000;  // polls per second, all together
};

struct CostLine {
  std::string what, unit;
  double measured = 0, times = 0;
  double per_brain = 0, all = 0;
};
// In the order in which they are shown.
std::vector<CostLine> cost_of(const Installation& wanted, const UnitCosts& unit);

}  // namespace pollux::lab
