// Keeps the versions of a batch before its rows are written. History only: a failure is told in the
// log, and the rows are written all the same. Threading: the writer's thread.
#pragma once

#include "pollux/store/content.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pollux::store {

class VersionKeeper {
 public:
  // The file is opened when the first version comes, and begun anew when it cannot be used.
  VersionKeeper(std::string database, const ContentOptions& options)
      : database_(std::move(database)), options_(options) {}

  void keep(const std::vector<VersionPut>& versions);
  void tidy(WallTime now);  // a little, now and then
  void set_options(const ContentOptions& options) { options_ = options; }

 private:
  Content* content();

  const std::string database_;
  ContentOptions options_;
  std::unique_ptr<Content> content_;
  bool failing_ = false;
  WallTime tidied_at_{};
};

}  // namespace pollux::store
