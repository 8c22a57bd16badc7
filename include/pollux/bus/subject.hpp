// The grammar of subjects: words joined by dots; "*" stands for one word, and ">" at the end for
// one or more.
#pragma once

#include <string_view>

namespace pollux::bus {

// What a name in a subject may be, an agent's for example: letters, digits, "-" and "_", 64 at
// most.
bool is_word(std::string_view text);
// May be published to: no wildcards, no empty words, no spaces, 255 bytes at most.
bool is_subject(std::string_view text);
// May be subscribed to.
bool is_pattern(std::string_view text);
// Of a pattern and a subject that are one.
bool matches(std::string_view pattern, std::string_view subject);
// A key of the bucket: as a subject, of words.
bool is_key(std::string_view text);

}  // namespace pollux::bus
