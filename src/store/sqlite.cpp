#include "store/sqlite.hpp"

#include "pollux/base/text.hpp"

#include <cmath>
#include <utility>

namespace pollux::store {
namespace {

struct Meaning {
  ExitCode exit_code;
  std::string_view cure;  // empty: the message of SQLite says it all
};

Meaning meaning_of(int code) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return {ExitCode::bad_data, "name another file, or move this one away"};
    case SQLITE_CORRUPT:
      return {ExitCode::bad_data, "restore the newest backup beside it, or move it away"};
    case SQLITE_CANTOPEN:
      return {ExitCode::cannot_create, "check that the folder exists and that you may use it"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ExitCode::cannot_create, "check who owns the file and its folder"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ExitCode::temporary, "another program is writing to it; try again"};
    case SQLITE_FULL:
      return {ExitCode::io, "make room on the disk"};
    case SQLITE_IOERR:
      return {ExitCode::io, "check the disk"};
    case SQLITE_INTERRUPT:
      return {ExitCode::temporary, "start again"};
    default:
      return {ExitCode::software, ""};
  }
}

}  // namespace

Error sqlite_error(const std::string& path, int code, std::string_view detail,
                   std::string_view doing) {
  const Meaning meaning = meaning_of(code);
  std::string message = "database " + printable(path) + ": cannot " + std::string(doing) + ": " +
                        printable(detail) + " (SQLite " + std::to_string(code) + ")";
  if (!meaning.cure.empty()) message += "; " + std::string(meaning.cure);
  return {std::move(message), meaning.exit_code};
}

Statement& Statement::note(int code) {
  if (code != SQLITE_OK) bind_problem_ = code;
  return *this;
}

Statement& Statement::bind(int at, std::int64_t number) {
  return note(sqlite3_bind_int64(handle_.get(), at, number));
}

Statement& Statement::bind(int at, double number) {
  // SQLite stores NaN as NULL, which a NOT NULL column refuses; one odd number must not make a
  // whole batch unwritable for ever.
  return note(sqlite3_bind_double(handle_.get(), at, std::isnan(number) ? 0.0 : number));
}

Statement& Statement::bind(int at, std::string_view text) {
  const char* data = text.data() != nullptr ? text.data() : "";
  return note(
      sqlite3_bind_text64(handle_.get(), at, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

Statement& Statement::bind_blob(int at, std::string_view bytes) {
  const char* data = bytes.data() != nullptr ? bytes.data() : "";
  return note(sqlite3_bind_blob64(handle_.get(), at, data, bytes.size(), SQLITE_STATIC));
}

Statement& Statement::bind_null(int at) {
  return note(sqlite3_bind_null(handle_.get(), at));
}

Statement& Statement::bind_pointer(int at, const void* pointer, const char* type) {
  // SQLite's interface knows no const; whoever takes it out again does.
  return note(sqlite3_bind_pointer(handle_.get(), at, const_cast<void*>(pointer), type, nullptr));
}

Statement& Statement::bind(int at, std::optional<WallTime> time) {
  return time ? bind(at, static_cast<std::int64_t>(time->time_since_epoch().count()))
              : bind_null(at);
}

Statement& Statement::bind(int at, std::optional<double> number) {
  return number ? bind(at, *number) : bind_null(at);
}

Statement& Statement::bind_or_null(int at, std::string_view text) {
  return text.empty() ? bind_null(at) : bind(at, text);
}

Result<bool> Statement::step() {
  const int code = bind_problem_ != SQLITE_OK ? bind_problem_ : sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  sqlite3* database = sqlite3_db_handle(handle_.get());
  Error error = sqlite_error(path_, sqlite3_extended_errcode(database), sqlite3_errmsg(database),
                             sqlite3_stmt_readonly(handle_.get()) != 0 ? "read" : "write");
  reset();
  return error;
}

Status Statement::run() {
  while (true) {
    const Result<bool> row = step();
    if (!row) return row.error();
    if (!*row) return success();
  }
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
  bind_problem_ = SQLITE_OK;
}

bool Statement::is_null(int at) const {
  return sqlite3_column_type(handle_.get(), at) == SQLITE_NULL;
}

std::int64_t Statement::integer(int at) const {
  return sqlite3_column_int64(handle_.get(), at);
}

double Statement::real(int at) const {
  return sqlite3_column_double(handle_.get(), at);
}

// One call for the value and cheap ones on it: a start with a million pages asks forty million
// times.
std::string_view Statement::text(int at) const {
  sqlite3_value* cell = sqlite3_column_value(handle_.get(), at);
  const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(cell));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_value_bytes(cell))};
}

