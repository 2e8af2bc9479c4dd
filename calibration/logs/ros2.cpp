// Traces of ROS 2 (ros2_tracing) as scenarios: the callback that runs a network, with those before it and
// behind it by their topics as stages of measured times, becomes a process; other callbacks are loads. Read
// are the lines that babeltrace2 prints of a trace, and a CSV file of its events with the fields that
// tracetools_analysis gives them. Events and fields: tracetools/include/tracetools/tp_call.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "calibration/logs/imported_scenario.hpp"
#include "calibration/logs/log_text.hpp"

namespace jostle::calibration {
namespace {

constexpr std::string_view provider = "ros2:";
constexpr const char* how = "babeltrace2 FOLDER > trace.txt, of a trace with the events ros2:*";

using Id = std::pair<std::uint64_t, std::uint64_t>;  // a process and an address in it

struct RosEvent {
  double time_s = 0;  // 0: not said
  std::string name;   // "callback_start"
  std::map<std::string, std::string> fields = {};

  [[nodiscard]] std::string text(const std::string& key) const {
    return fields.contains(key) ? fields.at(key) : "";
  }
  // A whole number, as babeltrace2 (hexadecimal) and pandas (with ".0") print it; 0: none.
  [[nodiscard]] std::uint64_t number(const std::string& key) const {
    const std::string text = this->text(key);
    const bool hex = text.starts_with("0x");
    std::uint64_t value = 0;
    std::from_chars(text.data() + (hex ? 2 : 0), text.data() + text.size(), value, hex ? 16 : 10);
    return value;
  }
};

// "14:30:42.123456789", with or without a date, or seconds; 0: neither.
double seconds_in(std::string_view text) {
  text.remove_prefix(std::min(text.rfind(' ') + 1, text.size()));
  double sum = 0;
  for (std::size_t colon = 0; colon != std::string_view::npos;) {
    colon = text.find(':');
    const auto part = parse_number(text.substr(0, colon));
    if (!part || *part < 0) return 0;
    sum = 60 * sum + *part;
    text.remove_prefix(std::min(colon, text.size() - 1) + 1);
  }
  return sum;
}

// A line of babeltrace2, "[time] (+delta) host ros2:name: { key = value, … }, { … }"; none: another
// provider's.
std::optional<RosEvent> event_of(std::string_view line) {
  const auto brace = std::min(line.find('{'), line.size()), provided = line.substr(0, brace).find(provider);
  if (provided == std::string_view::npos) return std::nullopt;
  const std::string_view name = line.substr(0, brace).substr(provided + provider.size());
  RosEvent event{0, std::string(name.substr(0, name.find(':')))};
  if (line.starts_with('[')) event.time_s = seconds_in(line.substr(1, line.find(']') - 1));
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const std::string_view text = line.substr(brace);
  for (std::size_t at = text.find(" = "); at != std::string_view::npos; at = text.find(" = ", at)) {
    std::size_t begin = at;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    const std::string key(text.substr(begin, at - begin));
    at += 3;
    const bool quoted = text.substr(at).starts_with('"');
    std::string value;
    for (at += quoted ? 1 : 0; at < text.size() && (quoted ? text[at] != '"' : is_word(text[at])); ++at) {
      if (quoted && text[at] == '\\' && at + 1 < text.size()) ++at;
      value += text[at];
    }
    event.fields.emplace(key, value);
  }
  return event;
}

std::optional<RosEvent> event_of(const std::vector<std::string>& header,
                                 const std::vector<std::string>& row) {
  RosEvent event;
  for (std::size_t i = 0; i < header.size(); ++i)
    if (!row[i].empty()) event.fields.emplace(header[i], row[i]);
  const std::string name = event.text("_name");
  if (!name.starts_with(provider)) return std::nullopt;
  event.name = name.substr(provider.size());
  event.time_s = static_cast<double>(event.number("_timestamp")) / 1e9;
  return event;
}

// A thing as a trace introduces it before its use: whose it is, and its name.
struct TraceRow {
  std::string_view event;
  const char *thing, *owner = nullptr, *name = nullptr;
};
constexpr TraceRow trace_rows[]{
    {"rcl_node_init", "node_handle", nullptr, "node_name"},
    {"rcl_publisher_init", "publisher_handle", "node_handle", "topic_name"},
    {"rcl_subscription_init", "subscription_handle", "node_handle", "topic_name"},
    {"rclcpp_subscription_init", "subscription", "subscription_handle"},
    {"rclcpp_subscription_callback_added", "callback", "subscription"},
    {"rclcpp_subscription_callback_added", "callback", "subscription_handle"},  // Dashing
    {"rcl_service_init", "service_handle", "node_handle", "service_name"},
    {"rclcpp_service_callback_added", "callback", "service_handle"},
    {"rcl_timer_init", "timer_handle"},
    {"rclcpp_timer_link_node", "timer_handle", "node_handle"},
    {"rclcpp_timer_callback_added", "callback", "timer_handle"},
    {"rclcpp_callback_register", "callback", nullptr, "symbol"}};
struct Thing {
  Id owner;
  std::string name;
  std::string_view event;  // the one that told of it first
  double period_s = 0;     // a timer's
};

struct RosCallback {
  std::string node, what, symbol;  // "/camera"; its topic, service or "timer"; its function. Empty: not said
  bool subscribes = false;
  double period_s = 0;             // a timer's
  std::vector<double> times_s;     // durations of those that ended
  double first_s = 0, last_s = 0;  // its starts
  int at_once = 1;                 // the most of it that ran at one time
  std::set<std::string> publishes;
  std::set<std::uint64_t> threads;  // 0: not said

