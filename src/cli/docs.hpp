// What the tables of commands and keys say, for shells and for man. Pure, but that completions of
// URLs and tags read the database.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::cli {

// What may stand in place of the last word. The lines that a shell's script gets: "WORD" or
// "WORD<tab>what it means"; ":file" and ":folder" stand for names of files.
std::vector<std::string> completions(std::span<const std::string> words);

// The script of "bash", "zsh" or "fish": it asks completions() at each key, so it fits whatever
// program is installed.
std::string completion_script(std::string_view shell);

// pollux(1) and pollux.yaml(5), in the language of man.
std::string manual_of_commands();
std::string manual_of_keys();

}  // namespace pollux::cli
