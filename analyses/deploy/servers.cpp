// Triton, and deepstream-app: a configuration for each process with sources, and a file of nvinfer for each
// network (keys of NVIDIA's DeepStream Development Guide: DeepStream Reference Application; Gst-nvinfer).
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "analyses/deploy/deploying.hpp"
#include "models/media/spec.hpp"
#include "output/json.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Placement;
using scenarios::Stage;
using Values = std::map<std::string, std::string>;

std::string_view where_done(const Stage& stage) {
  return stage.engine ? media::to_string(*stage.engine) : stage.on_gpu ? "gpu" : "cpu";
}

// Sets a value for each stage, "~after/track" to "nvdcf"; tells those that DeepStream does not have or does
// elsewhere, and those that it has besides.
void read_stages(Deploying& all, DeployedPart& part) {
  const bool on_dla = part.entry.host.placement != Placement::gpu;
  const nlohmann::ordered_json& elements = tools()["deepstream"]["elements"];
  for (const std::string side : {"before/", "after/"})
    for (const Stage& stage : side == "before/" ? part.entry.around.before : part.entry.around.after) {
      const std::size_t space = stage.name.find(' ');
      const std::string key = side + stage.name.substr(0, space);
      part.settings.values["~" + key] = space == std::string::npos ? "" : stage.name.substr(space + 1);
      const std::string on = elements.contains(key) ? elements[key][on_dla ? 1 : 0].get<std::string>() : "";
      if (!elements.contains(key))
        all.tell(part.name, fmt::format("stage {}: deepstream-app has no such element", stage.name));
      else if (!on.empty() && on != where_done(stage))
        all.tell(part.name,
                 fmt::format("stage {} on {}: DeepStream does it on {}", stage.name, where_done(stage), on));
    }
  for (const std::string key : {"colour", "resize", "normalise"})
    if (!part.settings.values.contains("~before/" + key) && !(on_dla && key == "normalise"))
      all.tell(part.name, fmt::format("DeepStream has a stage {} besides", key));
}

// nvinfer's file.
void write_infer(Deploying& all, DeployedPart& part, int id) {
  const scenarios::ProcessEntry& entry = part.entry;
  Values& values = part.settings.values;
  const auto* const onnx = std::get_if<scenarios::OnnxModel>(&entry.work.model);
  values["~id"] = std::to_string(id);
  values["~onnx"] = onnx != nullptr ? std::filesystem::absolute(onnx->resolved).string()
                                    : scenarios::model_name(entry) + ".onnx";
  values["~type"] = values.contains("~after/nms") ? "0" : values.contains("~after/masks") ? "2" : "1";
  for (const char* const key : {"~before/resize", "input"})
    if (const auto size = values.find(key); size != values.end()) {
      const std::size_t cross = size->second.find('x');
      const std::string width = size->second.substr(0, cross);
      values["~sides"] = (cross == std::string::npos ? width : size->second.substr(cross + 1)) + ';' + width;
    }
  all.made.files.push_back(
      {part.name + "_infer.txt", lines_of("deepstream", "infer", part.settings), part.name});
}

// Cameras have a rate; files are read as fast as they are worked on.
std::string sources_text(const scenarios::ProcessEntry& entry, const Values& values) {
  const auto decode = values.find("~before/decode");
  const bool cameras = !entry.arrivals.closed_loop(), encoded = decode != values.end();
  std::string text;
  for (std::int64_t i = 0; i < entry.arrivals.streams; ++i) {
    text += fmt::format("[source{}]\nenable=1\ntype={}\n", i, !cameras ? 2 : encoded ? 4 : 5);
    if (const auto& first = entry.around.before; !first.empty() && first.front().width > 0)
      text += fmt::format("camera-width={}\ncamera-height={}\n", first.front().width, first.front().height);
    if (encoded)
      text += fmt::format("uri={}{}/stream.{}\n", cameras ? "rtsp://camera-" : "file:///videos/", i,
                          decode->second);
    const double rate = entry.arrivals.rate_per_s * static_cast<double>(entry.around.interval + 1);
    if (entry.arrivals.kind == process::ArrivalKind::periodic)
      text += fmt::format("camera-fps-n={}\ncamera-fps-d=1000\n", std::llround(rate * 1000));
    text += "\n";
  }
  return text;
}

std::string sinks_text(const std::vector<Stage>& after) {
  std::string text;
  int sinks = 0;
  for (const Stage& stage : after)
    if (stage.name.starts_with("encode"))
      text +=
          fmt::format("\n[sink{}]\nenable=1\ntype=3\nsync=0\ncodec={}\nenc-type={}\noutput-file=out.mp4\n",
                      sinks++, stage.name.ends_with("h265") ? 2 : 1, stage.engine ? 0 : 1);
    else if (stage.name.starts_with("display"))
      text += fmt::format("\n[sink{}]\nenable=1\ntype=2\nsync=0\n", sinks++);
  return sinks > 0 ? text : text + "\n[sink0]\nenable=1\ntype=1\nsync=0\n";
}

