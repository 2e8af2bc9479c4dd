#include "calibration/logs/sqlite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "input/file.hpp"
#include "input/interruption.hpp"

namespace jostle::calibration::sqlite {
namespace {

constexpr int longest_value = 1 << 24;
constexpr int steps_between_polls = 100'000;

// The URI of a file for SQLite; immutable, so that SQLite writes no files next to it.
std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

int stopped(void*) {
  return input::interruption() ? 1 : 0;
}

}  // namespace

Database::Database(Source& source) {
  if (source.zipped()) {
    failure_ = "the database is compressed: decompress it first (gunzip)";
    return;
  }
  const std::string* const text = source.text();
  if (text == nullptr && source.origin() == input::file_name("-")) {
    failure_ = "a database cannot be read from standard input: give its file";
    return;
  }
  const std::string name = text != nullptr ? ":memory:" : uri_of(source.origin());
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_URI | (text != nullptr ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  const int opened = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (opened != SQLITE_OK) {
    fail();
    return;
  }
  if (text != nullptr) {
    auto* const copy = static_cast<unsigned char*>(sqlite3_malloc64(std::max<std::size_t>(text->size(), 1)));
    if (copy == nullptr) {
      failure_ = "no memory";
      return;
    }
    std::memcpy(copy, text->data(), text->size());
    const auto size = static_cast<sqlite3_int64>(text->size());
    sqlite3_deserialize(handle, "main", copy, size, size,
                        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
  }
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_value);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_progress_handler(handle, steps_between_polls, stopped, nullptr);
  Rows rows(*this, "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'");
  while (rows.next()) tables_.emplace_back(rows.text(0));
}

void Database::fail() {
  input::throw_if_interrupted();
  if (!failure_.empty()) return;
  const char* const message = handle_ ? sqlite3_errmsg(handle_.get()) : "no memory";
  failure_ = fmt::format("the database cannot be read: {}", message);
}

bool Database::has_table(std::string_view name) const {
  return std::ranges::find(tables_, name) != tables_.end();
}

std::optional<std::string> Database::column(const std::string& table,
                                            const std::vector<std::string>& columns) {
  std::vector<std::string> there;
  Rows rows(*this, fmt::format("PRAGMA table_info(\"{}\")", table));
  while (rows.next()) there.emplace_back(rows.text(1));
  for (const std::string& name : columns) {
    if (std::ranges::find(there, name) != there.end()) return name;
  }
  return std::nullopt;
}

Rows::Rows(Database& database, const std::string& sql) : database_(database) {
  if (!database.failure_.empty()) return;
  sqlite3_stmt* statement = nullptr;
  const int prepared = sqlite3_prepare_v2(database.handle_.get(), sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (prepared != SQLITE_OK) database.fail();
}

bool Rows::next() {
  if (!statement_ || !database_.failure_.empty()) return false;
  const int result = sqlite3_step(statement_.get());
  if (result != SQLITE_ROW && result != SQLITE_DONE) database_.fail();
  return result == SQLITE_ROW;
}

std::string_view Rows::text(int column) const {
  const auto* const begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (begin == nullptr) return {};
  return {begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

}  // namespace jostle::calibration::sqlite
