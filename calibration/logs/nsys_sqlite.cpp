// Reads the SQLite export of Nsight Systems: kernels, copies, CUDA calls, the links between them, and
// scheduler events. Its tables depend on the version and on what was traced; each is used if present. Times
// are in ns.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyses/study/database.hpp"
#include "calibration/logs/formats.hpp"
#include "calibration/logs/log_text.hpp"
#include "calibration/logs/source.hpp"
#include "calibration/logs/timed_calls.hpp"
#include "input/file.hpp"
#include "input/problems.hpp"

namespace jostle::calibration {
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

// Read-only access to an untrusted SQLite file; tables and columns are looked up, not assumed.
class LogDatabase {
 public:
  explicit LogDatabase(Source& source);
  // The failure, if there was one; otherwise empty.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // True for real tables only: no views, no virtual tables.
  [[nodiscard]] bool has_table(std::string_view name) const {
    return std::ranges::find(tables_, name) != tables_.end();
  }
  // The first of `columns` that the table has.
  [[nodiscard]] std::optional<std::string> column(const std::string& table,
                                                  const std::vector<std::string>& columns);

 private:
  friend class LogRows;
  // Does something with the database, whose failure is kept.
  template <class F>
  void attempt(const F& f) {
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

  std::optional<analyses::Database> database_;
  std::vector<std::string> tables_;
  std::string failure_;
};

// The rows of a SELECT, one after another; none after a failure.
class LogRows {
 public:
  LogRows(LogDatabase& database, const std::string& sql) : database_(database) {
    database.attempt([&] { statement_.emplace(*database.database_, sql); });
  }
  [[nodiscard]] bool next() {
    bool row = false;
    if (statement_) database_.attempt([&] { row = statement_->step(); });
    return row;
  }
  [[nodiscard]] bool is_text(int column) const { return !is_null(column) && !statement_->is_number(column); }
  [[nodiscard]] bool is_null(int column) const { return statement_->is_null(column); }
  [[nodiscard]] std::int64_t integer(int column) const { return statement_->integer(column); }
  [[nodiscard]] double real(int column) const { return statement_->real(column); }
  [[nodiscard]] std::string_view text(int column) const { return statement_->text(column); }

 private:
  LogDatabase& database_;
  std::optional<analyses::SqlStatement> statement_;
};

LogDatabase::LogDatabase(Source& source) {
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
  LogRows rows(*this,
               "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'");
  while (rows.next()) tables_.emplace_back(rows.text(0));
}

std::optional<std::string> LogDatabase::column(const std::string& table,
                                               const std::vector<std::string>& columns) {
  std::vector<std::string> there;
  LogRows rows(*this, fmt::format("PRAGMA table_info(\"{}\")", table));
  while (rows.next()) there.emplace_back(rows.text(1));
  for (const std::string& name : columns) {
    if (std::ranges::find(there, name) != there.end()) return name;
  }
  return std::nullopt;
}

constexpr std::size_t max_ids = 100'000;  // limits for names and threads
constexpr int process_shift = 24;         // a global thread id holds the process above 24 bits for the thread

// The name without its version: "cudaLaunchKernel" for "cudaLaunchKernel_v7000".
std::string_view without_version(std::string_view call) {
  const std::size_t at = call.rfind("_v");
  if (at == std::string_view::npos || at + 2 == call.size()) return call;
  return call.substr(at + 2).find_first_not_of("0123456789") == std::string_view::npos ? call.substr(0, at)
                                                                                       : call;
}

// A launch id that is unique over all processes.
std::uint64_t launch_id(std::int64_t correlation, std::int64_t global) {
  const auto process = static_cast<std::uint64_t>(global) >> process_shift;
  return static_cast<std::uint64_t>(correlation) ^ (process << 32U);
}

// A table of intervals, read row by row.
class Intervals {
 public:
  Intervals(LogDatabase& database, const std::string& table, const std::vector<std::string>& names) {
    if (!database.has_table(table) || !database.column(table, {"start"}) || !database.column(table, {"end"}))
      return;
    const auto name = database.column(table, names);
    const auto global = database.column(table, {"globalPid", "globalTid"});
    const auto correlation = database.column(table, {"correlationId"});
    const auto column = [](const std::optional<std::string>& found) {
      return found ? "\"" + *found + "\"" : "NULL";
    };
    rows_.emplace(database, fmt::format("SELECT start, \"end\", {}, {}, {} FROM \"{}\"", column(name),
                                        column(correlation), column(global), table));
    linked_ = correlation.has_value();
    next();
  }
  void next() { there_ = rows_ && rows_->next(); }
  [[nodiscard]] bool there() const { return there_; }
  [[nodiscard]] bool linked() const { return linked_ && !rows_->is_null(3); }
  [[nodiscard]] std::int64_t start() const { return rows_->integer(0); }
  [[nodiscard]] double duration_ns() const { return rows_->real(1) - rows_->real(0); }
  // The current row; its name is a string's id, or the string itself.
  [[nodiscard]] const LogRows& row() const { return *rows_; }
  [[nodiscard]] std::int64_t name_id() const { return rows_->integer(2); }
  [[nodiscard]] std::uint64_t launch() const { return launch_id(rows_->integer(3), rows_->integer(4)); }
  [[nodiscard]] std::int64_t global() const { return rows_->integer(4); }

