// "render: { chromium: true, … }": the browser for pages whose content scripts make.
#pragma once

#include "config/keys.hpp"

namespace pollux::config {

Status read_render_chromium(LoadContext& r, const Key& key, const Node& value);
Status read_render_program(LoadContext& r, const Key& key, const Node& value);
Status read_render_pages(LoadContext& r, const Key& key, const Node& value);
Status read_render_price(LoadContext& r, const Key& key, const Node& value);
Status read_render_wait(LoadContext& r, const Key& key, const Node& value);
Status read_render_memory(LoadContext& r, const Key& key, const Node& value);
Status read_render_max_traffic(LoadContext& r, const Key& key, const Node& value);
Status read_render_max_requests(LoadContext& r, const Key& key, const Node& value);
Status read_render_refused(LoadContext& r, const Key& key, const Node& value);

}  // namespace pollux::config
