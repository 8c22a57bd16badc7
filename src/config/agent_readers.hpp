// Readers of `nats` and `agent`: how the machines of one installation reach each other.
#pragma once

#include "config/value_readers.hpp"

namespace pollux::config {

Status read_nats_servers(LoadContext& r, const Key& key, const Node& value);
Status read_nats_ca_file(LoadContext& r, const Key& key, const Node& value);
Status read_nats_certificate_file(LoadContext& r, const Key& key, const Node& value);
Status read_nats_key_file(LoadContext& r, const Key& key, const Node& value);
Status read_nats_auth_file(LoadContext& r, const Key& key, const Node& value);
Status read_nats_content(LoadContext& r, const Key& key, const Node& value);

Status read_access_point_agent(LoadContext& r, const Key& key, const Node& value);

Status read_agent_name(LoadContext& r, const Key& key, const Node& value);
Status read_agent_slots(LoadContext& r, const Key& key, const Node& value);
Status read_agent_secrets(LoadContext& r, const Key& key, const Node& value);

// What must be written where there are agents, and what has no meaning for an agent.
Status read_brains_name(LoadContext& r, const Key& key, const Node& value);
void check_agents(LoadContext& r, const Node& root);

}  // namespace pollux::config