  [[nodiscard]] std::string label() const { return node + " " + (what.empty() ? symbol : what); }
  [[nodiscard]] double total_s() const { return std::accumulate(times_s.begin(), times_s.end(), 0.0); }
  [[nodiscard]] double median_s() const {
    std::vector<double> sorted = times_s;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
};

class TraceReader {
 public:
  void add(const RosEvent& event) {
    process_ = event.number("vpid");
    thread_ = (process_ << 24U) | event.number("vtid");
    constexpr double day = 86'400;  // a clock of a day begins anew at midnight
    if (event.time_s + day_ < now_ - day / 2) day_ += day;
    now_ = event.time_s + day_;
    if (event.name == "callback_start") start(id(event, "callback"));
    if (event.name == "callback_end") end(id(event, "callback"));
    const auto publisher = things_.find(id(event, "publisher_handle"));
    if (event.name.ends_with("_publish") && publisher != things_.end() && !open_[thread_].empty())
      callbacks_[open_[thread_].back().first].publishes.insert(publisher->second.name);
    for (const TraceRow& row : trace_rows)
      if (row.event == event.name && (row.owner == nullptr || event.fields.contains(row.owner)))
        note(event, row);
  }

  // Callbacks that ended, in the order in which they first started.
  [[nodiscard]] std::vector<RosCallback> take() {
    std::vector<RosCallback> all;
    for (const Id& id : order_)
      if (!callbacks_[id].times_s.empty()) all.push_back(std::move(callbacks_[id]));
    return all;
  }

 private:
  [[nodiscard]] Id id(const RosEvent& event, const char* key) const { return {process_, event.number(key)}; }

  void note(const RosEvent& event, const TraceRow& row) {
    Thing& thing = things_[id(event, row.thing)];
    if (thing.event.empty()) thing.event = row.event;
    if (row.owner != nullptr) thing.owner = id(event, row.owner);
    if (row.name != nullptr) thing.name = event.text(row.name);
    thing.period_s = std::max(thing.period_s, static_cast<double>(event.number("period")) / 1e9);
    const std::string space = event.text("namespace");
    if (row.event == "rcl_node_init") thing.name = space + (space.ends_with('/') ? "" : "/") + thing.name;
  }

