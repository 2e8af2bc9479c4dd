#include "scenarios/result/result_json.hpp"

#include <functional>
#include <string_view>

#include "scenarios/result/entries.hpp"
#include "scenarios/result/fields.hpp"
#include "scenarios/result/metric_json.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::scenarios {
namespace {

using Json = nlohmann::ordered_json;

template <Record R>
Json to(const R& record);
template <class T>
Json to(const std::optional<T>& value);
template <class T>
Json to(const std::vector<T>& list);
template <class T>
Json to(const Named<T>& list);

Json to(double value) {
  return metric_json(value);
}
template <std::integral T>
Json to(T value) {
  return value;
}
Json to(const std::string& value) {
  return value;
}
Json to(const std::pair<double, double>& pair) {
  return Json::array({to(pair.first), to(pair.second)});
}
template <class T>
Json to(const std::optional<T>& value) {
  return value ? to(*value) : Json(nullptr);
}
template <class T>
Json to(const std::vector<T>& list) {
  Json json = Json::array();
  for (const T& one : list) json.push_back(to(one));
  return json;
}
template <class T>
Json to(const Named<T>& list) {
  Json json = Json::object();
  for (const auto& [name, value] : list) json[name] = to(value);
  return json;
}

// Processes and loads as one list.
Json entries_json(const Result& result);

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
template <class R>
class Writer {
 public:
  Writer(const R* record, Json& json) : record_(record), json_(json) {}

  template <class Get, class Rule>
  void operator()(std::string_view key, const Get& get, const Rule& /*rule*/, About about,
                  Shown shown = Shown::always) {
    put(std::string(key), get, about, shown);
  }
  template <class Get>
  void derived(std::string_view key, const Get& get, About about, Shown shown = Shown::always) {
    put(std::string(key), get, about, shown);
  }
  template <class Get, class Rule>
  void inlined(const Get& get, const Rule& /*rule*/) {
    const auto& part = std::invoke(get, *record_);
    using Part = std::decay_t<decltype(part)>;
    if constexpr (Record<Part>) {
      Writer<Part> rows(&part, json_);
      fields(rows, Of<Part>());
    } else {
      for (const auto& one : part) json_[one.name] = to(one);
    }
  }
  template <class Rows>
  void group(std::string_view key, About /*about*/, const Rows& rows) {
    Writer inside(record_, json_[std::string(key)]);
    rows(inside);
  }
  template <class Rows, class There>
  void group(std::string_view key, About about, const Rows& rows, const There& there) {
    if (there(*record_))
      group(key, about, rows);
    else
      json_[std::string(key)] = nullptr;
  }

 private:
  template <class Get>
  void put(const std::string& key, const Get& get, About about, Shown shown) {
    if (shown == Shown::never) return;
    if (record_ == nullptr) {
      json_[key] = nullptr;
      return;
    }
    const auto& value = std::invoke(get, *record_);
    using Value = std::decay_t<decltype(value)>;
    const bool there = is_there(value);
    if (shown == Shown::if_there && !there) return;
    if (shown == Shown::else_null && !there)
      json_[key] = nullptr;
    else if constexpr (std::is_same_v<Value, std::vector<ProcessResult>>)
      json_[key] = entries_json(*record_);
    else if (shown == Shown::keys && !there)
      put_keys(json_[key], value);
    else
      json_[key] = about.unit == Unit::json ? parsed(value) : to(value);
  }
  template <Record Value>
  void put_keys(Json& json, const std::optional<Value>& /*absent*/) {
    Writer<Value> rows(nullptr, json);
    fields(rows, Of<Value>());
  }
  template <class Value>
  void put_keys(Json& /*json*/, const Value& /*value*/) {}
  static Json parsed(const std::string& text) { return Json::parse(text); }
  template <class Value>
  static Json parsed(const Value& /*value*/) {
    return nullptr;
  }

  const R* record_;
  Json& json_;
};

template <class R>
void put(Json& json, const R& record) {
  Writer<R> rows(&record, json);
  fields(rows, Of<R>());
}

template <Record R>
Json to(const R& record) {
  Json json = Json::object();
  put(json, record);
  return json;
}

// A load has the keys of a process; those that only inference has are null or 0.
Json load_json(const LoadResult& load, const Place& place) {
  ProcessResult none;
  none.index = place.index;
  none.entry = place.entry;
  none.name = load.name;
  none.model = load.load;
  none.batch = 0;
  none.grades.kernels = load.grade;
  Json json = to(none);
  put(json, load);
  return json;
}

Json entries_json(const Result& result) {
  Json json = Json::array();
  in_order(
      result,
      [&json](const ProcessResult& process, const Place& place) {
        json.push_back(to(process));
        json.back()["entry"] = place.entry;
      },
      [&json](const LoadResult& load, const Place& place) { json.push_back(load_json(load, place)); });
  return json;
}

}  // namespace

Json json_of(const Result& result) {
  return to(result);
}
Json json_of(const ProcessResult& process) {
  return to(process);
}

std::string text_of(const Json& result) {
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const Result& result) {
  return text_of(to(result));
}

}  // namespace jostle::scenarios
