// Readers of the section `web`.
#pragma once

#include "config/keys.hpp"

namespace pollux::config {

// The whole section: what would let strangers in is refused here.
Status read_web(LoadContext& r, const Key& key, const Node& value);

Status read_web_listen(LoadContext& r, const Key& key, const Node& value);
Status read_web_password(LoadContext& r, const Key& key, const Node& value);
Status read_web_base_path(LoadContext& r, const Key& key, const Node& value);
Status read_web_certificate(LoadContext& r, const Key& key, const Node& value);
Status read_web_key(LoadContext& r, const Key& key, const Node& value);
Status read_web_metrics(LoadContext& r, const Key& key, const Node& value);
Status read_web_behind_proxy(LoadContext& r, const Key& key, const Node& value);
Status read_web_connections(LoadContext& r, const Key& key, const Node& value);
Status read_web_tokens(LoadContext& r, const Key& key, const Node& value);
Status read_web_token_name(LoadContext& r, const Key& key, const Node& value);
Status read_web_token_file(LoadContext& r, const Key& key, const Node& value);
Status read_web_token_scope(LoadContext& r, const Key& key, const Node& value);
Status read_web_hosts(LoadContext& r, const Key& key, const Node& value);

}  // namespace pollux::config
