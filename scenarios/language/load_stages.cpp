// Reads `stages`: what a process does to an image besides inference. Words such as
// `decode` become stages with the costs of profiles/stages.csv.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "models/dnn/graph/input_sides.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/time_span.hpp"
#include "profiles/tables/stage_costs.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {
namespace {

using profiles::StageCost;
using profiles::StagePer;

constexpr std::size_t max_stages = 100;
constexpr std::int64_t most_stage_threads = 64, largest_side = 65536;

// The processor of a stage.
struct StageOn {
  bool gpu = false;
  std::optional<media::Kind> engine = {};
};
std::vector<std::pair<std::string, StageOn>> stage_processors() {
  std::vector<std::pair<std::string, StageOn>> all{{"cpu", {}}, {"gpu", {.gpu = true}}};
  for (std::size_t i = 0; i < media::kind_count; ++i)
    all.push_back({std::string(media::kind_names.at(i)), {.engine = static_cast<media::Kind>(i)}});
  return all;
}

struct Size {
  std::int64_t width = 0, height = 0;
  [[nodiscard]] double pixels() const { return static_cast<double>(width) * static_cast<double>(height); }
};

// The image on its way through the stages: as it came, and as it is now. A side of 0: not known.
struct Frame {
  Size whole, now;
};

// Reads a size: "1920x1080" or "1080p"; where a square is usual, also its side.
std::optional<Size> read_size(const Cursor& at, bool square = false) {
  static const std::vector<std::pair<std::string, Size>> names{
      {"4k", {3840, 2160}},    {"2160p", {3840, 2160}}, {"1440p", {2560, 1440}},
      {"1080p", {1920, 1080}}, {"720p", {1280, 720}},   {"480p", {854, 480}}};
  const std::string* text = at.scalar("a size in pixels, such as 1920x1080");
  if (text == nullptr) return std::nullopt;
  const auto named = std::ranges::find(names, *text, &std::pair<std::string, Size>::first);
  if (named != names.end()) return named->second;
  const std::size_t cross = text->find('x');
  bool overflow = false;
  const auto width = input::parse_integer(text->substr(0, cross), overflow);
  const auto height = cross != std::string::npos ? input::parse_integer(text->substr(cross + 1), overflow)
                      : square                   ? width
                                                 : std::nullopt;
  if (!width || !height || *width < 1 || *height < 1 || *width > largest_side || *height > largest_side) {
    at.problem(fmt::format("'{}' is not a size in pixels", input::printable(*text)),
               "width and height, such as 1920x1080; or 1080p");
    return std::nullopt;
  }
  return Size{*width, *height};
}

std::string size_text(const Size& size) {
  return fmt::format("{}x{}", size.width, size.height);
}

// Reads the keys that plain stages and words share.
void read_common(Mapping& mapping, Stage& stage) {
  mapping.optional("times", stage.times, Integer{1, 1000});
  mapping.optional("threads", stage.threads, Integer{1, most_stage_threads});
  mapping.optional("grade", stage.grade,
                   Choice<std::string>{"a grade",
                                       {{"measured", "measured"},
                                        {"fitted", "fitted"},
                                        {"datasheet", "datasheet"},
                                        {"assumed", "assumed"}}});
  mapping.optional("source", stage.source, Text{1000});
}

// A cost that only some processors have.
struct CostRule {
  const char* key;
  bool (*fits)(const Stage&);
  const char* why;
  const char* hint;
};
constexpr CostRule cost_rules[] = {
    {"size", [](const Stage& stage) { return stage.engine.has_value(); },
     "`size` needs an engine: only the time of nvdec, nvjpeg, vic and nvenc follows from the size of an "
     "image",
     "time: the time of an image"},
    {"cycles", [](const Stage& stage) { return !stage.engine && !stage.on_gpu; },
     "`cycles` are those of a core", "on: cpu, or time"},
    {"bytes", [](const Stage& stage) { return stage.on_gpu; }, "`bytes` are those that the GPU moves",
     "on: gpu, or time"}};

// Reads the cost of a plain stage: exactly one of time, size, cycles and bytes.
void read_cost(Mapping& mapping, const Cursor& item, Stage& stage) {
  const auto size = mapping.find("size");
  const auto cycles = mapping.find("cycles");
  const auto bytes = mapping.find("bytes");
  for (const char* const cost : {"size", "cycles", "bytes"}) mapping.keep_one(cost, {"time"});
  if (size) {
    if (const auto read = read_size(*size)) {
      stage.width = read->width;
      stage.height = read->height;
    }
  } else if (cycles) {
    stage.cycles = Real{0, 1e15, true}(*cycles).value_or(0);
  } else if (bytes) {
    stage.bytes = Quantity{input::size_dimension(), 0, 1e12, true}(*bytes).value_or(0);
  } else if (stage.engine && !mapping.has("time")) {
    item.problem(fmt::format("a stage on {} needs the size of its images", media::to_string(*stage.engine)),
                 "such as size: 1920x1080, or time: 2 ms");
  } else {
    mapping.required("time", stage.time, TimeSpan{sim::Duration::zero(), sim::seconds(100), true});
  }
  for (const CostRule& rule : cost_rules)
    if (mapping.has(rule.key) && !rule.fits(stage)) item.descend(rule.key).problem(rule.why, rule.hint);
  mapping.optional("rate", stage.rate, Quantity{input::share_dimension(), 0, 100, true});
  mapping.needs("rate", {"size"}, "it is the engine's rate over that of the profile");
}

Stage read_plain_stage(Mapping& mapping) {
  Stage stage;
  mapping.required("name", stage.name, Text{200});
  StageOn on;
  if (mapping.optional("on", on, Choice<StageOn>{"a processor", stage_processors()})) {
    stage.on_gpu = on.gpu;
    stage.engine = on.engine;
  }
  read_cost(mapping, mapping.cursor(), stage);
  read_common(mapping, stage);
  return stage;
}

// The numbers that costs are multiplied by.
struct Amounts {
  Size in, out;
  double boxes = 0, objects = 10;
  [[nodiscard]] double of(StagePer per) const {
    switch (per) {
      case StagePer::image:
        return 1;
      case StagePer::pixel:
        return in.pixels();
      case StagePer::output:
        return out.pixels();
      case StagePer::larger:
        return std::max(in.pixels(), out.pixels());
      case StagePer::box:
        return boxes;
      case StagePer::object:
        return objects;
    }
    return 1;
  }
  [[nodiscard]] const Size& engine_size() const { return out.pixels() > in.pixels() ? out : in; }
};

// The candidates of a detector with strides of 8, 16 and 32: 8400 at 640 x 640.
double candidates_of(const ProcessEntry& process) {
  auto input = static_cast<int>(process.work.input.value_or(0));
  if (const auto* built_in = std::get_if<BuiltInModel>(&process.work.model);
      input == 0 && built_in != nullptr)
    if (const dnn::Model* model = dnn::find_model(built_in->name)) input = model->default_input;
  const auto [width, height] = dnn::sides_of(input == 0 ? 640 : input);
  return Size{width, height}.pixels() * 21 / 1024;
}

// A word's value: a way, or a processor. Both empty: the value says neither, as the size of resize.
struct WordValue {
  std::string way, on;
};

void note_name(std::vector<std::string>& list, const std::string& name) {
  if (!name.empty() && std::ranges::find(list, name) == list.end()) list.push_back(name);
}

// Reads the value of a word with these rows.
std::optional<WordValue> read_value(const std::string& word, const Cursor& at,
                                    const std::vector<const StageCost*>& rows) {
  if (word == "resize") return WordValue{};
  const std::string* text = at.scalar("a way or a processor");
  if (text == nullptr) return std::nullopt;
  std::vector<std::string> ways, processors;
  for (const StageCost* row : rows) {
    note_name(ways, row->way);
    note_name(processors, row->on);
  }
  if (std::ranges::find(ways, *text) != ways.end()) return WordValue{*text, ""};
  if (*text == "engine" && word == "nms") return WordValue{"", "gpu"};  // a layer of the engine
  if (std::ranges::find(processors, *text) != processors.end()) return WordValue{"", *text};
  if (ways.size() < 2)  // else the way must be said, and the processor stands in `on`
    for (const std::string& name : processors) note_name(ways, name);
  at.problem(fmt::format("unknown way '{}' of {}", input::printable(*text), word),
             input::spelling_hint(*text, ways));
  return std::nullopt;
}

// Reads `on` of a word, which must be the processor of one of the rows.
bool read_on(const Cursor& at, const std::string& word, const std::vector<const StageCost*>& rows,
             WordValue& value) {
  const std::string* text = at.scalar("a processor");
  if (text == nullptr) return false;
  if (!value.on.empty() && *text != value.on)
    at.problem(fmt::format("contradicts {}: {}", word, value.on), "keep one of the two");
  value.on = *text;
  if (std::ranges::find(rows, value.on, &StageCost::on) != rows.end()) return true;
  std::vector<std::string> known;
  for (const StageCost* row : rows) note_name(known, row->on);
  not_among(at,
            fmt::format("the cost of {}{}{} on {} is not known", word, value.way.empty() ? "" : " ",
                        value.way, input::printable(value.on)),
            known, "; or a stage with a name and a time");
  return false;
}

// The rows of the word that fit its value and its processor; empty, with a problem, if none does.
std::vector<const StageCost*> rows_of(const std::string& word, const Cursor& value_at,
                                      const std::optional<Cursor>& on_at) {
  std::vector<const StageCost*> rows;
  for (const StageCost& cost : profiles::stage_costs())
    if (cost.word == word) rows.push_back(&cost);
  auto value = read_value(word, value_at, rows);
  if (!value) return {};
  std::vector<std::string> ways;
  for (const StageCost* row : rows) note_name(ways, row->way);
  std::erase_if(rows, [&](const StageCost* row) { return row->way != value->way; });
  if (rows.empty()) {
    not_among(value_at, fmt::format("the way of {} must be said", word), ways);
    return {};
  }
  if (on_at && !read_on(*on_at, word, rows, *value)) return {};
  // A way that uses two processors, such as NvDCF, is on both.
  if (value->on.empty() && word != "track") value->on = rows.front()->on;
  if (!value->on.empty()) std::erase_if(rows, [&](const StageCost* row) { return row->on != value->on; });
  return rows;
}

// The stage of all rows of one processor.
Stage stage_of(const std::string& name, const std::vector<const StageCost*>& rows, const Amounts& amounts) {
  Stage stage{.name = name};
  const StageCost& first = *rows.front();
  const auto kind = std::ranges::find(media::kind_names, first.on);
  stage.on_gpu = first.on == "gpu";
  if (kind != media::kind_names.end())
    stage.engine = static_cast<media::Kind>(kind - media::kind_names.begin());
  stage.grade = first.grade;
  stage.source = first.source;
  if (stage.engine) {
    stage.width = amounts.engine_size().width;
    stage.height = amounts.engine_size().height;
    stage.rate = first.cost;
    return stage;
  }
  double sum = 0;
  for (const StageCost* row : rows) sum += std::round(row->cost * amounts.of(row->per));
  (stage.on_gpu ? stage.bytes : stage.cycles) = std::max(sum, 1.0);
  return stage;
}

// Reads what the costs of a word are multiplied by, and moves the frame on.
std::optional<Amounts> read_amounts(Mapping& mapping, const std::string& word, const Cursor& value,
                                    const ProcessEntry& process, Frame& frame) {
  if (const auto at = mapping.find("size")) {
    const auto size = read_size(*at);
    if (!size) return std::nullopt;
    frame.now = *size;
    if (frame.whole.width == 0 || word == "decode" || word == "read") frame.whole = *size;
  }
  Amounts amounts{.in = frame.now, .out = frame.now, .boxes = candidates_of(process)};
  if (word == "resize") {
    const auto target = read_size(value, true);
    if (!target) return std::nullopt;
    amounts.out = frame.now = *target;
  }
  mapping.optional("boxes", amounts.boxes, Real{1, 1e7});
  mapping.optional("objects", amounts.objects, Real{0, 1e5, true});
  return amounts;
}

bool needs_size(const std::vector<const StageCost*>& rows) {
  return std::ranges::any_of(
      rows, [](const StageCost* row) { return row->per == StagePer::pixel || row->per == StagePer::larger; });
}

// Refuses numbers of boxes or objects that no cost of the word is multiplied by.
void check_amounts(Mapping& mapping, const std::string& word, const std::vector<const StageCost*>& rows) {
  for (const auto& [key, per] : {std::pair{"boxes", StagePer::box}, std::pair{"objects", StagePer::object}})
    if (const auto at = mapping.find(key); at && std::ranges::find(rows, per, &StageCost::per) == rows.end())
      at->problem(fmt::format("the cost of {} does not depend on {}", word, key), "leave it out");
}

// A word by one way and processor, as a stage: "normalise numpy", "resize 640x640".
std::string stage_name(const StageCost& row, const Amounts& amounts) {
  if (row.word == "resize") return "resize " + size_text(amounts.out);
  return row.way.empty() ? row.word : row.word + " " + row.way;
}

// The stage in the other ways that give the same result: on other processors, and plain in place of numpy.
std::vector<Stage> other_ways(const Stage& stage, const StageCost& now, const Amounts& amounts) {
  const auto in_code = [](const StageCost& row) { return row.way.empty() || row.way == "numpy"; };
  std::vector<std::vector<const StageCost*>> ways;
  for (const StageCost& row : profiles::stage_costs()) {
    const bool same = row.way == now.way || (in_code(row) && in_code(now));
    if (row.word != now.word || !same || (row.way == now.way && row.on == now.on)) continue;
    const auto known = std::ranges::find_if(
        ways, [&](const auto& rows) { return rows.front()->way == row.way && rows.front()->on == row.on; });
    if (known == ways.end())
      ways.push_back({&row});
    else
      known->push_back(&row);
  }
  std::vector<Stage> all;
  for (const auto& rows : ways) {
    if (needs_size(rows) && amounts.in.width == 0) continue;
    Stage& other = all.emplace_back(stage_of(stage_name(*rows.front(), amounts), rows, amounts));
    other.times = stage.times;
    other.threads = stage.threads;
  }
  return all;
}

// Reads a word such as {decode: h264, size: 1080p, on: nvdec}, which becomes a stage for each processor.
void read_word(Mapping& mapping, const std::string& word, const ProcessEntry& process, Frame& frame,
               std::vector<Stage>& stages) {
  const Cursor value = mapping.find(word).value();
  const auto amounts = read_amounts(mapping, word, value, process, frame);
  const auto rows = rows_of(word, value, mapping.find("on"));
  Stage given;
  read_common(mapping, given);
  const auto time = mapping.find("time");
  if (time)
    given.time = TimeSpan{sim::Duration::zero(), sim::seconds(100), true}(*time).value_or(sim::Duration{});
  if (!amounts || rows.empty()) return;
  check_amounts(mapping, word, rows);
  if (!time && needs_size(rows) && amounts->in.width == 0)
    return mapping.cursor().problem(fmt::format("the cost of {} needs the size of the image", word),
                                    "such as size: 1080p, here or at a word before it");
  const std::string name = stage_name(*rows.front(), *amounts);
  std::vector<std::string> processors;
  for (const StageCost* row : rows) {
    if (std::ranges::find(processors, row->on) != processors.end()) continue;
    processors.push_back(row->on);
    std::vector<const StageCost*> same;
    std::ranges::copy_if(rows, std::back_inserter(same),
                         [&](const StageCost* r) { return r->on == row->on; });
    Stage stage = stage_of(name, same, *amounts);
    if (!given.grade.empty() || !given.source.empty() || time) {
      stage.grade = given.grade;
      stage.source = given.source;
    }
    stage.threads = given.threads;
    stage.times = given.times;
    if (time) {
      stage.time = given.time;
      stage.width = stage.height = 0;
      stage.cycles = stage.bytes = 0;
      stage.rate = 1;
    }
    if (!time && same.size() == rows.size()) stage.otherwise = other_ways(stage, *same.front(), *amounts);
    stages.push_back(std::move(stage));
    if (time) break;
  }
}

// The words of the table.
const std::vector<std::string>& stage_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list;
    for (const StageCost& cost : profiles::stage_costs())
      if (std::ranges::find(list, cost.word) == list.end()) list.push_back(cost.word);
    return list;
  }();
  return words;
}

