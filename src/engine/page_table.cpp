#include "engine/page_table.hpp"

#include "engine/page_noise.hpp"

#include <algorithm>
#include <cassert>
#include <cstdio>

namespace pollux::engine {

namespace {

void note_health(PageRecord& record, const store::PageProgress& progress, const Moment& moment) {
  for (int i = 0; i <= static_cast<int>(Health::ok); ++i) {
    if (name_of(static_cast<Health>(i)) == progress.health) record.health = static_cast<Health>(i);
  }
  record.suspect = record.health == Health::suspect;
  record.lost_selector = record.health == Health::selector;
  record.noisy = record.health == Health::noisy;
  if (record.noisy) record.noisy_since = moment.wall;
  if (!record.suspect && !record.lost_selector) return;
  record.doubt = progress.health_reason;
  record.suspect_since = progress.last_confirmed_at.value_or(moment.wall);
}

}  // namespace

PageRecord& PageTable::add(const store::PageRow& row, HostSlot host, SettingsId settings,
                           const Moment& moment) {
  while (slots() <= index(row.slot)) {
    chunks_.push_back(std::make_unique<PageRecord[]>(chunk_records));
  }
  PageRecord& record = (*this)[row.slot];
  assert(!record.used());
  const store::PageProgress& progress = row.progress;
  record.id = row.id;
  record.url = row.spec.url;
  record.etag = progress.etag;
  record.last_modified = progress.last_modified;
  record.moved_to = progress.moved_to;
  record.final_url = progress.final_url;
  record.redirects = static_cast<std::uint8_t>(progress.redirects);
  record.has_hash = detect::from_hex(progress.content_hash, record.hash);
  record.has_body_hash = detect::from_hex(progress.body_hash, record.body_hash);
  record.kept_as = extract::as_of(progress.kept_as).value_or(extract::As::automatic);
  record.traits = progress.traits;
  note_health(record, progress, moment);
  record.last_confirmed = moment.to_instant_past(progress.last_confirmed_at.value_or(moment.wall));
  record.last_full = moment.to_instant_past(progress.last_full_at.value_or(moment.wall));
  record.not_modified =
      static_cast<std::uint8_t>(std::clamp<std::int64_t>(progress.not_modified, 0, 255));
  record.distrusted = progress.distrusted != 0;
  record.last_changed = progress.last_changed_at.value_or(WallTime{});
  record.body_bytes = progress.body_bytes;
  record.download_seconds = static_cast<float>(progress.download_ms.value_or(0) / 1000);
  record.polls = static_cast<std::uint32_t>(progress.polls);
  record.changes = static_cast<std::uint32_t>(progress.changes);
  record.errors = static_cast<std::uint32_t>(progress.errors);
  if (is_mostly_unchanged(record)) record.trust.assume_settled(record.hash);
  restore_noise(record, progress.noise);
  record.error_streak = static_cast<std::uint16_t>(std::clamp(progress.error_streak, 0, 65535));
  record.host = host;
  record.settings = settings;
  ++used_;
  return record;
}

void PageTable::remove(PageSlot slot) {
  assert((*this)[slot].used());
  (*this)[slot] = PageRecord{};
  set_rest(slot, std::nullopt);
  --used_;
}

void PageTable::set_rest(PageSlot slot, std::optional<Instant> until) {
  if (until) {
    rests_[index(slot)] = *until;
  } else {
    rests_.erase(index(slot));
  }
}

std::optional<Instant> PageTable::rest(PageSlot slot) const {
  const auto found = rests_.find(index(slot));
  return found == rests_.end() ? std::nullopt : std::optional(found->second);
}

bool PageTable::append_ids(std::vector<PageId>& ids, std::size_t most) const {
  const std::size_t end = std::min(slots(), ids.size() + most);
  while (ids.size() < end)
    ids.push_back((*this)[PageSlot{static_cast<std::uint32_t>(ids.size())}].id);
  return end < slots();
}

std::optional<learn::PageMemory> memory_of(const store::PageProgress& p, bool same_policy) {
  // Sums mean the same to every policy; a position only to the one that wrote it.
  const double streak = same_policy ? p.streak : 0, position = same_policy ? p.position : 0;
  if (p.slow_hit_time == 0 && p.slow_miss_time == 0 && position == 0) return std::nullopt;
  return learn::PageMemory{p.slow_hits, p.slow_hit_time, p.slow_miss_time,
                           p.fast_hits, p.fast_hit_time, p.fast_miss_time,
                           streak,      position,        p.age_model};
}

void set_memory(store::PageProgress& p, const learn::PageMemory& memory) {
  p.has_sums = memory.slow_hit_time != 0 || memory.slow_miss_time != 0;
  p.slow_hits = memory.slow_hits;
  p.slow_hit_time = memory.slow_hit_time;
  p.slow_miss_time = memory.slow_miss_time;
  p.fast_hits = memory.fast_hits;
  p.fast_hit_time = memory.fast_hit_time;
  p.fast_miss_time = memory.fast_miss_time;
  p.streak = memory.streak;
  p.position = memory.position;
  p.age_model = memory.age;
}

void set_outlook(store::PageProgress& progress, const std::vector<double>& waits) {
  progress.outdated_after.clear();
  for (const double wait : waits) {
    progress.outdated_after += progress.outdated_after.empty() ? "[" : ",";
    char number[32];
    const int length = std::snprintf(number, sizeof number, "%.6g", wait);
    progress.outdated_after.append(number, static_cast<std::size_t>(length));
  }
  if (!waits.empty()) progress.outdated_after += "]";
}

}  // namespace pollux::engine
