#include "pollux/fetch/resolver.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include <boost/asio/post.hpp>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace pollux::fetch {
namespace {

// More than enough for any honest name; a name with a thousand records gains nothing.
constexpr std::size_t max_addresses = 16;

struct Job {
  std::string key;
  std::string host;
};

}  // namespace

struct Resolver::Shared {
  struct Running {
    TimePoint begun;
    Record record;
  };

  Shared(boost::asio::io_context& context, Options opts, Done callback)
      : io(context), options(std::move(opts)), done(std::move(callback)) {}

  std::mutex mutex;
  std::deque<Job> clean;
  std::deque<Job> suspect;
  std::unordered_map<std::string, Running> running;  // one thread each
  unsigned running_clean = 0;
  bool open = true;
  boost::asio::io_context& io;  // touched only while open
  const Options options;
  const Done done;  // called on the io_context's thread only, while open

  // All of these need the mutex.
  std::optional<Job> next();
  Record ended(const std::string& key);
  static void start_threads(const std::shared_ptr<Shared>& shared);
  static void answer(const std::shared_ptr<Shared>& shared, std::string key, Lookup lookup);

  static void run(const std::shared_ptr<Shared>& shared, Job job);
};

// The lookup that may begin now, already counted as running.
std::optional<Job> Resolver::Shared::next() {
  const std::size_t running_suspect = running.size() - running_clean;
  std::deque<Job>* queue = nullptr;
  if (running.size() >= options.max_threads) return std::nullopt;
  if (!clean.empty() && running_clean < options.at_once) {
    queue = &clean;
    ++running_clean;
  } else if (!suspect.empty() && running_suspect < std::max(1u, options.max_threads / 2)) {
    queue = &suspect;
  } else {
    return std::nullopt;
  }
  Job job = std::move(queue->front());
  queue->pop_front();
  const Record record = queue == &clean ? Record::clean : Record::suspect;
  running.emplace(job.key, Running{options.now(), record});
  return job;
}

Resolver::Record Resolver::Shared::ended(const std::string& key) {
  const auto found = running.find(key);
  const Record record = found->second.record;
  if (record == Record::clean) --running_clean;
  running.erase(found);
  return record;
}

void Resolver::Shared::start_threads(const std::shared_ptr<Shared>& shared) {
  while (std::optional<Job> job = shared->next()) {
    try {
      std::thread([shared, job = *job] { run(shared, job); }).detach();
    } catch (const std::system_error& error) {
      const Record record = shared->ended(job->key);
      if (!shared->running.empty()) {  // one of those will take it
        (record == Record::clean ? shared->clean : shared->suspect).push_front(std::move(*job));
        return;
      }
      answer(shared, std::move(job->key),
             {{}, std::string("no thread for the name lookup: ") + error.what()});
    }
  }
}

// A thread lives while there is something for it to do.
void Resolver::Shared::run(const std::shared_ptr<Shared>& shared, Job first) {
  std::optional<Job> job = std::move(first);
  while (job) {
    Lookup lookup = shared->options.lookup(job->host);
    const std::lock_guard lock(shared->mutex);
    if (!shared->open) return;
    shared->ended(job->key);
    answer(shared, std::move(job->key), std::move(lookup));
    job = shared->next();
  }
}

// The io_context is certain to live only while `open`.
void Resolver::Shared::answer(const std::shared_ptr<Shared>& shared, std::string key,
                              Lookup lookup) {
  boost::asio::post(shared->io,
                    [shared, key = std::move(key), lookup = std::move(lookup)]() mutable {
                      // Closed only by this very thread, so it cannot close in between.
                      if (shared->open) shared->done(std::move(key), std::move(lookup));
                    });
}

Resolver::Resolver(boost::asio::io_context& io, Options options, Done done)
    : shared_(std::make_shared<Shared>(io, std::move(options), std::move(done))) {}

Resolver::~Resolver() {
  const std::lock_guard lock(shared_->mutex);
  shared_->open = false;
}

void Resolver::resolve(std::string key, std::string host, Record record) {
  const std::lock_guard lock(shared_->mutex);
  auto& queue = record == Record::clean ? shared_->clean : shared_->suspect;
  queue.push_back({std::move(key), std::move(host)});
  Shared::start_threads(shared_);
}

bool Resolver::drop(const std::string& key) {
  const std::lock_guard lock(shared_->mutex);
  for (std::deque<Job>* queue : {&shared_->clean, &shared_->suspect}) {
    const auto found =
        std::find_if(queue->begin(), queue->end(), [&](const Job& job) { return job.key == key; });
    if (found == queue->end()) continue;
    queue->erase(found);
    return true;
  }
  return false;
}

void Resolver::demote(TimePoint begun_by) {
  const std::lock_guard lock(shared_->mutex);
  for (auto& [key, running] : shared_->running) {
    if (running.record == Record::suspect || running.begun > begun_by) continue;
    running.record = Record::suspect;
    --shared_->running_clean;
  }
  Shared::start_threads(shared_);
}

Lookup system_lookup(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0) return {{}, gai_strerror(code)};
  Lookup lookup;
  char text[NI_MAXHOST];
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (lookup.addresses.size() == max_addresses) break;
    if (getnameinfo(info->ai_addr, info->ai_addrlen, text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      lookup.addresses.emplace_back(text);
    }
  }
  freeaddrinfo(found);
  if (lookup.addresses.empty()) lookup.error = "the name has no address";
  return lookup;
}

}  // namespace pollux::fetch