// Reads a plain stage or a word.
void read_stage(const Cursor& item, const ProcessEntry& process, Frame& frame, std::vector<Stage>& stages) {
  const std::size_t before = stages.size();
  Mapping mapping(item, "a stage: name, time, on, size");
  if (!mapping.good()) return;
  std::vector<std::string> words;
  for (const std::string& word : stage_words())
    if (mapping.find(word)) words.push_back(word);
  if (words.empty())
    stages.push_back(read_plain_stage(mapping));
  else if (words.size() > 1)
    item.problem(fmt::format("{} are stages of their own", fmt::join(words, " and ")), "one item each");
  else
    read_word(mapping, words.front(), process, frame, stages);
  for (std::size_t i = before; i < stages.size(); ++i)
    if (stages[i].on_gpu && !on_gpu(process.host.placement))
      item.problem(fmt::format("a process with placement: {} has no stage on the GPU",
                               to_string(process.host.placement)));
}

constexpr const char* list_example = "a list of stages, such as [{name: decode, time: 8 ms}]";

// Reads a list with `infer` in it: what stands before it is done before inference.
void read_line(const Cursor& at, ProcessEntry& process) {
  Frame frame;
  bool inferred = false;
  for (const Cursor& item : at.items(list_example, max_stages)) {
    if (item.is(Kind::scalar)) {
      const std::string& text = item.value().text;
      if (text != "infer") {
        item.problem(fmt::format("'{}' is not a stage", input::printable(text)),
                     "infer, or a mapping such as {decode: h264, size: 1080p}");
        continue;
      }
      if (inferred)
        item.problem("`infer` stands twice", "a process infers once; another process can come after it");
      inferred = true;
      frame.now = frame.whole;
      continue;
    }
    read_stage(item, process, frame, inferred ? process.around.after : process.around.before);
  }
  if (!inferred)
    at.problem("the list has no `infer`", "such as [{decode: h264, size: 1080p}, infer, {nms: cpu}]");
}

}  // namespace

void read_stages(Mapping& mapping, ProcessEntry& process) {
  if (const auto at = mapping.find("stages")) {
    if (at->is(Kind::sequence)) {
      read_line(*at, process);
    } else {
      Mapping stages(*at, "stages: before, after; or a list with infer in it");
      Frame frame;
      if (const auto before = stages.find("before"))
        for (const Cursor& item : before->items(list_example, max_stages))
          read_stage(item, process, frame, process.around.before);
      frame.now = frame.whole;
      if (const auto after = stages.find("after"))
        for (const Cursor& item : after->items(list_example, max_stages))
          read_stage(item, process, frame, process.around.after);
    }
  }
  mapping.keep_one("after", {"overlap"});
}

}  // namespace jostle::scenarios
