#include "engine/known_texts.hpp"

#include <exception>

namespace pollux::engine {

void KnownTexts::remember(const std::string& hash, const std::string& text) {
  if (text.size() > largest) return;
  std::lock_guard lock(mutex_);
  if (!recent_.emplace(hash, text).second) return;
  order_.push_back(hash);
  bytes_ += text.size() + beside_text;
  while (bytes_ > most_bytes) {
    const auto oldest = recent_.find(order_.front());
    bytes_ -= oldest->second.size() + beside_text;
    recent_.erase(oldest);
    order_.pop_front();
  }
}

std::optional<std::string> KnownTexts::find(const std::string& url, const std::string& hash) {
  std::lock_guard lock(mutex_);
  if (const auto known = recent_.find(hash); known != recent_.end()) return known->second;
  try {
    store::ContentReader* file = reader();
    if (file == nullptr) return std::nullopt;
    Result<std::optional<std::string>> text = file->text_of_hash(url, hash);
    if (text.ok()) return std::move(*text);
  } catch (const std::exception&) {
    // As if it were damaged: that costs history, never the page.
  }
  reader_.reset();  // damaged, or replaced: opened anew the next time
  return std::nullopt;
}

std::vector<KnownTexts::Version> KnownTexts::last(const std::string& url, std::size_t most) {
  std::lock_guard lock(mutex_);
  try {
    return last_in_file(url, most);
  } catch (const std::exception&) {
    reader_.reset();
    return {};
  }
}

std::vector<KnownTexts::Version> KnownTexts::last_in_file(const std::string& url,
                                                          std::size_t most) {
  std::vector<Version> found;
  store::ContentReader* file = reader();
  if (file == nullptr) return found;
  const Result<std::vector<store::VersionRow>> rows = file->versions(url);
  if (!rows.ok()) {
    reader_.reset();
    return found;
  }
  const std::size_t first = rows->size() > most ? rows->size() - most : 0;
  for (std::size_t i = first; i < rows->size(); ++i) {
    Result<std::optional<std::string>> text = file->text(url, (*rows)[i].number);
    if (text.ok() && *text) found.push_back({std::move(**text), (*rows)[i].seen_at});
  }
  return found;
}

store::ContentReader* KnownTexts::reader() {
  if (reader_ || database_.empty()) return reader_.get();
  Result<std::unique_ptr<store::ContentReader>> opened = store::ContentReader::open(database_);
  if (opened.ok()) reader_ = std::move(*opened);
  return reader_.get();
}

}  // namespace pollux::engine
