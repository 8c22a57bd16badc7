// Rows of the tables notification and delivery: how they are written and read.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/rows.hpp"
#include "pollux/store/views.hpp"
#include "store/rejected_rows.hpp"
#include "store/sqlite.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pollux::store {

// Part of the transaction under way. `change` (may be null) is the one it tells of, with its id.
Status write_notice(const Connection& connection, const NoticeRow& notice, const ChangeRow* change,
                    std::int64_t change_id, RejectedRows& rejected);
Status write_deliveries(const Connection& connection, const std::vector<DeliveryChange>& changes,
                        RejectedRows& rejected);

// See Store.
Result<std::string> retry_delivery(const Connection& connection, std::int64_t delivery,
                                   WallTime now);
Result<std::int64_t> give_up_deliveries(const Connection& connection,
                                        const std::vector<std::string>& rules);

// See Reader.
Result<OutboxHead> read_outbox(const Connection& connection, const OutboxQuery& query);
Result<MessageView> read_message(const Connection& connection, std::int64_t message,
                                 std::int64_t most);
Result<std::vector<DeliveryView>> read_deliveries(const Connection& connection,
                                                  const std::string& state, std::int64_t limit);
Result<DeliveryCounts> count_deliveries(const Connection& connection);

// One small step of deleting what was told before `sent_before` and given up before `dead_before`;
// true: there is more.
Result<bool> drop_old_notices(const Connection& connection, std::int64_t sent_before,
                              std::int64_t dead_before, std::int64_t most);

}  // namespace pollux::store
