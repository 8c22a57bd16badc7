// What is wrong with a configuration, gathered while it is read, so that a user hears of all of it
// at once and not of one mistake per attempt. Bounded: a list of a million lines may have as many.
#pragma once

#include "pollux/base/result.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pollux::config {

class Problems {
 public:
  // Where it is listed: by its line, or behind all that have one (what is missing stands nowhere).
  enum class Order { by_line, last };
  void add(Error error, Order order = Order::by_line);
  bool any() const { return count_ > 0; }
  std::size_t count() const { return count_; }

  // The lines for a user: problems of one file in the order of their lines, files in the order in
  // which they were met, and how many more there are.
  std::vector<std::string> lines() const;
  // The first of them, and how many more there are, in one line. There must be one.
  Error summary() const;

 private:
  struct Problem {
    Error error;
    std::size_t file;    // order of appearance
    std::uint32_t line;  // 0: it names none
    Order order;
  };
  std::vector<Problem> sorted() const;

  std::vector<Problem> kept_;
  std::vector<std::string> files_;
  std::size_t count_ = 0;
};

}  // namespace pollux::config
