// A result as a JSON value, to look into; its text is to_json() of result_text.hpp.
#include <functional>
#include <string_view>

#include "scenarios/result/entries.hpp"
#include "scenarios/result/fields.hpp"
#include "scenarios/result/json_sinks.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::scenarios {
namespace {

template <class Sink, Record R>
void write(Sink& to, const R& record);
template <class Sink, class T>
void write(Sink& to, const std::optional<T>& value);
template <class Sink, class T>
void write(Sink& to, const std::vector<T>& list);
template <class Sink, class T>
void write(Sink& to, const Named<T>& list);

template <class Sink>
void write(Sink& to, double value) {
  to.number(value);
}
template <class Sink, std::integral T>
void write(Sink& to, T value) {
  to.integer(value);
}
template <class Sink>
void write(Sink& to, const std::string& value) {
  to.text(value);
}
template <class Sink>
void write(Sink& to, const std::pair<double, double>& pair) {
  to.begin_array();
  to.number(pair.first);
  to.number(pair.second);
  to.end_array();
}
template <class Sink, class T>
void write(Sink& to, const std::optional<T>& value) {
  if (value)
    write(to, *value);
  else
    to.null();
}
template <class Sink, class T>
void write(Sink& to, const std::vector<T>& list) {
  to.begin_array();
  for (const T& one : list) write(to, one);
  to.end_array();
}
template <class Sink, class T>
void write(Sink& to, const Named<T>& list) {
  to.begin_object();
  for (const auto& [name, value] : list) {
    to.key(name);
    write(to, value);
  }
  to.end_object();
}

// Processes and loads as one list.
template <class Sink>
void write_entries(Sink& to, const Result& result);

template <class T>
bool is_there(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (requires { value.has_value(); })
    return value.has_value();
  else if constexpr (requires { value.empty(); })
    return !value.empty();
  else
    return true;
}

// Visits the rows of a record. Without a record, all metrics are null.
template <class R, class Sink>
class Writer {
 public:
  Writer(const R* record, Sink& to) : record_(record), to_(to) {}

  template <class Get, class Rule>
  void operator()(std::string_view key, const Get& get, const Rule& /*rule*/, About about,
                  Shown shown = Shown::always) {
    put(key, get, about, shown);
  }
  template <class Get>
  void derived(std::string_view key, const Get& get, About about, Shown shown = Shown::always) {
    put(key, get, about, shown);
  }
  template <class Get, class Rule>
  void inlined(const Get& get, const Rule& /*rule*/) {
    const auto& part = std::invoke(get, *record_);
    using Part = std::decay_t<decltype(part)>;
    if constexpr (Record<Part>) {
      Writer<Part, Sink> rows(&part, to_);
      fields(rows, Of<Part>());
    } else {
      for (const auto& one : part) {
        to_.key(one.name);
        write(to_, one);
      }
    }
  }
  template <class Rows>
  void group(std::string_view key, About /*about*/, const Rows& rows) {
    to_.key(key);
    to_.begin_object();
    rows(*this);
    to_.end_group();
  }
  template <class Rows, class There>
  void group(std::string_view key, About about, const Rows& rows, const There& there) {
    if (there(*record_)) return group(key, about, rows);
    to_.key(key);
    to_.null();
  }

 private:
  template <class Get>
  void put(std::string_view key, const Get& get, About about, Shown shown) {
    if (shown == Shown::never) return;
    if (record_ == nullptr) {
      to_.key(key);
      return to_.null();
    }
    const auto& value = std::invoke(get, *record_);
    using Value = std::decay_t<decltype(value)>;
    const bool there = is_there(value);
    if (shown == Shown::if_there && !there) return;
    to_.key(key);
    if (shown == Shown::else_null && !there)
      to_.null();
    else if constexpr (std::is_same_v<Value, std::vector<ProcessResult>>)
      write_entries(to_, *record_);
    else if (shown == Shown::keys && !there)
      put_keys(value);
    else if (about.unit == Unit::json)
      put_json(value);
    else
      write(to_, value);
  }
  template <Record Value>
  void put_keys(const std::optional<Value>& /*absent*/) {
    to_.begin_object();
    Writer<Value, Sink> rows(nullptr, to_);
    fields(rows, Of<Value>());
    to_.end_group();
  }
  template <class Value>
  void put_keys(const Value& /*value*/) {
    to_.null();
  }
  void put_json(const std::string& text) { to_.json(text); }
  template <class Value>
  void put_json(const Value& /*value*/) {
    to_.null();
  }

  const R* record_;
  Sink& to_;
};

template <class Sink, class R>
void write_rows(Sink& to, const R& record) {
  Writer<R, Sink> rows(&record, to);
  fields(rows, Of<R>());
}

template <class Sink, Record R>
void write(Sink& to, const R& record) {
  to.begin_object();
  write_rows(to, record);
  to.end_object();
}

// A load has the keys of a process, of which those that only inference has are null or 0, and then its own.
template <class Sink>
void write_load(Sink& to, const LoadResult& load, const Place& place) {
  ProcessResult none;
  none.index = place.index;
  none.entry = place.entry;
  none.name = load.name;
  none.model = load.load;
  none.batch = 0;
  none.grades.kernels = load.grade;
  to.begin_object();
  write_rows(to, none);
  write_rows(to, load);
  to.end_object();
}

template <class Sink>
void write_entries(Sink& to, const Result& result) {
  to.begin_array();
  in_order(
      result,
      [&to](const ProcessResult& process, const Place& place) {
        if (process.entry == place.entry) return write(to, process);
        ProcessResult placed = process;
        placed.entry = place.entry;
        write(to, placed);
      },
      [&to](const LoadResult& load, const Place& place) { write_load(to, load, place); });
  to.end_array();
}

template <class R>
nlohmann::ordered_json tree_of(const R& record) {
  nlohmann::ordered_json json;
  JsonTree tree(json);
  write(tree, record);
  return json;
}

}  // namespace

nlohmann::ordered_json json_of(const Result& result) {
  return tree_of(result);
}
nlohmann::ordered_json json_of(const ProcessResult& process) {
  return tree_of(process);
}
nlohmann::ordered_json json_of(const Verdict& verdict) {
  return tree_of(verdict);
}

std::string to_json(const Result& result) {
  std::string json;
  JsonText text(json);
  write(text, result);
  return json;
}

}  // namespace jostle::scenarios