  void start(const Id& of) {
    const auto [at, is_new] = callbacks_.try_emplace(of);
    RosCallback& callback = at->second;
    if (is_new) {
      callback.first_s = now_;
      callback.symbol = things_[of].name;
      order_.push_back(of);
      // Whose callback it is: that of a subscription, timer or service, and of a node.
      Id owner = things_[of].owner;
      for (int depth = 0; depth < 3 && owner != Id{}; ++depth, owner = things_[owner].owner) {
        const Thing& thing = things_[owner];
        callback.subscribes = callback.subscribes || thing.event == "rcl_subscription_init";
        callback.period_s = std::max(callback.period_s, thing.period_s);
        (thing.event == "rcl_node_init" ? callback.node : callback.what) =
            thing.event == "rcl_timer_init" ? "timer" : thing.name;
      }
    }
    callback.last_s = now_;
    callback.threads.insert(thread_);
    open_[thread_].emplace_back(of, now_);
    const auto runs = [&](const auto& thread) {
      return std::ranges::any_of(thread.second, [&](const auto& open) { return open.first == of; });
    };
    callback.at_once = std::max(callback.at_once, static_cast<int>(std::ranges::count_if(open_, runs)));
  }

  void end(const Id& of) {
    auto& open = open_[thread_];
    while (!open.empty() && open.back().first != of) open.pop_back();  // whose ends were lost
    if (open.empty()) return;
    callbacks_[of].times_s.push_back(now_ - open.back().second);
    open.pop_back();
  }

  std::map<Id, Thing> things_;
  std::map<Id, RosCallback> callbacks_;
  std::vector<Id> order_;
  std::map<std::uint64_t, std::vector<std::pair<Id, double>>> open_;  // by thread: callbacks, and since when
  std::uint64_t process_ = 0, thread_ = 0;
  double now_ = 0, day_ = 0;
};

// None, with a problem, if there are none.
std::vector<RosCallback> callbacks_in(Source& source, input::Problems& problems) {
  TraceReader reader;
  std::string_view line;
  std::vector<std::string> header, row;
  while (source.next_line(line)) {
    if (source.line() == 1 && line.find("_timestamp") != std::string_view::npos && split_fields(line, header))
      continue;
    const bool good = header.empty() || (split_fields(line, row) && row.size() == header.size());
    const auto event = header.empty() ? event_of(line) : good ? event_of(header, row) : std::nullopt;
    if (!good || (event && event->time_s <= 0)) {
      const char* const why = good ? "an event without its time" : "not as many fields as names";
      source.fail(problems, source.line(), why, how);
      return {};
    }
    if (event) reader.add(*event);
  }
  std::vector<RosCallback> callbacks = reader.take();
  if (source.failure().empty() && !callbacks.empty()) return callbacks;
  const std::string none = "no callback of ROS 2 begins and ends in it";
  source.fail(problems, source.line(), source.failure().empty() ? none : source.failure(), how);
  return {};
}

class RosImport {
 public:
  RosImport(const std::vector<RosCallback>& all, const ImportWishes& wishes)
      : all_(all), wishes_(wishes), executor_(all.size()), used_(all.size()) {
    // Callbacks that one thread runs have one executor.
    std::iota(executor_.begin(), executor_.end(), std::size_t{0});
    std::map<std::uint64_t, std::size_t> first;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const std::uint64_t thread : all[i].threads)
        std::ranges::replace(executor_, std::size_t{executor_[i]},
                             std::size_t{executor_[first.emplace(thread, i).first->second]});
  }

  // Empty if no callback runs a network.
  [[nodiscard]] std::string body() {
    ImportWishes by_name = wishes_;
    by_name.model.clear();
    for (std::size_t i = 0; i < all_.size(); ++i) {  // the callback of most time of each node
      const auto network = imported_network("", all_[i].label() + " " + all_[i].symbol, by_name);
      const auto same =
          std::ranges::find(networks_, all_[i].node, [&](const auto& one) { return all_[one.first].node; });
      if (!network || (same != networks_.end() && all_[same->first].total_s() >= all_[i].total_s())) continue;
      if (same != networks_.end()) networks_.erase(same);
      networks_.emplace(i, network->model);
    }
    if (!wishes_.model.empty())
      networks_ = {{networks_.size() == 1 ? networks_.begin()->first : busiest(), wishes_.model}};
    if (networks_.empty()) return {};
    std::string text = board_keys(wishes_, "jetson-agx-orin-64gb", unsaid_) + "processes:\n";
    for (const auto& [callback, network] : networks_) text += process_text(callback, network);
    for (std::size_t executor = 0; executor < all_.size(); ++executor) text += load_text(executor);
    unsaid_.emplace_back(
        "times of callbacks are taken at the clock that the profile's cores refer to; what passes between a "
        "message and its callback is left out");
    if (std::ranges::any_of(all_, [](const RosCallback& one) { return one.threads.contains(0); }))
      unsaid_.emplace_back("the threads of executors: one is taken (lttng add-context -u -t vpid -t vtid)");
    return text + "run: {duration: 10 s, warmup: 2 s}\n";
  }
  [[nodiscard]] std::vector<std::string> unsaid() { return std::move(unsaid_); }
  [[nodiscard]] std::size_t busiest() const {  // the callback of most time
    const auto most = std::ranges::max_element(all_, {}, &RosCallback::total_s);
    return static_cast<std::size_t>(most - all_.begin());
  }

