// Configurations of deepstream-app: sources, muxer, engines, tracker and sinks become one process whose
// stages overlap, and a process for each engine that works on its objects. Keys are those of NVIDIA's
// DeepStream Development Guide (DeepStream Reference Application; Gst-nvinfer).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "calibration/logs/config_groups.hpp"
#include "calibration/logs/imported_scenario.hpp"
#include "input/file.hpp"
#include "models/dnn/graph/input_sides.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_batch = 4096, muxer_pool = 4;

// The sources in the words of a group; 0: not said.
struct DeepstreamSource {
  std::string name;
  std::int64_t count = 1, width = 0, height = 0;
  double per_s = 0;
  bool encoded = false;

  [[nodiscard]] std::string size() const { return fmt::format("{}x{}", width, height); }
};

// The sources, and what is taken for all of them: a process has streams of one rate and frames of one size.
struct DeepstreamSources {
  std::vector<DeepstreamSource> each;
  std::int64_t count = 0, encoded = 0;
  bool live = false;
  std::string codec, size;
};

// An engine: what nvinfer's file and the group say of it.
struct DeepstreamEngine {
  std::string name, model, precision, placement;
  std::int64_t batch = 1, interval = 0, id = 1, works_on = 1;  // gie-unique-id, operate-on-gie-id
  std::string input = {};                                      // in the words of scenarios
  bool filters_boxes = false, masks = false;
};

class DeepstreamImport {
 public:
  DeepstreamImport(const ConfigGroups& app, const ImportWishes& wishes, input::Problems& problems)
      : app_(app),
        wishes_(wishes),
        problems_(problems),
        folder_(fs::path(app.origin).parent_path().string()) {}

  [[nodiscard]] std::string body() {
    read_sources();
    const ConfigGroup* const primary = enabled("primary-gie");
    if (primary == nullptr) {
      problem(nullptr, "primary-gie", "no engine is enabled", "[primary-gie] with enable=1");
      return {};
    }
    if (sources_.count == 0)
      problem(nullptr, "source0", "no source is enabled", "[source0] with enable=1, type and uri");
    const DeepstreamEngine engine = read_engine(*primary);
    std::string text =
        board_keys(wishes_, "jetson-orin-nano", unsaid_) + "processes:\n" + primary_text(engine);
    std::vector<DeepstreamEngine> engines{engine};
    for (const ConfigGroup* group : numbered("secondary-gie")) engines.push_back(read_engine(*group));
    for (std::size_t i = 1; i < engines.size(); ++i) text += secondary_text(engines, i);
    note_left_out();
    check_spelling(app_, problems_);
    return text + "run: {duration: 10 s, warmup: 2 s}\n";
  }
  [[nodiscard]] std::vector<std::string> unsaid() { return std::move(unsaid_); }

 private:
  void problem(const ConfigGroup* group, const std::string& path, const std::string& message,
               const std::string& hint) {
    problems_.add({std::make_shared<const std::string>(app_.origin), group == nullptr ? 0 : group->line, 1},
                  path, message, hint);
  }
  [[nodiscard]] std::int64_t number(const ConfigGroup& group, const std::string& key, std::int64_t other,
                                    WholeRange range) {
    return whole_number(app_, group, {key, other, range}, problems_);
  }
  // The group, if deepstream-app builds it: one without `enable` is left out.
  [[nodiscard]] const ConfigGroup* enabled(const std::string& name) {
    const ConfigGroup* const group = app_.find(name);
    return group != nullptr && number(*group, "enable", 0, {0, 1'000'000}) != 0 ? group : nullptr;
  }
  // The enabled groups whose name is `word` and a number, as they stand in the file.
  [[nodiscard]] std::vector<const ConfigGroup*> numbered(std::string_view word) {
    std::vector<const ConfigGroup*> found;
    for (const ConfigGroup& group : app_.groups)
      if (group.name.starts_with(word) && group.name.size() > word.size() &&
          group.name.find_first_not_of("0123456789", word.size()) == std::string::npos &&
          enabled(group.name) != nullptr)
        found.push_back(&group);
    return found;
  }
  [[nodiscard]] std::string beside(const std::string& file) const {
    return file.empty() || fs::path(file).is_absolute() ? file : (fs::path(folder_) / file).string();
  }

