// The schemas of scenarios and studies against the loader: each lists the keys that the other reads, at every
// place.
#include "analyses/schema/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "analyses/study/study.hpp"
#include "input/cursor.hpp"
#include "input/parse.hpp"
#include "models/process/weight_formats.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using ::testing::Contains;
using ::testing::HasSubstr;

using KeysByPath = std::map<std::string, std::set<std::string>>;

// Wrong in many ways, but with a mapping at every place where there can be one.
constexpr const char* every_mapping = R"(
device: jetson-orin-nano
power_mode: {file: none.conf}
clocks: {cpu: 1 MHz}
governors: {}
power_cap: {budget: 5 W}
sharing: {mig: [1g]}
link: {bandwidth: 1 Mbit/s, rtt: 1 ms}
interrupts: {load: 5 %}
compositor: {}
processes:
  - model: {kernels: 1, duration: 1 us, blocks: 1, threads: 1}
    stages: {before: [{name: a, time: 1 ms}, {nms: cpu}], after: [{name: b, time: 1 ms}, {nms: cpu}]}
    overlap: 2
    arrivals: {periodic: 30 /s, queue: {limit: 1}, clients: 1, think: {exponential: 1 ms}, wait: {poll: 1 ms}}
    after: other
    fan_out: {mean: 1}
    queue: {limit: 1}
    server: {}
    container: {name: c}
    policy: {fifo: 1}
  - {model: {kernels: 1, duration: 1 us, blocks: 1, threads: 1}, stages: [{name: a, time: 1 ms}, {nms: cpu}, infer]}
  - instances:
      - model: {kernels: 1, duration: 1 us, blocks: 1, threads: 1}
        arrivals: {periodic: 30 /s, queue: {limit: 1}, clients: 1, think: {exponential: 1 ms}, wait: {poll: 1 ms}}
        after: other
        fan_out: {mean: 1}
        queue: {limit: 1}
        server: {}
      - {model: qwen2.5_1.5b, precision: q4_k_m, generate: {prompt: {lognormal: {mean: 1, variation: 1}}, tokens: {lognormal: {mean: 1, variation: 1}}, sessions: {turns: 2, think: {exponential: 1 s}}}, draft: {}}
      - {model: qwen2.5_1.5b, precision: q4_k_m, bench: {tg: 1}}
  - {model: qwen2.5_1.5b, precision: q4_k_m, generate: {prompt: {lognormal: {mean: 1, variation: 1}}, tokens: {lognormal: {mean: 1, variation: 1}}, sessions: {turns: 2, think: {exponential: 1 s}}}, draft: {}}
  - {model: qwen2.5_1.5b, precision: q4_k_m, bench: {tg: 1}}
  - {model: {products: 8}, precision: fp16}
  - instances: [{model: {products: 8}, precision: fp16}]
  - {load: busy}
constraints: {system.power_w: {max: 12 W}}
run: {until: {relative_error: 1 %}}
)";

constexpr const char* every_section = R"(
scenario: {device: jetson-orin-nano, processes: [{model: resnet50, precision: fp16}]}
sweep: {processes.0.batch: {start: 1, stop: 8, step: 1}}
sampling: {latin_hypercube: 5}
objectives: [max system.throughput]
constraints: {system.power_w: {max: 12 W}}
plan: {}
offload:
  cloud: {device: nvidia-a40, processes: [{model: resnet50, precision: fp16}]}
  link: {bandwidth: {start: 1 Mbit/s, stop: 2 Mbit/s, step: 1 Mbit/s}, rtt: {start: 1 ms, stop: 2 ms, step: 1 ms}}
  boards: {start: 1, stop: 2, step: 1}
  price: {}
fleet: {cameras: 4, rate: 15 /s, boards: [jetson-nano], constraints: {system.power_w: {max: 12 W}}}
)";

// Keys that are the user's own stand for one another.
std::string with_free_keys(const std::string& path) {
  for (const std::string map : {"sweep.", "constraints.", "fleet.constraints."})
    if (path.starts_with(map)) return map + "*";
  return path;
}

std::set<std::string> names(const std::vector<SchemaKey>& keys) {
  std::set<std::string> all;
  for (const SchemaKey& key : keys) all.insert(key.name);
  return all;
}

void expect_same(const std::string& schema, const KeysByPath& asked, const std::set<std::string>& leave_out) {
  KeysByPath read;
  for (const auto& [path, keys] : asked) read[with_free_keys(path)].insert(keys.begin(), keys.end());
  for (const auto& [path, keys] : read)
    EXPECT_EQ(names(keys_at(schema, path)), keys) << schema << ", at '" << path << "'";
  for (const std::string& path : objects_of(schema)) {
    const bool left_out = std::ranges::any_of(
        leave_out, [&path](const std::string& part) { return path == part || path.starts_with(part + "."); });
    EXPECT_TRUE(left_out || read.contains(path)) << "no document has a mapping at '" << path << "'";
  }
}