 private:
  std::optional<LogRows> rows_;
  bool there_ = false, linked_ = false;
};

// Collects durations by the id of a name, until the names are known.
class ByName {
 public:
  bool add(const Intervals& interval) {
    const double us = interval.duration_ns() / 1000;
    if (!(us >= 0 && us <= max_number)) return false;
    if (interval.row().is_text(2)) {
      named_.add(without_version(interval.row().text(2)), us);
      return true;
    }
    const std::int64_t id = interval.row().is_null(2) ? -1 : interval.name_id();
    if (by_id_.size() >= max_ids && !by_id_.contains(id)) return false;
    by_id_[id].add(us);
    return true;
  }
  void name(std::int64_t id, std::string_view text) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return;
    named_.add(without_version(text), found->second);
    by_id_.erase(found);
  }
  // The durations by name. Call when all names are known.
  TimedCalls& named() {
    Moments rest;
    for (const auto& [id, moments] : std::map<std::int64_t, Moments>(by_id_.begin(), by_id_.end()))
      rest.add(moments);
    by_id_.clear();
    if (rest.count > 0) named_.add("(unnamed)", rest);
    return named_;
  }

 private:
  std::unordered_map<std::int64_t, Moments> by_id_;
  TimedCalls named_;
};

class NsysSqliteReading {
 public:
  NsysSqliteReading(Source& source, input::Problems& problems)
      : source_(source), problems_(problems), database_(source) {}

  std::vector<Import> run() {
    read_launches();
    read_all(copies_, "CUPTI_ACTIVITY_KIND_MEMCPY", {"copyKind"});
    read_all(memsets_, "CUPTI_ACTIVITY_KIND_MEMSET", {"memKind"});
    read_all(graphs_, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {"graphId"});
    read_all(os_calls_, "OSRT_API", {"nameId"});
    read_names();
    read_scheduler();
    read_gpu();
    Import result = finish();
    if (wrong_.empty()) wrong_ = database_.failure();
    if (wrong_.empty() && result.rows.empty())
      wrong_ =
          "the database has no kernels, CUDA calls or scheduler events: it is not an export of nsys, or "
          "nothing was traced";
    if (wrong_.empty()) return {std::move(result)};
    source_.fail(problems_, 0, wrong_);
    return {};
  }