  void read_source(const ConfigGroup& group) {
    constexpr std::int64_t v4l2 = 1, multi = 3, rtsp = 4, csi = 5;
    const std::int64_t type = number(group, "type", 2, {1, 10});
    DeepstreamSource source{.name = group.name};
    if (type == multi) source.count = number(group, "num-sources", 1, {1, most_sources});
    source.encoded = type != v4l2 && type != csi;
    sources_.live = sources_.live || type == v4l2 || type == rtsp || type == csi;
    if (source.width = number(group, "camera-width", 0, {0, 65536}); source.width > 0)
      source.height = number(group, "camera-height", 0, {1, 65536});
    source.per_s = static_cast<double>(number(group, "camera-fps-n", 0, {0, 100'000})) /
                   static_cast<double>(number(group, "camera-fps-d", 1, {1, 100'000}));
    const std::string uri = group.text("uri");
    for (const auto& [part, codec] : {std::pair{"h265", "h265"}, std::pair{"hevc", "h265"},
                                      std::pair{"h264", "h264"}, std::pair{"mjpeg", "jpeg"}})
      if (sources_.codec.empty() && uri.find(part) != std::string::npos) sources_.codec = codec;
    if (number(group, "drop-frame-interval", 0, {0, 1000}) > 1)
      unsaid_.push_back(
          fmt::format("{}: drop-frame-interval; divide the rate of its arrivals by it", group.name));
    sources_.count += source.count;
    if (source.encoded) sources_.encoded += source.count;
    sources_.each.push_back(std::move(source));
  }

  void read_sources() {
    for (const ConfigGroup* group : numbered("source")) read_source(*group);
    if (sources_.encoded > 0 && sources_.encoded < sources_.count)
      unsaid_.push_back(
          fmt::format("{} of {} sources are cameras without a codec; all are taken as encoded streams",
                      sources_.count - sources_.encoded, sources_.count));
    if (sources_.count > most_sources)
      problem(nullptr, "source0", fmt::format("{} sources, at most {}", sources_.count, most_sources), "");
    const ConfigGroup* const mux = app_.find("streammux");
    if (mux != nullptr && number(*mux, "live-source", 0, {0, 1}) == 1) sources_.live = true;
    read_sizes(mux);
  }

  // The size of a source that does not say its own is the muxer's. Of several the largest is taken.
  void read_sizes(const ConfigGroup* mux) {
    DeepstreamSource other{.name = "others", .width = 1920, .height = 1080};
    std::string why = "the size of the frames: 1920x1080 is taken";
    if (mux != nullptr && number(*mux, "width", 0, {0, 65536}) > 0 &&
        number(*mux, "height", 0, {0, 65536}) > 0) {
      other.width = number(*mux, "width", 0, {0, 65536});
      other.height = number(*mux, "height", 0, {0, 65536});
      why = fmt::format("the size of the frames: the muxer's, {}, is taken", other.size());
    }
    std::vector<DeepstreamSource> sizes;
    for (const DeepstreamSource& source : sources_.each)
      if (source.width > 0) sizes.push_back(source);
    if (sizes.size() < sources_.each.size() || sizes.empty()) {
      sizes.push_back(other);
      unsaid_.push_back(why);
    }
    sources_.size = std::ranges::max_element(sizes, {}, [](const DeepstreamSource& source) {
                      return source.width * source.height;
                    })->size();
    if (std::ranges::all_of(sizes, [&](const auto& source) { return source.size() == sources_.size; }))
      return;
    std::vector<std::string> words;
    for (const DeepstreamSource& source : sizes) words.push_back(source.name + " " + source.size());
    unsaid_.push_back(
        fmt::format("streams of several sizes: frames are of one here, the largest, {}, is taken ({})",
                    sources_.size, fmt::join(words, ", ")));
  }

  // The frames/s of each source, as if all had the same: those of the wishes, or the mean of what the sources
  // say; 0: files, as fast as they are taken.
  [[nodiscard]] double source_rate() {
    if (!wishes_.rate.empty()) return std::atof(wishes_.rate.c_str());
    const auto silent = [](const DeepstreamSource& source) { return source.per_s == 0; };
    if (std::ranges::any_of(sources_.each, silent)) {
      if (!sources_.live && std::ranges::all_of(sources_.each, silent)) {
        unsaid_.emplace_back(
            "the rate of the sources: files are taken as fast as they are worked on (--rate \"30 /s\")");
        return 0;
      }
      unsaid_.emplace_back("the rate of the cameras: 30 /s is taken (--rate \"25 /s\")");
    }
    double sum = 0;
    std::vector<std::string> words;
    for (DeepstreamSource& source : sources_.each) {
      if (silent(source)) source.per_s = 30;
      sum += source.per_s * static_cast<double>(source.count);
      words.push_back(fmt::format("{} {:g} /s", source.name, source.per_s));
    }
    const double mean = sum / static_cast<double>(sources_.count);
    if (std::ranges::any_of(sources_.each, [&](const auto& source) { return source.per_s != mean; }))
      unsaid_.push_back(
          fmt::format("streams of several rates: streams have one here, their mean, {:g} /s, is taken, {:g} "
                      "/s together ({})",
                      mean, sum, fmt::join(words, ", ")));
    return mean;
  }

  // Reads nvinfer's file of a group.
  DeepstreamEngine read_engine(const ConfigGroup& group) {
    DeepstreamEngine engine{.name = group.name, .model = {}, .precision = {}, .placement = {}};
    const std::string file = beside(group.text("config-file"));
    // NAME_infer.txt names its engine, unless another engine has it too.
    constexpr std::string_view behind = "_infer";
    const std::string stem = fs::path(file).stem().string();
    if (stem.size() > behind.size() && stem.ends_with(behind) && names_.insert(stem).second)
      engine.name = stem.substr(0, stem.size() - behind.size());
    std::optional<ConfigGroups> infer;
    if (file.empty())
      problem(&group, group.name + ".config-file", "missing required key", "the file of nvinfer");
    else
      infer = read_config_groups(file, problems_);
    const ConfigGroup* const property = infer ? infer->find("property") : nullptr;
    if (infer && property == nullptr)
      problems_.add_file(file, "no group [property]", "a file of nvinfer has one");
    if (property == nullptr) return engine;
    const auto of_file = [&](const char* key, std::int64_t other, WholeRange range) {
      return whole_number(*infer, *property, {key, other, range}, problems_);
    };
    const std::int64_t own = of_file("batch-size", 1, {1, most_batch});
    engine.batch = number(group, "batch-size", own, {1, most_batch});
    engine.interval = number(group, "interval", of_file("interval", 0, {0, 999}), {0, 999});
    engine.id = number(group, "gie-unique-id", of_file("gie-unique-id", 1, {0, 1000}), {0, 1000});
    engine.works_on =
        number(group, "operate-on-gie-id", of_file("operate-on-gie-id", 1, {-1, 1000}), {-1, 1000});
    constexpr std::array precisions{"fp32", "int8", "fp16"};
    const std::int64_t mode = of_file("network-mode", 0, {0, 3});
    engine.precision = mode < 3 ? precisions.at(static_cast<std::size_t>(mode)) : "fp16";
    if (mode == 3) unsaid_.push_back(group.name + ": network-mode=3 (best); fp16 is taken");
    if (of_file("enable-dla", 0, {0, 1}) == 1)
      engine.placement = fmt::format("dla{}", of_file("use-dla-core", 0, {0, 1}));
    const std::int64_t type = of_file("network-type", 0, {0, 100});
    engine.filters_boxes = type == 0 || property->find("parse-bbox-func-name") != nullptr;
    engine.masks = type == 2 || type == 3;
    read_network(engine, *property, file);
    read_side(engine, *property);
    check_spelling(*infer, problems_);
    return engine;
  }

  void read_network(DeepstreamEngine& engine, const ConfigGroup& property, const std::string& file) {
    const std::string at = fs::path(file).parent_path().string();
    const std::string onnx = property.text("onnx-file");
    const std::string path = onnx.empty() ? onnx : (fs::path(at) / onnx).string();
    std::string names = onnx;
    for (const char* key : {"model-engine-file", "tlt-encoded-model", "model-file", "custom-network-config",
                            "uff-file", "proto-file", "model-name"})
      names += " " + input::file_name(property.text(key));
    const auto network = imported_network(path, names, wishes_);
    if (!network) {
      problems_.add({std::make_shared<const std::string>(file), property.line, 1}, "property",
                    fmt::format("cannot tell the network of {}", engine.name),
                    "--model NAME or FILE.onnx, or put the .onnx file where onnx-file says");
      return;
    }
    if (network->guessed && engine.filters_boxes && !finds_objects(network->model)) {
      problems_.add(
          {std::make_shared<const std::string>(file), property.line, 1}, "property",
          fmt::format("{} finds objects (network-type=0), but its name is like that of {}, which classifies",
                      engine.name, network->model),
          "--model FILE.onnx, or a detector of a like size, such as --model ssd_mobilenet_v2");
      return;
    }
    engine.model = network->model;
    if (network->guessed)
      unsaid_.push_back(
          fmt::format("the network of {}: {} is taken from its name; its .onnx file is not there",
                      engine.name, network->model));
  }

  // infer-dims=3;H;W: the size of the input, which built-in networks have.
  void read_side(DeepstreamEngine& engine, const ConfigGroup& property) {
    if (engine.model.ends_with(".onnx")) return;
    const std::string dims = property.text("infer-dims");
    if (dims.empty()) return;
    std::array<long long, 3> of{};
    if (std::sscanf(dims.c_str(), "%lld;%lld;%lld", &of[0], &of[1], &of[2]) == 3 &&
        std::min(of[1], of[2]) >= 1 && std::max(of[1], of[2]) <= 8192)
      engine.input = dnn::input_text(dnn::rectangle(static_cast<int>(of[2]), static_cast<int>(of[1])));
    else
      unsaid_.push_back(
          fmt::format("{}: infer-dims={} is no size; the network's own input is taken", engine.name, dims));
  }

  [[nodiscard]] static std::string engine_text(const DeepstreamEngine& engine) {
    std::string text = fmt::format("  - name: {}\n    model: {}\n    precision: {}\n    batch: {}\n",
                                   engine.name, yaml_text(engine.model), engine.precision, engine.batch);
    if (!engine.placement.empty()) text += fmt::format("    placement: {}\n", engine.placement);
    if (!engine.input.empty()) text += fmt::format("    input: {}\n", engine.input);
    return text;
  }

  // Stages that run on every frame are done so often for each frame that is inferred.
  [[nodiscard]] std::string often(const DeepstreamEngine& engine) const {
    return engine.interval > 0 ? fmt::format(", times: {}", engine.interval + 1) : "";
  }

  [[nodiscard]] std::string before_text(const DeepstreamEngine& engine) {
    const std::string size = "size: " + sources_.size;
    const std::string side = engine.input.empty() ? "640" : engine.input;
    std::vector<std::string> stages;
    if (sources_.encoded > 0) {
      if (sources_.codec.empty()) {
        sources_.codec = "h264";
        unsaid_.emplace_back("the codec of the sources: H.264 is taken");
      }
      stages.push_back(fmt::format("{{decode: {}, {}{}}}", sources_.codec, size, often(engine)));
    }
    stages.push_back(fmt::format("{{colour: vic, {}{}}}", size, often(engine)));
    stages.push_back(fmt::format("{{resize: {}, on: {}}}", side, gpu_or("vic", engine)));
    if (engine.placement.empty()) stages.emplace_back("{normalise: gpu}");
    if (engine.input.empty()) unsaid_.push_back(engine.name + ": the side of what is scaled; 640 is taken");
    return fmt::format("{}", fmt::join(stages, ",\n             "));
  }

  // A process on a DLA has no stage on the GPU: where it is done instead.
  [[nodiscard]] static const char* gpu_or(const char* other, const DeepstreamEngine& engine) {
    return engine.placement.empty() ? "gpu" : other;
  }

  // The tracker's word, by the name of its file.
  [[nodiscard]] std::string tracker_word(const ConfigGroup& group) {
    std::string file = input::file_name(group.text("ll-config-file")) + group.text("ll-lib-file");
    std::ranges::transform(file, file.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* word : {"nvdcf", "nvsort", "iou"})
      if (file.find(word) != std::string::npos) return word;
    unsaid_.emplace_back("the tracker: its file is not called IOU, NvSORT or NvDCF; NvDCF is taken");
    return "nvdcf";
  }

  // The tiler scales each frame to its tile of one picture of all sources. What follows works on the picture,
  // once for each batch of the muxer; a frame's part of that is its tile.
  void add_tile(const ConfigGroup& group, const DeepstreamEngine& engine, std::vector<std::string>& stages) {
    const std::int64_t width = number(group, "width", 1920, {1, 65536}),
                       height = number(group, "height", 1080, {1, 65536}),
                       columns = number(group, "columns", 1, {1, 64}),
                       rows = number(group, "rows", 1, {1, 64});
    stages.push_back(fmt::format("{{resize: {}x{}, on: {}{}}}", std::max<std::int64_t>(1, width / columns),
                                 std::max<std::int64_t>(1, height / rows), gpu_or("vic", engine),
                                 often(engine)));
    if (columns * rows < sources_.count)
      problem(&group, group.name, fmt::format("{} x {} tiles for {} sources", columns, rows, sources_.count),
              "more rows or columns");
    unsaid_.push_back(
        fmt::format("{}: the picture of all tiles is counted as full batches give it, a tile for each frame",
                    group.name));
  }

  void add_sink(const ConfigGroup& group, const DeepstreamEngine& engine, std::vector<std::string>& stages) {
    constexpr std::int64_t fake = 1, file = 3, network = 4, overlay = 5, message = 6;
    const std::int64_t type = number(group, "type", 2, {1, 10});
    if (type == fake || type == message) return;
    if (type == file || type == network) {
      const char* const codec = number(group, "codec", 1, {1, 3}) == 2 ? "h265" : "h264";
      const bool software = number(group, "enc-type", 0, {0, 1}) == 1;
      stages.push_back(software ? fmt::format("{{encode: h264, on: cpu{}}}", often(engine))
                                : fmt::format("{{encode: {}, on: nvenc{}}}", codec, often(engine)));
    } else {
      stages.push_back(
          fmt::format("{{display: {}{}}}", type == overlay ? "vic" : gpu_or("vic", engine), often(engine)));
      if (number(group, "sync", 1, {0, 1}) == 1)
        unsaid_.push_back(group.name + ": sync=1 holds frames until they are due; that is left out");
    }
  }

  [[nodiscard]] std::string after_text(const DeepstreamEngine& engine) {
    std::vector<std::string> stages;
    if (engine.filters_boxes) stages.emplace_back("{nms: cpu}");
    if (engine.masks) stages.emplace_back("{masks: cpu}");
    if (const ConfigGroup* const tracker = enabled("tracker"))
      stages.push_back(fmt::format("{{track: {}{}{}}}", tracker_word(*tracker),
                                   engine.placement.empty() ? "" : ", on: cpu", often(engine)));
    if (const ConfigGroup* const tiler = enabled("tiled-display")) add_tile(*tiler, engine, stages);
    if (enabled("osd") != nullptr)
      stages.push_back(fmt::format("{{draw: {}{}}}", gpu_or("cpu", engine), often(engine)));
    for (const ConfigGroup* sink : numbered("sink")) add_sink(*sink, engine, stages);
    if (engine.masks || enabled("tracker") != nullptr)
      unsaid_.emplace_back("the objects in an image: 10 are taken (objects: N at the stages)");
    std::string text;
    for (const std::string& stage : stages) text += ",\n             " + stage;
    return text;
  }

  // How frames come: from cameras at their rate, or from files as fast as they are taken. An engine on a DLA
  // waits for full batches, without a timeout.
  [[nodiscard]] std::string arrivals_text(const DeepstreamEngine& engine, bool has_timeout) {
    const ConfigGroup* const mux = app_.find("streammux");
    const std::int64_t timeout =
        mux == nullptr ? -1 : number(*mux, "batched-push-timeout", -1, {-1, 1'000'000'000});
    const double rate = source_rate();
    if (rate == 0) return {};
    const std::string text = fmt::format(
        "    arrivals: {{periodic: {:g} /s, streams: {}{}, queue: {{limit: {}, drop: oldest}}}}\n",
        rate / static_cast<double>(engine.interval + 1), sources_.count,
        !has_timeout && engine.batch > 1 ? ", dynamic_batching: true" : "", 4 * sources_.count);
    if (!has_timeout) return text;
    if (timeout < 0) unsaid_.emplace_back("the muxer's timeout: 40 ms are taken");
    return text + fmt::format("    max_queue_delay: {} us\n", timeout < 0 ? 40'000 : timeout);
  }

  [[nodiscard]] std::string primary_text(const DeepstreamEngine& engine) {
    const ConfigGroup* const mux = app_.find("streammux");
    DeepstreamEngine batched = engine;
    if (mux != nullptr && mux->find("batch-size") != nullptr)
      batched.batch = std::min(engine.batch, number(*mux, "batch-size", engine.batch, {1, most_batch}));
    std::string text = engine_text(batched);
    if (engine.interval > 0) {
      text += fmt::format("    interval: {}\n", engine.interval);
      unsaid_.push_back(
          fmt::format("interval={0}: images/s and arrivals are of the frames that are inferred, one in {1}; "
                      "results have frames/s too",
                      engine.interval, engine.interval + 1));
    }
    const std::string before = before_text(engine);
    text += fmt::format("    stages: [{}, infer{}]\n", before, after_text(engine));
    if (engine.placement.empty())
      text += fmt::format("    overlap: {}\n", muxer_pool);
    else
      unsaid_.emplace_back(
          "the engine is on a DLA: its stages are done one after the other here, none on the GPU: others "
          "scale and draw, the tracker's features are left out");
    return text + arrivals_text(engine, engine.placement.empty());
  }

  // The engine works on what another one, by its id, finds; without such, on what the first finds.
  [[nodiscard]] std::string secondary_text(const std::vector<DeepstreamEngine>& engines, std::size_t index) {
    const DeepstreamEngine& engine = engines[index];
    const auto found = std::ranges::find(engines, engine.works_on, &DeepstreamEngine::id);
    const bool there = found != engines.end() && &*found != &engine;
    const DeepstreamEngine& on = there ? *found : engines.front();
    const int objects = &on == &engines.front() ? 3 : 1;
    unsaid_.push_back(
        fmt::format("{}: how many objects it works on; {} of each result of {} are taken. It is a process of "
                    "its own here",
                    engine.name, objects, on.name));
    if (!there)
      unsaid_.push_back(fmt::format("{}: operate-on-gie-id={} is no other engine's gie-unique-id",
                                    engine.name, engine.works_on));
    DeepstreamEngine placed = engine;
    if (!engine.placement.empty()) {
      unsaid_.push_back(engine.name + ": enable-dla; it is on the GPU here, where it can follow primary-gie");
      placed.placement.clear();
    }
    return engine_text(placed) + fmt::format("    after: {}\n    fan_out: {{mean: {}}}\n", on.name, objects);
  }

  void note_left_out() {
    std::vector<std::string> names;
    constexpr std::array single{"application",     "osd",           "streammux",
                                "primary-gie",     "source",        "source-list",
                                "source-attr-all", "tiled-display", "tracker"};
    constexpr std::array numbered{"source", "sink", "secondary-gie"};
    for (const ConfigGroup& group : app_.groups) {
      if (group.text("enable") == "0") continue;
      const std::string word = group.name.substr(0, group.name.find_last_not_of("0123456789") + 1);
      const bool has_number = word.size() < group.name.size();
      if (has_number ? std::ranges::find(numbered, word) == numbered.end()
                     : std::ranges::find(single, group.name) == single.end())
        names.push_back(group.name);
    }
    if (!names.empty()) unsaid_.push_back(fmt::format("left out: groups {}", fmt::join(names, ", ")));
  }

  const ConfigGroups& app_;
  const ImportWishes& wishes_;
  input::Problems& problems_;
  std::string folder_;
  DeepstreamSources sources_;
  std::set<std::string> names_;  // by the files of engines
  std::vector<std::string> unsaid_;
};

}  // namespace

std::optional<ImportedScenario> deepstream_scenario(const std::string& path, const ImportWishes& wishes,
                                                    input::Problems& problems) {
  auto app = read_config_groups(path, problems);
  if (!app) return std::nullopt;
  const std::size_t before = problems.count();
  expand_source_lists(*app, problems);
  if (problems.count() > before) return std::nullopt;
  DeepstreamImport import(*app, wishes, problems);
  const std::string body = import.body();
  if (problems.count() > before) return std::nullopt;
  return imported_scenario("deepstream-app " + fs::path(path).filename().string(), body, import.unsaid());
}

}  // namespace jostle::calibration
