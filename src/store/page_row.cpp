#include "store/page_row.hpp"

#include "pollux/store/page_columns.hpp"

namespace pollux::store {
namespace {

template <typename Row>
void read(const Row& row, int at, std::int64_t& value) {
  value = row.integer(at);
}
template <typename Row>
void read(const Row& row, int at, int& value) {
  value = static_cast<int>(row.integer(at));
}
template <typename Row>
void read(const Row& row, int at, double& value) {
  value = row.real(at);
}
template <typename Row>
void read(const Row& row, int at, std::string& value) {
  value = row.text(at);
}
template <typename Row>
void read(const Row& row, int at, std::optional<WallTime>& value) {
  value = row.time(at);
}
template <typename Row>
void read(const Row& row, int at, WallTime& value) {
  value = row.time(at).value_or(WallTime{});
}
template <typename Row>
void read(const Row& row, int at, std::optional<double>& value) {
  value = row.real_or_null(at);
}
template <typename Row>
void read(const Row& row, int at, PageId& value) {
  value = PageId(row.integer(at));
}
template <typename Row>
void read(const Row& row, int at, PageSlot& value) {
  value = PageSlot(static_cast<std::uint32_t>(row.integer(at)));
}

void bind(Statement& statement, int at, std::int64_t value) {
  statement.bind(at, value);
}
void bind(Statement& statement, int at, int value) {
  statement.bind(at, std::int64_t{value});
}
void bind(Statement& statement, int at, double value) {
  statement.bind(at, value);
}
void bind(Statement& statement, int at, const std::string& value) {
  statement.bind(at, std::string_view(value));
}
void bind(Statement& statement, int at, const std::optional<WallTime>& value) {
  statement.bind(at, value);
}
void bind(Statement& statement, int at, const std::optional<double>& value) {
  statement.bind(at, value);
}

bool equals(const Cells& row, int at, const std::string& value) {
  return row.text(at) == value;
}
bool equals(const Cells& row, int at, double value) {
  return row.real(at) == value;
}
bool equals(const Cells& row, int at, std::int64_t value) {
  return row.integer(at) == value;
}

// Adds to a list that is separated by commas.
void append(std::string& list, const std::string& text) {
  if (!list.empty()) list += ", ";
  list += text;
}

std::string parameter(int number) {
  return "?" + std::to_string(number);
}

template <typename Part, typename Value>
std::string assignment(const PageColumn<Part, Value>& column, int number) {
  const std::string name = column.name, told = parameter(number);
  switch (column.traits.write) {
    case Write::keep:
      return name + " = coalesce(" + told + ", " + name + ")";
    case Write::while_active:
      return name + " = iif(state = 'active', " + told + (is_optional<Value> ? ", NULL)" : ", 0)");
    case Write::replace:
      break;
  }
  return name + " = " + told;
}

template <typename Each>
void for_each_progress_column(Each each) {
  for_each_page_column([&]<typename Column>(const Column& column) {
    if constexpr (Column::of_progress) each(column);
  });
}

template <typename Each>
void for_each_option(Each each) {
  for_each_page_column([&]<typename Column>(const Column& column) {
    if constexpr (Column::of_spec) {
      if (column.name != std::string_view("url")) each(column);
    }
  });
}

}  // namespace

const std::string& page_column_list() {
  static const std::string list = [] {
    std::string names;
    for_each_page_column([&](const auto& column) { append(names, column.name); });
    return names;
  }();
  return list;
}

PageRow read_page(const Statement& row) {
  PageRow page;
  read_page(row, page);
  return page;
}

namespace {

template <typename Row>
void read_columns(const Row& row, PageRow& page) {
  int at = 0;
  for_each_page_column([&](const auto& column) { read(row, at++, column.in(page)); });
}

}  // namespace

void read_page(const Statement& row, PageRow& page) {
  read_columns(row, page);
}

void read_page(const Cells& row, PageRow& page) {
  read_columns(row, page);
}

namespace {

template <typename Each>
void for_each_remembered_column(Each each) {
  for_each_progress_column([&](const auto& column) {
    if (column.traits.kept_for == KeptFor::daemon) each(column);
  });
}

}  // namespace

const std::string& remembered_list() {
  static const std::string list = [] {
    std::string names;
    for_each_remembered_column([&](const auto& column) { append(names, column.name); });
    return names;
  }();
  return list;
}

void read_remembered(const Cells& row, int first, PageProgress& progress) {
  for_each_remembered_column(
      [&](const auto& column) { read(row, first++, progress.*column.member); });
}

const std::string& update_progress() {
  static const std::string sql = [] {
    std::string assignments;
    int number = 2;
    for_each_progress_column(
        [&](const auto& column) { append(assignments, assignment(column, number++)); });
    return "UPDATE page SET " + assignments + " WHERE id = ?1";
  }();
  return sql;
}

void bind_progress(Statement& update, PageId page, const PageProgress& progress) {
  update.bind(1, value(page));
  int at = 2;
  for_each_progress_column([&](const auto& column) {
    if (column.unknown_in(progress)) {
      update.bind_null(at++);
    } else {
      bind(update, at++, progress.*column.member);
    }
  });
}

const std::string& option_list() {
  static const std::string list = [] {
    std::string names;
    for_each_option([&](const auto& column) { append(names, column.name); });
    return names;
  }();
  return list;
}

int option_count() {
  int count = 0;
  for_each_option([&](const auto&) { ++count; });
  return count;
}

std::string option_parameters(int first) {
  std::string list;
  for_each_option([&](const auto&) { append(list, parameter(first++)); });
  return list;
}

std::string option_assignments(int first) {
  std::string list;
  for_each_option([&](const auto& column) { append(list, assignment(column, first++)); });
  return list;
}

void bind_options(Statement& statement, int first, const PageSpec& spec) {
  for_each_option([&](const auto& column) { bind(statement, first++, spec.*column.member); });
}

bool same_options(const Cells& row, int first, const PageSpec& spec) {
  bool same = true;
  for_each_option([&](const auto& column) {
    same = same && equals(row, first, spec.*column.member);
    ++first;
  });
  return same;
}

}  // namespace pollux::store