 private:
  // Merges kernels and calls in the order of time; each table is written in that order.
  void read_launches() {
    Intervals kernels(database_, "CUPTI_ACTIVITY_KIND_KERNEL", {"shortName", "demangledName", "name"});
    Intervals calls(database_, "CUPTI_ACTIVITY_KIND_RUNTIME", {"nameId", "name"});
    Intervals driver(database_, "CUPTI_ACTIVITY_KIND_DRIVER", {"nameId", "name"});
    while (wrong_.empty() && (kernels.there() || calls.there() || driver.there())) {
      Intervals* first = nullptr;
      for (Intervals* const table : {&calls, &driver, &kernels}) {
        if (table->there() && (first == nullptr || table->start() < first->start())) first = table;
      }
      const bool kernel = first == &kernels;
      if (!(kernel ? kernels_ : calls_).add(*first))
        wrong_ = "an interval that ends before it starts, or too many names";
      if (kernel && !first->row().is_null(2) && !first->row().is_text(2))
        in_order_.add(first->name_id(), first->start(), first->duration_ns());
      const double start_us = static_cast<double>(first->start()) / 1000;
      if (first->linked())
        kernel ? pairs_.kernel(first->launch(), start_us) : pairs_.call(first->launch(), start_us);
      if (!kernel && callers_.size() < max_ids) callers_.insert(first->global());
      first->next();
    }
  }

  void read_all(ByName& into, const std::string& table, const std::vector<std::string>& names) {
    Intervals intervals(database_, table, names);
    for (; wrong_.empty() && intervals.there(); intervals.next()) {
      if (!into.add(intervals)) wrong_ = "an interval that ends before it starts, or too many names";
    }
  }

  void read_names() {
    batch_ = in_order_.batch();
    if (database_.has_table("StringIds")) {
      LogRows rows(database_, "SELECT id, value FROM StringIds");
      while (rows.next()) {
        for (ByName* const table : {&kernels_, &calls_, &os_calls_})
          table->name(rows.integer(0), rows.text(1));
        for (RepeatedKernels::Kernel& kernel : batch_)
          if (kernel.name == rows.integer(0)) kernel.time.of = std::string(rows.text(1));
      }
    }
    if (database_.has_table("ENUM_CUDA_MEMCPY_OPER")) {
      const auto label = database_.column("ENUM_CUDA_MEMCPY_OPER", {"label", "name"});
      LogRows rows(database_, fmt::format("SELECT id, {} FROM ENUM_CUDA_MEMCPY_OPER", label.value_or("id")));
      while (rows.next()) copies_.name(rows.integer(0), rows.text(1));
    }
    // The names of CUpti_ActivityMemcpyKind.
    constexpr std::string_view kinds[]{"unknown",         "Host-to-Device",  "Device-to-Host",
                                       "Host-to-Array",   "Array-to-Host",   "Array-to-Array",
                                       "Array-to-Device", "Device-to-Array", "Device-to-Device",
                                       "Host-to-Host",    "Peer-to-Peer"};
    for (std::size_t i = 0; i < std::size(kinds); ++i) copies_.name(static_cast<std::int64_t>(i), kinds[i]);
  }

  // Reads the lengths of intervals in which threads were running and not running, for threads that call CUDA,
  // or for all threads if none is known to do so.
  void read_scheduler() {
    if (!database_.has_table("SCHED_EVENTS")) return;
    for (const char* const needed : {"start", "isSchedIn", "globalTid"}) {
      if (!database_.column("SCHED_EVENTS", {needed})) return;
    }
    struct State {
      std::int64_t since;
      bool in;
    };
    std::unordered_map<std::int64_t, State> threads;
    LogRows rows(database_, "SELECT start, isSchedIn, globalTid FROM SCHED_EVENTS ORDER BY start");
    while (rows.next()) {
      const std::int64_t thread = rows.integer(2);
      if (!callers_.empty() && !callers_.contains(thread)) continue;
      const State now{rows.integer(0), rows.integer(1) != 0};
      const auto [found, is_new] = threads.emplace(thread, now);
      if (!is_new && found->second.in != now.in) {
        const double us = (static_cast<double>(now.since) - static_cast<double>(found->second.since)) / 1000;
        (now.in ? off_ : on_).add(us);
      }
      found->second = now;
      if (threads.size() > max_ids) wrong_ = "too many threads";
      if (!wrong_.empty()) return;
    }
  }

