// A thin, checked layer over the C interface: connection, prepared statement, transaction.
//
// Errors are Results. Binding cannot fail by itself: a bind that went wrong (out of memory) is
// reported by the next step(). Threading: a connection and its statements belong to one thread at
// a time.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

namespace pollux::store {

// What a failed call means for the process, and a message with the file and the cure.
Error sqlite_error(const std::string& path, int code, std::string_view detail,
                   std::string_view doing);

class Statement {
 public:
  Statement() = default;
  Statement(sqlite3_stmt* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  // Parameters count from 1.
  Statement& bind(int at, std::int64_t number);
  Statement& bind(int at, double number);
  Statement& bind(int at, std::string_view text);        // the text must live until reset()
  Statement& bind_blob(int at, std::string_view bytes);  // likewise
  Statement& bind_null(int at);
  // For a function of SQL that asks for this type; the type must live as long as the statement.
  Statement& bind_pointer(int at, const void* pointer, const char* type);
  Statement& bind(int at, std::optional<WallTime> time);
  Statement& bind(int at, std::optional<double> number);
  Statement& bind_or_null(int at, std::string_view text);  // empty: NULL

  // True: a row is there. False: done; the statement is reset and may be bound again.
  Result<bool> step();
  Status run();  // steps to the end, ignoring rows
  void reset();

  // Columns count from 0.
  bool is_null(int at) const;
  std::int64_t integer(int at) const;
  double real(int at) const;
  std::string_view text(int at) const;  // valid until the next step; empty for NULL
  std::string_view blob(int at) const;  // likewise
  std::optional<WallTime> time(int at) const;
  std::optional<double> real_or_null(int at) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  Statement& note(int code);

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  std::string path_;
  int bind_problem_ = SQLITE_OK;
};

// One row as for_each_row hands it over. Valid during the call.
class Cells {
 public:
  explicit Cells(sqlite3_value** values) : values_(values) {}

  // Columns count from 0.
  bool is_null(int at) const { return sqlite3_value_type(values_[at]) == SQLITE_NULL; }
  std::int64_t integer(int at) const { return sqlite3_value_int64(values_[at]); }
  double real(int at) const { return sqlite3_value_double(values_[at]); }
  std::string_view text(int at) const {  // empty for NULL
    if (is_null(at)) return {};
    const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(values_[at]));
    if (data == nullptr) return {};
    return {data, static_cast<std::size_t>(sqlite3_value_bytes(values_[at]))};
  }
  std::optional<WallTime> time(int at) const {
    if (is_null(at)) return std::nullopt;
    return WallTime(std::chrono::milliseconds(integer(at)));
  }
  std::optional<double> real_or_null(int at) const {
    return is_null(at) ? std::nullopt : std::optional(real(at));
  }

 private:
  sqlite3_value** values_;
};

class Connection {
 public:
  // `flags` as for sqlite3_open_v2.
  static Result<Connection> open(const std::string& path, int flags);

  Result<Statement> prepare(std::string_view sql) const;
  Status execute(const std::string& sql) const;  // any number of statements, rows ignored
  Result<std::int64_t> integer(std::string_view sql) const;  // the first column of the first row
  Result<std::string> text(std::string_view sql) const;
  // Every row of a table, at half the price of a Statement: fifty columns of a million rows are
  // fifty million questions, and most of the price of one is its way through the interface.
  // `each` ends it by returning false; then the answer is false.
  using EachRow = std::function<bool(const Cells& row)>;
  Result<bool> for_each_row(const std::string& columns, const std::string& table,
                            const EachRow& each) const;
  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }
  Error last_error(std::string_view doing) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  Connection(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

// Rolls back unless commit() succeeded.
class Transaction {
 public:
  explicit Transaction(const Connection& connection) : connection_(connection) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Status begin_writing();
  Status begin_reading();
  Status commit();

 private:
  const Connection& connection_;
};

}  // namespace pollux::store