TEST(Schema, of_a_scenario_has_the_keys_that_the_loader_reads) {
  const input::AskedKeys asked;
  input::Problems problems;
  (void)scenarios::parse_scenario({every_mapping, "all.yaml", ""}, scenarios::shipped_catalogue(), {},
                                  problems);
  expect_same("scenario", asked.by_path(), {"constraints"});  // read only where all else is right
}

TEST(Schema, of_a_study_has_the_keys_that_the_loader_reads) {
  input::Problems problems;
  (void)parse_study(every_section, "study.yaml", "", problems);  // reads the profile of its board, once
  const input::AskedKeys asked;
  (void)parse_study(every_section, "study.yaml", "", problems);
  expect_same("study", asked.by_path(), {"scenario", "offload.cloud", "fleet.link"});
}

// Adds the keys of all mappings; of a path such as `processes.0.batch`, each step.
void add_keys(const input::Value& value, std::set<std::string>& to) {
  for (const input::Key& key : value.keys) {
    std::string step;
    for (std::istringstream steps(key.name); std::getline(steps, step, '.');) to.insert(step);
  }
  for (const input::Node& child : value.children) add_keys(*child, to);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Schema, has_no_key_without_a_shipped_scenario_or_somebody_who_needs_it) {
  const std::filesystem::path root = JOSTLE_SOURCE_DIR;
  std::set<std::string> keys, shipped, needed;
  for (const std::string& path : objects_of("scenario")) keys.merge(names(keys_at("scenario", path)));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    input::Problems problems;
    add_keys(*input::parse_yaml(text_of(entry.path()), entry.path().string(), problems), shipped);
  }
  std::istringstream page(text_of(root / "docs/scenario.md"));
  std::string line;
  while (std::getline(page, line) && line != "## Keys that no shipped scenario uses") continue;
  while (std::getline(page, line)) {
    if (!line.starts_with("| ")) continue;
    std::istringstream cells(line.substr(0, line.find(" | ")));
    std::string text;
    while (std::getline(cells, text, '`') && std::getline(cells, text, '`')) needed.insert(text);
  }
  for (const std::string& key : keys)
    EXPECT_TRUE(shipped.contains(key) || needed.contains(key)) << "nothing needs the key " << key;
  for (const std::string& key : needed) {
    EXPECT_TRUE(keys.contains(key)) << "there is no key " << key;
    EXPECT_FALSE(shipped.contains(key)) << "a shipped scenario uses " << key << ": take it off the list";
  }
}

TEST(FormatsOfWeights, stand_in_the_documentation_for_each_runtime_that_reads_them) {
  const std::string page = text_of(std::filesystem::path(JOSTLE_SOURCE_DIR) / "docs/scenario.md");
  const std::string table = page.substr(page.find("#### Formats of weights"));
  for (const process::RuntimeTraits& runtime : process::runtimes) {
    if (!runtime.serves_text) continue;
    std::istringstream rows(table);
    std::string row;
    while (std::getline(rows, row) && !(row.starts_with("| `") && row.find(runtime.name) < row.find(" | ")))
      continue;
    const std::string read = row.substr(row.find(" | "), row.rfind(" | ") - row.find(" | "));
    for (const llm::WeightTraits& format : llm::weight_formats)
      EXPECT_EQ(read.find("`" + std::string(format.name) + "`") != std::string::npos,
                process::find_format(runtime.runtime, format.format) != nullptr)
          << runtime.name << " " << format.name;
  }
}

TEST(Schema, lists_the_words_of_the_tables) {
  std::vector<std::string> precisions = words("precision");
  for (const std::string& format : words("weight_format")) precisions.push_back(format);
  EXPECT_EQ(words_at("scenario", "processes.0.precision"), precisions);
  EXPECT_EQ(words_at("scenario", "processes.0.instances.0.priority"), words("priority"));
  EXPECT_THAT(words_at("scenario", "device"), Contains("jetson-nano"));
  EXPECT_THAT(words_at("scenario", "processes.*.runtime"), Contains("cuda-graph"));
  EXPECT_THAT(words_at("scenario", "fan"), Contains("true"));
}

TEST(Schema, takes_the_units_of_the_tables) {
  EXPECT_THAT(schema("scenario"), HasSubstr("ms|us|"));
  EXPECT_THAT(schema("study"), HasSubstr("USD/kWh"));
}

TEST(Schema, leaves_nothing_of_its_shorthands) {
  for (const std::string& name : schema_names())
    for (const char* const shorthand : {"$names", "$keys", "$quantity", "$path", "$shares", "$partial"})
      EXPECT_EQ(schema(name).find(shorthand), std::string::npos) << name << " has " << shorthand;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
