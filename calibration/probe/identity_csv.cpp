// The identity as a file of keys and values, written and read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "calibration/probe/identity.hpp"
#include "input/units.hpp"

namespace jostle::calibration::probe {
namespace {

using KeyRows = std::vector<std::pair<std::string, std::string>>;

// Writes a field, or reads it: every field is named once, in visit_identity().
class FieldWriter {
 public:
  void field(const std::string& key, const std::string& text) {
    if (!text.empty()) rows.emplace_back(key, text);
  }
  void field(const std::string& key, double number) {
    if (number != 0) rows.emplace_back(key, fmt::format("{}", number));
  }
  void field(const std::string& key, int number) {
    if (number != 0) rows.emplace_back(key, fmt::format("{}", number));
  }
  void field(const std::string& key, bool flag) { rows.emplace_back(key, flag ? "1" : "0"); }
  void field(const std::string& key, const std::vector<double>& numbers) {
    if (!numbers.empty()) rows.emplace_back(key, fmt::format("{}", fmt::join(numbers, " ")));
  }
  void field(const std::string& key, const std::vector<int>& numbers) {
    if (!numbers.empty()) rows.emplace_back(key, cpu_list(numbers));
  }
  void field(const std::string& key, const std::vector<std::string>& words) {
    if (!words.empty()) rows.emplace_back(key, fmt::format("{}", fmt::join(words, " | ")));
  }
  KeyRows rows;
};

class FieldReader {
 public:
  explicit FieldReader(const input::CsvTable& table) : table_(table), value_(table.column("value")) {
    const std::size_t key = table.column("key");
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const input::CsvTable::Row row = table.row(i);
      if (!rows_.emplace(row.text(key), i).second) row.fail("a key for the second time: " + row.text(key));
    }
  }
  [[nodiscard]] bool has(const std::string& key) const { return rows_.contains(key); }

  void field(const std::string& key, std::string& text) {
    if (const auto row = taken(key)) text = row->text(value_);
  }
  void field(const std::string& key, double& number) {
    if (const auto row = taken(key)) number = checked(*row, row->number(value_));
  }
  void field(const std::string& key, int& number) {
    const auto row = taken(key);
    if (!row) return;
    const std::int64_t value = row->integer(value_);
    if (value < 0 || value > 1'000'000) row->fail(fmt::format("{} cannot be {}", key, value));
    number = static_cast<int>(value);
  }
  void field(const std::string& key, bool& flag) {
    const auto row = taken(key);
    if (!row) return;
    if (row->view(value_) != "0" && row->view(value_) != "1") row->fail(key + " is 0 or 1");
    flag = row->view(value_) == "1";
  }
  void field(const std::string& key, std::vector<double>& numbers) {
    const auto row = taken(key);
    if (!row) return;
    for (const std::string& word : words_in(row->view(value_))) {
      const auto number = input::parse_real(word);
      if (!number) row->fail(fmt::format("{} is a list of numbers", key));
      numbers.push_back(checked(*row, *number));
    }
  }
  void field(const std::string& key, std::vector<int>& numbers) {
    const auto row = taken(key);
    if (!row) return;
    numbers = cpu_numbers(row->view(value_));
    if (numbers.empty()) row->fail(key + " is a list of core numbers such as 0-3,5");
  }
  void field(const std::string& key, std::vector<std::string>& words) {
    const auto row = taken(key);
    if (!row) return;
    std::string_view rest = row->view(value_);
    for (std::size_t at = 0; at != std::string_view::npos;) {
      at = rest.find(" | ");
      words.emplace_back(rest.substr(0, at));
      if (at != std::string_view::npos) rest.remove_prefix(at + 3);
    }
  }
  // Refuses a key that no field has.
  void finish() const {
    if (!rows_.empty()) table_.row(rows_.begin()->second).fail("unknown key " + rows_.begin()->first);
  }

 private:
  [[nodiscard]] std::optional<input::CsvTable::Row> taken(const std::string& key) {
    const auto found = rows_.find(key);
    if (found == rows_.end()) return std::nullopt;
    const input::CsvTable::Row row = table_.row(found->second);
    rows_.erase(found);
    if (row.view(value_).empty()) row.fail(key + " has no value");
    return row;
  }
  static double checked(const input::CsvTable::Row& row, double number) {
    if (!(number >= 0)) row.fail("a negative number");
    return number;
  }