std::string_view Statement::blob(int at) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_.get(), at));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), at))};
}

std::optional<WallTime> Statement::time(int at) const {
  sqlite3_value* cell = sqlite3_column_value(handle_.get(), at);
  if (sqlite3_value_type(cell) == SQLITE_NULL) return std::nullopt;
  return WallTime(std::chrono::milliseconds(sqlite3_value_int64(cell)));
}

std::optional<double> Statement::real_or_null(int at) const {
  sqlite3_value* cell = sqlite3_column_value(handle_.get(), at);
  if (sqlite3_value_type(cell) == SQLITE_NULL) return std::nullopt;
  return sqlite3_value_double(cell);
}

namespace {

constexpr char row_function[] = "pollux_each_row";

// SQLite calls these for an aggregate function: one for every row, one at the end.
void step_row(sqlite3_context* context, int /*count*/, sqlite3_value** values) noexcept {
  const auto* each =
      static_cast<const Connection::EachRow*>(sqlite3_value_pointer(values[0], row_function));
  if (each == nullptr || !(*each)(Cells(values + 1)))
    sqlite3_result_error_code(context, SQLITE_ABORT);
}
void end_rows(sqlite3_context* context) noexcept {
  sqlite3_result_null(context);
}

}  // namespace

Result<Connection> Connection::open(const std::string& path, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Connection connection(handle, path);
  if (code != SQLITE_OK) {
    return sqlite_error(path, code, handle != nullptr ? sqlite3_errmsg(handle) : "out of memory",
                        "open it");
  }
  sqlite3_extended_result_codes(handle, 1);
  if (sqlite3_create_function_v2(handle, row_function, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr,
                                 nullptr, &step_row, &end_rows, nullptr) != SQLITE_OK) {
    return connection.last_error("open it");
  }
  return connection;
}

Result<Statement> Connection::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return last_error("use it");
  return Statement(statement, path_);
}

Status Connection::execute(const std::string& sql) const {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return last_error("write");
  }
  return success();
}

Result<std::int64_t> Connection::integer(std::string_view sql) const {
  Result<Statement> statement = prepare(sql);
  if (!statement) return statement.error();
  const Result<bool> row = statement->step();
  if (!row) return row.error();
  return *row ? statement->integer(0) : std::int64_t{0};
}

Result<std::string> Connection::text(std::string_view sql) const {
  Result<Statement> statement = prepare(sql);
  if (!statement) return statement.error();
  const Result<bool> row = statement->step();
  if (!row) return row.error();
  return std::string(*row ? statement->text(0) : std::string_view{});
}

Result<bool> Connection::for_each_row(const std::string& columns, const std::string& table,
                                      const EachRow& each) const {
  Result<Statement> rows =
      prepare(std::string("SELECT ") + row_function + "(?1, " + columns + ") FROM " + table);
  if (!rows) return rows.error();
  const Status done = rows->bind_pointer(1, &each, row_function).run();
  if (done) return true;
  const bool ended = sqlite3_errcode(handle_.get()) == SQLITE_ABORT;
  return ended ? Result<bool>(false) : Result<bool>(done.error());
}

Error Connection::last_error(std::string_view doing) const {
  return sqlite_error(path_, sqlite3_extended_errcode(handle_.get()), sqlite3_errmsg(handle_.get()),
                      doing);
}

Transaction::~Transaction() {
  // SQLite may have rolled back by itself (a full disk); a second ROLLBACK would only complain.
  if (sqlite3_get_autocommit(connection_.handle()) == 0) {
    sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

Status Transaction::begin_writing() {
  return connection_.execute("BEGIN IMMEDIATE");
}

Status Transaction::begin_reading() {
  return connection_.execute("BEGIN");
}

Status Transaction::commit() {
  return connection_.execute("COMMIT");
}

}  // namespace pollux::store
