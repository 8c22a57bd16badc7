// The files of the web page that were built into the program (src/web_page.cmake); none: it was
// built without.
#pragma once

#include <span>
#include <string_view>

namespace pollux::web {

struct PageFile {
  const char* name;  // "index.html", "assets/page-0123456789.js.br"
  const char* hash;  // of its content
  const char *begin, *end;
  std::string_view bytes() const { return {begin, end}; }
};
std::span<const PageFile> page_files();

}  // namespace pollux::web
