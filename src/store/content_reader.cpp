#include "pollux/base/text.hpp"
#include "pollux/store/content.hpp"
#include "store/content_file.hpp"

namespace pollux::store {
namespace {

class ContentFileReader : public ContentReader {
 public:
  explicit ContentFileReader(Connection connection) : connection_(std::move(connection)) {}

  Result<std::vector<VersionRow>> versions(const std::string& url) override {
    Result<Statement> rows = connection_.prepare(
        "SELECT number, seen_at, hash, kind, bytes FROM version WHERE url_id = (SELECT id FROM url "
        "WHERE url = ?1) ORDER BY number");
    if (!rows) return rows.error();
    rows->bind(1, std::string_view(url));
    std::vector<VersionRow> found;
    while (true) {
      const Result<bool> row = rows->step();
      if (!row) return row.error();
      if (!*row) return found;
      found.push_back({.number = rows->integer(0),
                       .seen_at = rows->time(1).value_or(WallTime{}),
                       .hash = std::string(rows->text(2)),
                       .as = std::string(rows->text(3)),
                       .bytes = rows->integer(4)});
    }
  }

  Result<std::optional<std::string>> text(const std::string& url, std::int64_t number) override {
    return text_where("number = ?2", [&](Statement& find) {
      find.bind(1, std::string_view(url)).bind(2, number);
    });
  }

  Result<std::optional<std::string>> text_of_hash(const std::string& url,
                                                  std::string_view hash) override {
    return text_where("hash = ?2",
                      [&](Statement& find) { find.bind(1, std::string_view(url)).bind(2, hash); });
  }

 private:
  // The newest that fits. One look for both questions: what is deleted in between is not missed.
  template <typename Bind>
  Result<std::optional<std::string>> text_where(const std::string& condition, Bind bind) {
    Transaction look(connection_);
    if (Status begun = look.begin_reading(); !begun) return begun.error();
    Result<Statement> find = connection_.prepare(
        "SELECT url_id, number FROM version WHERE url_id = (SELECT id FROM url "
        "WHERE url = ?1) AND " +
        condition + " ORDER BY number DESC LIMIT 1");
    if (!find) return find.error();
    bind(*find);
    const Result<bool> found = find->step();
    if (!found) return found.error();
    if (!*found) return std::optional<std::string>();
    const std::int64_t url_id = find->integer(0), number = find->integer(1);
    find->reset();
    Result<KeptText> kept = content_text(connection_, url_id, number);
    if (!kept) return kept.error();
    if (kept->damage.empty()) return std::move(kept->text);
    return Error{"kept versions " + printable(connection_.path()) + ": " + kept->damage,
                 ExitCode::bad_data};
  }

  Connection connection_;
};

}  // namespace

ContentReader::~ContentReader() = default;

Result<std::unique_ptr<ContentReader>> ContentReader::open(const std::string& database) {
  Result<Connection> connection = open_content_to_read(content_path(database));
  if (!connection) return connection.error();
  return std::unique_ptr<ContentReader>(
      std::make_unique<ContentFileReader>(std::move(*connection)));
}

}  // namespace pollux::store