  void read_gpu() {
    if (!database_.has_table("TARGET_INFO_GPU")) return;
    const auto number = [this](const std::vector<std::string>& names) -> std::optional<double> {
      const auto column = database_.column("TARGET_INFO_GPU", names);
      if (!column) return std::nullopt;
      LogRows rows(database_, fmt::format("SELECT \"{}\" FROM TARGET_INFO_GPU LIMIT 1", *column));
      return rows.next() && !rows.is_null(0) ? std::optional(rows.real(0)) : std::nullopt;
    };
    LogRows count(database_, "SELECT COUNT(*) FROM TARGET_INFO_GPU");
    if (!count.next() || count.integer(0) != 1) return;
    if (database_.column("TARGET_INFO_GPU", {"name"})) {
      LogRows rows(database_, "SELECT name FROM TARGET_INFO_GPU LIMIT 1");
      if (rows.next()) setting_.gpu = std::string(rows.text(0).substr(0, 100));
    }
    const auto major = number({"computeMajor"}), minor = number({"computeMinor"}), sms = number({"smCount"});
    if (major && minor && *major > 0 && *major < 100 && *minor >= 0 && *minor < 100)
      setting_.compute_capability = fmt::format("{:g}.{:g}", *major, *minor);
    if (sms && *sms >= 1 && *sms < 1e6) setting_.sms = static_cast<std::int64_t>(*sms);
    setting_.memory_bytes = number({"totalMemory"});
  }

  void add_batch(Import& result) {
    for (RepeatedKernels::Kernel& kernel : batch_) {
      if (kernel.time.of.empty()) kernel.time.of = "(unnamed)";
      result.rows.push_back(std::move(kernel.time));
    }
    if (!batch_.empty())
      result.notes.push_back(
          fmt::format("layer_time: the {} kernels of a batch, which repeat in this order", batch_.size()));
  }

  Import finish() {
    Import result{.format = "nsys-sqlite", .origin = source_.origin(), .setting = setting_};
    result.setting.tool = "nsys";
    result.setting.observer = "nsys";
    kernels_.named().rows("kernel_time", true, result.rows);
    add_batch(result);
    graphs_.named().rows("graph_time", false, result.rows);
    copies_.named().rows("copy_time", false, result.rows);
    memsets_.named().rows("memset_time", false, result.rows);
    std::vector<Measurement> calls;
    calls_.named().rows("api_call", false, calls);
    for (Measurement& call : calls) {
      call.metric = call_metric(call.of);
      result.rows.push_back(std::move(call));
    }
    os_calls_.named().rows("os_call", false, result.rows);
    pairs_.rows(result);
    for (const auto& [metric, moments] : {std::pair("sched_run", &on_), std::pair("sched_off", &off_)}) {
      if (moments->count == 0) continue;
      result.rows.push_back({.metric = metric,
                             .value = moments->mean,
                             .unit = "us",
                             .sd = moments->sd(),
                             .count = moments->count});
    }
    if (on_.count + off_.count > 0)
      result.notes.push_back(callers_.empty() ? "sched_run and sched_off are of all threads"
                                              : "sched_run and sched_off are of the threads that call CUDA");
    if (!calls.empty()) result.notes.emplace_back(profiled_calls);
    return result;
  }

  Source& source_;
  input::Problems& problems_;
  LogDatabase database_;
  std::string wrong_;
  ByName kernels_, calls_, copies_, memsets_, graphs_, os_calls_;
  RepeatedKernels in_order_;
  std::vector<RepeatedKernels::Kernel> batch_;
  LaunchPairs pairs_;
  std::unordered_set<std::int64_t> callers_;
  Moments on_, off_;
  Setting setting_;
};

}  // namespace

std::vector<Import> read_nsys_sqlite(Source& source, input::Problems& problems) {
  return NsysSqliteReading(source, problems).run();
}

}  // namespace jostle::calibration