  const input::CsvTable& table_;
  std::size_t value_;
  std::map<std::string, std::size_t> rows_;
};

template <class Visitor, class Cluster>
void visit_cluster(Visitor& visitor, const std::string& at, Cluster& cluster) {
  visitor.field(at + "cpus", cluster.cpus);
  visitor.field(at + "core", cluster.core);
  visitor.field(at + "capacity", cluster.capacity);
  visitor.field(at + "max_mhz", cluster.max_mhz);
  visitor.field(at + "min_mhz", cluster.min_mhz);
  visitor.field(at + "clocks_mhz", cluster.clocks_mhz);
  visitor.field(at + "governor", cluster.governor);
  visitor.field(at + "cache_bytes", cluster.cache_bytes);
  visitor.field(at + "shared_cache_bytes", cluster.shared_cache_bytes);
}

template <class Visitor, class Gpu>
void visit_gpu(Visitor& visitor, Gpu& gpu) {
  visitor.field("gpu.present", gpu.present);
  visitor.field("gpu.absent_because", gpu.absent_because);
  visitor.field("gpu.name", gpu.name);
  visitor.field("gpu.integrated", gpu.integrated);
  visitor.field("gpu.sms", gpu.sms);
  visitor.field("gpu.capability", gpu.capability);
  visitor.field("gpu.max_mhz", gpu.max_mhz);
  visitor.field("gpu.memory_mhz", gpu.memory_mhz);
  visitor.field("gpu.clocks_mhz", gpu.clocks_mhz);
  visitor.field("gpu.memory_bytes", gpu.memory_bytes);
  visitor.field("gpu.l2_bytes", gpu.l2_bytes);
  visitor.field("gpu.bus_bits", gpu.bus_bits);
  visitor.field("gpu.driver", gpu.driver);
  visitor.field("gpu.power_limit_w", gpu.power_limit_w);
}

template <class Visitor, class Machine>
void visit_identity(Visitor& visitor, Machine& machine) {
  visitor.field("architecture", machine.architecture);
  visitor.field("board", machine.board);
  visitor.field("compatible", machine.compatible);
  visitor.field("kernel", machine.kernel);
  visitor.field("l4t", machine.l4t);
  visitor.field("scheduler", machine.policy);
  visitor.field("tick_hz", machine.tick_hz);
  visitor.field("cores_online", machine.cores_online);
  visitor.field("cores_present", machine.cores_present);
  visitor.field("smt", machine.smt);
  visitor.field("hypervisor", machine.hypervisor);
  visitor.field("emulated", machine.emulated);
  visitor.field("memory_bytes", machine.memory_bytes);
  for (std::size_t i = 0; i < machine.clusters.size(); ++i)
    visit_cluster(visitor, fmt::format("cpu.{}.", i), machine.clusters[i]);
  visit_gpu(visitor, machine.gpu);
  visitor.field("emc_mhz", machine.emc_mhz);
  for (std::size_t i = 0; i < machine.rails.size(); ++i) {
    visitor.field(fmt::format("rail.{}.name", i), machine.rails[i].name);
    visitor.field(fmt::format("rail.{}.sensor", i), machine.rails[i].sensor);
  }
  visitor.field("power_mode", machine.power_mode);
  visitor.field("power_modes", machine.power_modes);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> identity_rows(const Identity& identity) {
  FieldWriter writer;
  visit_identity(writer, identity);
  return std::move(writer.rows);
}

std::string identity_csv(const Identity& identity) {
  std::string text = "key,value\n";
  for (const auto& [key, value] : identity_rows(identity))
    text += fmt::format("{},{}\n", input::csv_field(key), input::csv_field(value));
  return text;
}

Identity parse_identity(const input::CsvTable& table) {
  FieldReader reader(table);
  Identity identity;
  constexpr std::size_t most = 64;
  while (identity.clusters.size() < most && reader.has(fmt::format("cpu.{}.cpus", identity.clusters.size())))
    identity.clusters.emplace_back();
  while (identity.rails.size() < most && reader.has(fmt::format("rail.{}.name", identity.rails.size())))
    identity.rails.emplace_back();
  visit_identity(reader, identity);
  reader.finish();
  return identity;
}

std::string board_key(const Identity& identity) {
  std::set<std::string> cores;
  for (const CpuCluster& cluster : identity.clusters) cores.insert(cluster.core);
  return fmt::format(
      "{}; {}; {} cores of {}; {:.0f} GiB; {}", identity.architecture,
      identity.board.empty() ? "no device tree" : identity.board, identity.cores_present,
      fmt::join(cores, ", "), std::ceil(identity.memory_bytes / (1024.0 * 1024 * 1024)),
      identity.gpu.present ? (identity.gpu.name.empty() ? "a GPU" : identity.gpu.name) : "no GPU");
}

}  // namespace jostle::calibration::probe