 private:
  // The callback whose messages start this one, or that this one's start: the most frequent, or itself.
  [[nodiscard]] std::size_t neighbour(std::size_t of, bool before) const {
    std::size_t best = of;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const RosCallback &first = all_[before ? i : of], &second = all_[before ? of : i];
      if (i != of && second.subscribes && first.publishes.contains(second.what) &&
          (best == of || all_[i].times_s.size() > all_[best].times_s.size()))
        best = i;
    }
    return best;
  }
  // The callbacks before or behind the network's, nearest first, up to another network's.
  [[nodiscard]] std::vector<std::size_t> chain(std::size_t at, bool before) {
    std::vector<std::size_t> found;
    for (std::size_t next = neighbour(at, before); !used_[next] && !networks_.contains(next);
         next = neighbour(at, before)) {
      used_[next] = true;
      found.push_back(at = next);
    }
    return found;
  }
  [[nodiscard]] int threads_of(std::size_t executor) const {
    std::set<std::uint64_t> threads;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (executor_[i] == executor) threads.insert(all_[i].threads.begin(), all_[i].threads.end());
    return static_cast<int>(threads.size());
  }

  // The callbacks as stages, and how they were measured. Where stages overlap, neighbours on an executor's
  // one thread are one stage.
  [[nodiscard]] std::string stages_text(const std::vector<std::size_t>& callbacks, bool overlap) {
    std::string text, name;
    double time = 0;
    for (std::size_t i = 0; i < callbacks.size(); ++i) {
      const RosCallback& one = all_[callbacks[i]];
      const std::size_t executor = executor_[callbacks[i]];
      const int threads = threads_of(executor);
      unsaid_.push_back(
          fmt::format("{}: median {:.4g} ms of {} callbacks, {:.3g} to {:.3g}, executor {} of {}",
                      one.label(), 1e3 * one.median_s(), one.times_s.size(),
                      1e3 * std::ranges::min(one.times_s), 1e3 * std::ranges::max(one.times_s), executor,
                      threads == 1 ? "one thread" : fmt::format("{} threads", threads)));
      if (i > 0 && name.empty()) text += ", ";
      if (networks_.contains(callbacks[i])) {
        text += "infer";
        continue;
      }
      name += (name.empty() ? "" : " + ") + one.label();
      time += one.median_s();
      if (overlap && threads == 1 && i + 1 < callbacks.size() && !networks_.contains(callbacks[i + 1]) &&
          executor_[callbacks[i + 1]] == executor)
        continue;
      text += fmt::format(
          "{{name: {}, time: {:.4g} ms{}}}", yaml_text(name), std::max(1e3 * time, 0.001),
          overlap && one.at_once > 1 ? fmt::format(", threads: {}", std::min(one.at_once, 64)) : "");
      name.clear();
      time = 0;
    }
    return text;
  }

