#include "store/page_row.hpp"

namespace pollux::store {

const char* const page_columns =
    "id, slot, url, host, importance, min_interval_ms, max_interval_ms, state, added_at, "
    "polls, changes, errors, last_polled_at, last_confirmed_at, last_changed_at, last_status, "
    "last_error, error_streak, retry_at, content_hash, etag, last_modified, body_bytes, share, "
    "next_due_at, change_rate_per_day, slow_hits, slow_hit_time, slow_miss_time, fast_hits, "
    "fast_hit_time, fast_miss_time, streak, position, moved_to, fresh_until, age_model, "
    "outdated_after, download_ms";

const char* const update_progress =
    "UPDATE page SET polls = ?2, changes = ?3, errors = ?4, last_polled_at = ?5, "
    "last_confirmed_at = ?6, last_changed_at = ?7, last_status = ?8, last_error = ?9, "
    "error_streak = ?10, retry_at = ?11, content_hash = ?12, etag = ?13, last_modified = ?14, "
    // A poll that ends while its page is being removed or paused leaves no share behind.
    "body_bytes = ?15, share = iif(state = 'active', ?16, 0), "
    "next_due_at = iif(state = 'active', ?17, NULL), change_rate_per_day = coalesce(?18, "
    "change_rate_per_day), "
    "slow_hits = coalesce(?19, slow_hits), slow_hit_time = coalesce(?20, slow_hit_time), "
    "slow_miss_time = coalesce(?21, slow_miss_time), fast_hits = coalesce(?22, fast_hits), "
    "fast_hit_time = coalesce(?23, fast_hit_time), fast_miss_time = coalesce(?24, fast_miss_time), "
    "streak = ?25, position = ?26, moved_to = ?27, fresh_until = ?28, "
    "age_model = coalesce(?29, age_model), outdated_after = ?30, download_ms = ?31 WHERE id = ?1";

PageRow read_page(const Statement& row) {
  int at = 0;
  const auto integer = [&] { return row.integer(at++); };
  const auto real = [&] { return row.real(at++); };
  const auto text = [&] { return std::string(row.text(at++)); };
  const auto time = [&] { return row.time(at++); };

  PageRow page;
  page.id = PageId(integer());
  page.slot = PageSlot(static_cast<std::uint32_t>(integer()));
  page.spec.url = text();
  page.spec.host = text();
  page.spec.importance = real();
  page.spec.min_interval_ms = integer();
  page.spec.max_interval_ms = integer();
  page.state = text();
  page.added_at = time().value_or(WallTime{});

  PageProgress& progress = page.progress;
  progress.polls = integer();
  progress.changes = integer();
  progress.errors = integer();
  progress.last_polled_at = time();
  progress.last_confirmed_at = time();
  progress.last_changed_at = time();
  progress.last_status = static_cast<int>(integer());
  progress.last_error = text();
  progress.error_streak = static_cast<int>(integer());
  progress.retry_at = time();
  progress.content_hash = text();
  progress.etag = text();
  progress.last_modified = text();
  progress.body_bytes = integer();
  progress.share = real();
  progress.next_due_at = time();
  if (!row.is_null(at)) progress.change_rate_per_day = row.real(at);
  ++at;
  progress.slow_hits = real();
  progress.slow_hit_time = real();
  progress.slow_miss_time = real();
  progress.fast_hits = real();
  progress.fast_hit_time = real();
  progress.fast_miss_time = real();
  progress.streak = real();
  progress.position = real();
  progress.moved_to = text();
  progress.fresh_until = time();
  progress.age_model = text();
  progress.outdated_after = text();
  if (!row.is_null(at)) progress.download_ms = row.real(at);
  return page;
}

void bind_progress(Statement& update, PageId page, const PageProgress& progress) {
  update.bind(1, value(page))
      .bind(2, progress.polls)
      .bind(3, progress.changes)
      .bind(4, progress.errors)
      .bind(5, progress.last_polled_at)
      .bind(6, progress.last_confirmed_at)
      .bind(7, progress.last_changed_at)
      .bind_or_null(9, progress.last_error)
      .bind(10, std::int64_t{progress.error_streak})
      .bind(11, progress.retry_at)
      .bind_or_null(12, progress.content_hash)
      .bind_or_null(13, progress.etag)
      .bind_or_null(14, progress.last_modified)
      .bind(16, progress.share)
      .bind(17, progress.next_due_at)
      .bind(18, progress.change_rate_per_day)
      .bind(25, progress.streak)
      .bind(26, progress.position)
      .bind_or_null(27, progress.moved_to)
      .bind(28, progress.fresh_until)
      .bind_or_null(29, progress.age_model)
      .bind_or_null(30, progress.outdated_after)
      .bind(31, progress.download_ms);
  const double sums[] = {progress.slow_hits, progress.slow_hit_time, progress.slow_miss_time,
                         progress.fast_hits, progress.fast_hit_time, progress.fast_miss_time};
  for (int i = 0; i < 6; ++i) {
    if (progress.has_sums) {
      update.bind(19 + i, sums[i]);
    } else {
      update.bind_null(19 + i);
    }
  }
  // What nobody has seen yet is NULL, not zero.
  if (progress.last_status != 0) {
    update.bind(8, std::int64_t{progress.last_status});
  } else {
    update.bind_null(8);
  }
  if (!progress.content_hash.empty()) {
    update.bind(15, progress.body_bytes);
  } else {
    update.bind_null(15);
  }
}

}  // namespace pollux::store
