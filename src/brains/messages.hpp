// What brains send each other, as JSON. Reading fails on anything that is not one of these.
//   px.b.<brain>.ask    from a brain to whoever allocates, and to all who want to know it
//   px.b.<brain>.grant  the answer
#pragma once

#include "pollux/brains/member.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pollux::brains {

struct AskMessage {
  std::string incarnation;  // of the brain's process: a name given twice is noticed
  leases::Ask ask;
  Figures figures;
};
struct GrantMessage {
  std::string incarnation;  // for which it is
  leases::Grant grant;
};

std::string text_of(const AskMessage& message);
std::string text_of(const GrantMessage& message);
std::optional<AskMessage> read_ask(std::string_view text);
std::optional<GrantMessage> read_grant(std::string_view text);

}  // namespace pollux::brains