  [[nodiscard]] std::string process_text(std::size_t callback, const std::string& model) {
    used_[callback] = true;
    std::vector<std::size_t> callbacks = chain(callback, true);
    std::ranges::reverse(callbacks);
    callbacks.push_back(callback);
    for (const std::size_t one : chain(callback, false)) callbacks.push_back(one);
    const std::size_t source = callbacks.front(), asked_by = neighbour(source, true);
    const bool follows = asked_by < callback && networks_.contains(asked_by);  // no circle
    std::set<std::size_t> executors;
    for (const std::size_t one : callbacks) executors.insert(executor_[one]);
    int threads = 0;
    for (const std::size_t executor : executors) threads += threads_of(executor);
    const bool overlap = threads > 1 && callbacks.size() > 1 && !follows;
    const std::string precision = wishes_.precision.empty() ? "fp16" : wishes_.precision;
    unsaid_.push_back(fmt::format("{} in {} is taken in place of the callback {}", model, precision,
                                  all_[callback].label()));
    std::string text = fmt::format("  - name: {}\n    model: {}\n    precision: {}\n",
                                   yaml_text(all_[callback].node), yaml_text(model), precision);
    const RosCallback& first = all_[source];
    const double gaps = std::max(static_cast<double>(first.times_s.size()) - 1, 1.0);
    const double interval = first.period_s > 0 ? first.period_s : (first.last_s - first.first_s) / gaps;
    if (follows)
      text += fmt::format("    after: {}\n", yaml_text(all_[asked_by].node));
    else if (!wishes_.rate.empty() || interval > 0)
      text += fmt::format("    arrivals: {{periodic: {}, queue: {{limit: 1, drop: oldest}}}}\n",
                          wishes_.rate.empty() ? fmt::format("{:.4g} /s", 1 / interval) : wishes_.rate);
    const std::string stages = stages_text(callbacks, overlap);
    if (callbacks.size() > 1) text += fmt::format("    stages: [{}]\n", stages);
    return overlap ? text + fmt::format("    overlap: {}\n", std::min(threads, 64)) : text;
  }

  // The time that an executor's other callbacks take of its threads.
  [[nodiscard]] std::string load_text(std::size_t executor) {
    double time = 0, begin = all_.front().first_s, end = begin;
    std::set<std::string> nodes;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      end = std::max(end, all_[i].last_s + all_[i].times_s.back());
      if (executor_[i] != executor || used_[i]) continue;
      time += all_[i].total_s();
      nodes.insert(all_[i].node);
    }
    if (time <= 0.005 * (end - begin)) return {};  // half a percent of a core
    unsaid_.push_back(fmt::format("{}: other callbacks are a load", fmt::join(nodes, ", ")));
    const int threads = threads_of(executor);
    return fmt::format("  - {{load: busy, threads: {}, duty: {:.3g} %, name: {}}}\n", threads,
                       100 * std::min(time / (end - begin) / threads, 1.0), yaml_text(*nodes.begin()));
  }

  const std::vector<RosCallback>& all_;
  const ImportWishes& wishes_;
  std::vector<std::size_t> executor_;
  std::map<std::size_t, std::string> networks_;  // by callback: the model
  std::vector<bool> used_;                       // in a process
  std::vector<std::string> unsaid_;
};

}  // namespace

std::optional<ImportedScenario> ros2_scenario(Source& source, const ImportWishes& wishes,
                                              input::Problems& problems) {
  const std::vector<RosCallback> callbacks = callbacks_in(source, problems);
  if (callbacks.empty()) return std::nullopt;
  RosImport import(callbacks, wishes);
  const std::string body = import.body();
  if (!body.empty())
    return imported_scenario("ros2-tracing " + std::filesystem::path(source.origin()).filename().string(),
                             body, import.unsaid());
  const RosCallback& one = callbacks[import.busiest()];
  source.fail(problems, 0, "no node, topic or function has the name of a known network",
              fmt::format("--model NAME, for the callback of most time: {}, {:.3g} ms", one.label(),
                          1e3 * one.median_s()));
  return std::nullopt;
}

std::optional<ImportedScenario> ros2_scenario(const std::string& path, const ImportWishes& wishes,
                                              input::Problems& problems) {
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    problems.add_file(path, "a folder: traces of ros2_tracing are binary (CTF)", how);
    return std::nullopt;
  }
  const auto source = Source::open(path, problems);
  return source ? ros2_scenario(*source, wishes, problems) : std::nullopt;
}

}  // namespace jostle::calibration