// The tiles of a picture of all sources, whose size the stage behind the network has.
std::string tiles_text(const std::string& size, std::int64_t sources) {
  long long width = 0, height = 0;
  (void)std::sscanf(size.c_str(), "%lldx%lld", &width, &height);
  const auto columns = std::llround(std::ceil(std::sqrt(sources))), rows = (sources + columns - 1) / columns;
  return fmt::format("columns={}\nrows={}\nwidth={}\nheight={}\n", columns, rows, columns * width,
                     rows * height);
}

void write_app(Deploying& all, DeployedPart& part, const std::string& seconds) {
  const process::Arrivals& arrivals = part.entry.arrivals;
  Values& values = part.settings.values;
  values["~sources"] = sources_text(part.entry, values);
  values["~live"] = arrivals.closed_loop() ? "0" : "1";
  values["~seconds"] = seconds;
  values["~sinks"] = sinks_text(part.entry.around.after);
  if (const auto tile = values.find("~after/resize"); tile != values.end())
    values["~tiles"] = tiles_text(tile->second, arrivals.streams);
  // The queues that the import takes: four frames of each source, and full batches for a DLA.
  part.settings.say("arrivals/queue/limit", arrivals.queue_limit == 4 * arrivals.streams);
  if (!arrivals.closed_loop() && !arrivals.queue_limit)
    all.tell(part.name, fmt::format("DeepStream has a queue of {} frames besides, which drops the oldest",
                                    4 * arrivals.streams));
  part.settings.say("arrivals/dynamic_batching", part.entry.host.placement != Placement::gpu);
  all.made.files.push_back({part.name + ".txt", lines_of("deepstream", "app", part.settings), part.name});
}

}  // namespace

// Triton: a repository of models for each process, which is a server. What its import needs and
// ModelConfig has no field for are parameters.
void write_triton(Deploying& all) {
  const bool several = all.parts.back().process != all.parts.front().process;
  for (DeployedPart& part : all.parts) {
    if (!part.runs_network()) {
      all.tell(part.name, "left out; its backend has a configuration of its own");
      continue;
    }
    auto& values = part.settings.values;
    const process::Arrivals& arrivals = part.entry.arrivals;
    nlohmann::ordered_json requests =
        part.json.contains("arrivals") ? part.json["arrivals"] : nlohmann::ordered_json("closed loop");
    if (arrivals.max_delay && arrivals.queue_limit && arrivals.drop == process::Drop::newest) {
      values["~queue"] = std::to_string(*arrivals.queue_limit);
      requests.erase("queue");
    }
    if (arrivals.kind != process::ArrivalKind::cascade)
      values["~arrivals"] = requests.is_string() ? requests.get<std::string>() : output::json_text(requests);
    for (const auto& [key, value] : values) part.settings.say(key, key.starts_with("arrivals/"));
    if (!arrivals.max_delay && part.entry.work.batch > 1) values["~request"] = values["batch"];
    if (values["runtime"] == "onnxruntime-tensorrt") values["~accelerated"] = values["precision"];
    values["~streams"] = std::to_string(part.entry.gpu.streams);
    values.emplace("placement", "gpu");
    all.made.files.push_back({(several ? part.process + "/" : "") + part.name + "/config.pbtxt",
                              lines_of("triton", "model", part.settings), part.name});
  }
}

void write_deepstream(Deploying& all) {
  all.tell("", "run: read back, it lasts 10 s after 2 s of warm-up");
  for (DeployedPart& part : all.parts) {
    if (!part.runs_network()) all.tell(part.name, "left out; nvinfer runs networks");
    if (!part.runs_network() || !part.entry.arrivals.after.empty()) continue;
    int id = 1;
    read_stages(all, part);
    write_infer(all, part, id);
    std::string seconds;
    for (DeployedPart& other : all.parts) {
      if (part.entry.name.empty() || other.entry.arrivals.after != part.entry.name) continue;
      seconds += fmt::format(
          "\n[secondary-gie{}]\nenable=1\nbatch-size={}\ngie-unique-id={}\noperate-on-gie-id=1\n"
          "config-file={}_infer.txt\n",
          id - 1, other.entry.work.batch, id + 1, other.name);
      write_infer(all, other, ++id);
    }
    write_app(all, part, seconds);
  }
}

}  // namespace jostle::analyses
