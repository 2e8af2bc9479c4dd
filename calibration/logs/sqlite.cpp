#include "calibration/logs/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>

#include "input/file.hpp"
#include "input/problems.hpp"

namespace jostle::calibration::sqlite {
namespace {

// Makes the text of a file the contents of a database in memory.
void fill(sqlite3* handle, const std::string& text) {
  auto* const copy = static_cast<unsigned char*>(sqlite3_malloc64(std::max<std::size_t>(text.size(), 1)));
  if (copy == nullptr) throw analyses::DatabaseError("no memory");
  std::memcpy(copy, text.data(), text.size());
  const auto size = static_cast<sqlite3_int64>(text.size());
  sqlite3_deserialize(handle, "main", copy, size, size,
                      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
}

}  // namespace

template <class F>
void Database::attempt(const F& f) {
  if (!failure_.empty()) return;
  const auto fail = [this](const std::exception& error) {
    failure_ = fmt::format("the database cannot be read: {}", error.what());
  };
  try {
    f();
  } catch (const analyses::DatabaseError& error) {
    fail(error);
  } catch (const input::Refused& error) {
    fail(error);
  }
}

Database::Database(Source& source) {
  const std::string* const text = source.zipped() ? nullptr : source.text();
  if (source.zipped())
    failure_ = "the database is compressed: decompress it first (gunzip)";
  else if (text == nullptr && source.origin() == input::file_name("-"))
    failure_ = "a database cannot be read from standard input: give its file";
  attempt([&] {
    database_.emplace(text != nullptr ? "" : source.origin(),
                      text != nullptr ? analyses::Access::write : analyses::Access::read);
    if (text != nullptr) fill(database_->handle(), *text);
  });
  Rows rows(*this, "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'");
  while (rows.next()) tables_.emplace_back(rows.text(0));
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
  database.attempt([&] { statement_.emplace(*database.database_, sql); });
}

bool Rows::next() {
  bool row = false;
  if (statement_) database_.attempt([&] { row = statement_->step(); });
  return row;
}

}  // namespace jostle::calibration::sqlite
