#include "calibration/record/tools.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/power_sensors.hpp"

namespace jostle {

// The scripts, embedded.
std::string_view record_torch();
std::string_view record_onnxruntime();

}  // namespace jostle

namespace jostle::calibration::record {
namespace {

using Words = std::string_view;

constexpr std::array<Words, 4> trtexec{"trtexec", "/usr/src/tensorrt/bin/trtexec",
                                       "/usr/local/tensorrt/bin/trtexec", "/opt/tensorrt/bin/trtexec"};
constexpr std::array<Words, 1> python{"python3"}, llama{"llama-bench"}, tflite{"benchmark_model"},
    ncnn{"benchncnn"};
constexpr std::array<Words, 1> any{""};
constexpr std::array<Words, 1> half{"fp16"}, single{"fp32"};
constexpr std::array<Words, 3> threads{"1", "half", "all"};

// TensorRT's own times leave the transfers out (gpu_time) or hold them (latency); without them the rate is
// another.
constexpr std::array trtexec_runs{
    ToolRun{"alone", "--avgRuns=100 --exportTimes={out}/times.json", "trtexec", "tensorrt"},
    ToolRun{"graph", "--avgRuns=100 --useCudaGraph", "trtexec", "tensorrt-graph"},
    ToolRun{"no_transfers", "--avgRuns=100 --noDataTransfers", "trtexec", "tensorrt", {}, {}, "none"},
    ToolRun{"layers",
            "--dumpProfile --separateProfileRun --exportProfile={out}/profile.json",
            "trtexec",
            "tensorrt",
            "profile.json",
            "trtexec-profile",
            {},
            false}};
constexpr std::array onnxruntime_runs{
    ToolRun{"cpu",
            "{model} --provider CPUExecutionProvider --threads {threads} --batch {batch} --seconds {seconds}",
            "", "cpu"},
    ToolRun{
        "cuda",
        "{model} --provider CUDAExecutionProvider --threads {threads} --batch {batch} --seconds {seconds}",
        "", "onnxruntime"}};
constexpr std::array llama_runs{
    ToolRun{"bench", "-m {model} -t {threads} -p 512 -n 128 -ngl 99 -o json", "llama-bench", "llama.cpp"},
    ToolRun{"deep", "-m {model} -t {threads} -p 0 -n 64 -d 2048 -ngl 99 -o json", "llama-bench", "llama.cpp"},
    ToolRun{"cores", "-m {model} -t {threads} -p 128 -n 32 -ngl 0 -o json", "llama-bench", "llama.cpp"}};
constexpr std::array tflite_runs{ToolRun{
    "cpu", "--graph={model} --num_threads={threads} --min_secs={seconds} --warmup_min_secs=1", "", "tflite"}};
constexpr std::array ncnn_runs{ToolRun{"cpu", "64 {threads} 2 -1 0 param={model}", "", "ncnn"}};

constexpr std::array printed{
    Pattern{
        R"(([0-9.]+(?:e[+-]?[0-9]+)?) *(?:images|imgs?|frames|inferences|infer|samples|items|queries|it|fps|FPS)(?: ?/ ?s| ?per second|\b))",
        "images/s"},
    Pattern{R"((?:[Tt]hroughput|FPS|fps)[^0-9\n]{0,12}([0-9.]+))", "images/s"},
    Pattern{R"((?:[Ll]atency|[Tt]ime|mean|avg)[^0-9\n]{0,16}([0-9.]+) ?(?:ms|milliseconds))", "ms"},
    Pattern{R"((?:[Ll]atency|[Tt]ime|mean|avg)[^0-9\n]{0,16}([0-9.]+) ?us)", "us"}};
constexpr std::array tflite_prints{Pattern{R"(Inference \(avg\): ([0-9.e+]+))", "us"},
                                   Pattern{R"(avg=([0-9.e+]+) std)", "us"}};
constexpr std::array ncnn_prints{Pattern{R"(avg = +([0-9.]+))", "ms"}};

// clang-format off
constexpr std::array all{
    Tool{"trtexec", trtexec, "it comes with TensorRT (sudo apt install tensorrt), usually in /usr/src/tensorrt/bin", ".onnx", "gpu",
         "--onnx={model} --saveEngine={engine} --{precision} --shapes={shapes} --profilingVerbosity=detailed", trtexec_runs, {}, half, any,
         "--loadEngine={engine} --warmUp={warmup} --duration={seconds} --shapes={shapes} "},
    Tool{"onnxruntime", python, "it needs python3 with onnxruntime (pip install onnxruntime, or onnxruntime-gpu)", ".onnx", "gpu", "",
         onnxruntime_runs, printed, single, threads, {}, "onnxruntime"},
    Tool{"llama", llama, "it comes with llama.cpp (build/bin/llama-bench)", ".gguf", "gpu", "", llama_runs, {}, any, threads},
    Tool{"tflite", tflite, "it is TensorFlow Lite's benchmark_model (tensorflow.org/lite/performance/measurement)", ".tflite", "cpu", "",
         tflite_runs, tflite_prints, single, threads},
    Tool{"ncnn", ncnn, "it is built with ncnn (build/benchmark/benchncnn)", ".param", "cpu", "", ncnn_runs, ncnn_prints, single, threads}};
// clang-format on

namespace fs = std::filesystem;

constexpr std::int64_t look_every_ns = 100'000'000;
constexpr int not_started = 127;

// Starts a command in a group of its own, so that what it starts ends with it.
pid_t started(const Command& command) {
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, 0);
  if (!command.output.empty()) {
    const int file = ::open(command.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) ::_exit(not_started);
    ::dup2(file, 1);
    ::dup2(file, 2);
  }
  ::execvp(words.front(), words.data());
  ::_exit(not_started);
}

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The mean of the samples in the last half, without those of the last 0.3 s, while programs end.
double settled(const std::vector<std::pair<std::int64_t, double>>& samples, std::int64_t begin,
               std::int64_t end) {
  double sum = 0, count = 0;
  for (const auto& [at, watts] : samples)
    if (at > begin + (end - begin) / 2 && at < end - 300'000'000) {
      sum += watts;
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

}  // namespace

std::span<const Tool> tools() {
  return all;
}

const Tool* find_tool(std::string_view word) {
  const auto found = std::ranges::find(all, word, &Tool::word);
  return found == all.end() ? nullptr : &*found;
}

std::span<const Pattern> usual_patterns() {
  return printed;
}

std::vector<std::string> filled_arguments(std::string_view arguments, const Settings& settings) {
  const std::array<std::pair<std::string_view, const std::string*>, 9> places{
      {{"{model}", &settings.model},
       {"{engine}", &settings.engine},
       {"{precision}", &settings.precision},
       {"{batch}", &settings.batch},
       {"{shapes}", &settings.shapes},
       {"{threads}", &settings.threads},
       {"{seconds}", &settings.seconds},
       {"{warmup}", &settings.warmup},
       {"{out}", &settings.out}}};
  std::vector<std::string> found;
  while (!arguments.empty()) {
    std::string word(arguments.substr(0, arguments.find(' ')));
    arguments.remove_prefix(std::min(word.size() + 1, arguments.size()));
    bool missing = false;
    for (const auto& [place, value] : places)
      if (const std::size_t at = word.find(place); at != std::string::npos) {
        missing |= value->empty();
        word.replace(at, place.size(), *value);
      }
    if (missing && !word.starts_with('-') && !found.empty() && found.back().starts_with("--"))
      found.pop_back();
    if (!missing) found.push_back(std::move(word));
  }
  return found;
}

std::string_view script_of(std::string_view word) {
  return word == "torch" ? record_torch() : record_onnxruntime();
}

Ran run_together(const std::vector<Command>& commands, double limit_s, const std::atomic<bool>& interrupted,
                 const std::function<void()>& meanwhile) {
  Ran ran;
  ran.codes.assign(commands.size(), not_started);
  const probe::PowerSensors sensors("/");
  std::vector<std::pair<std::int64_t, double>> samples;
  const std::int64_t begin = probe::now_ns();
  std::vector<pid_t> children;
  for (const Command& command : commands) children.push_back(started(command));
  std::size_t left =
      static_cast<std::size_t>(std::ranges::count_if(children, [](pid_t child) { return child > 0; }));
  std::int64_t ending = 0;  // when they were asked to end
  constexpr std::int64_t patience_ns = 5'000'000'000;
  while (left > 0) {
    for (std::size_t i = 0; i < children.size(); ++i) {
      int status = 0;
      if (children[i] <= 0 || ::waitpid(children[i], &status, WNOHANG) != children[i]) continue;
      ran.codes[i] = code_of(status);
      children[i] = 0;
      --left;
    }
    const std::int64_t now = probe::now_ns();
    ran.interrupted |= interrupted;
    ran.too_late |= static_cast<double>(now - begin) > 1e9 * limit_s;
    if (ran.interrupted || ran.too_late) {
      for (const pid_t child : children)
        if (child > 0 && (ending == 0 || now - ending > patience_ns))
          ::kill(-child, ending == 0 ? SIGTERM : SIGKILL);
      if (ending == 0) ending = now;
    }
    if (const double watts = probe::PowerSensors::board_power(sensors.read()); watts > 0)
      samples.emplace_back(now, watts);
    meanwhile();
    if (left > 0) probe::wait_until(now + look_every_ns, interrupted);
    if (ending != 0) ::usleep(10'000);
  }
  const std::int64_t end = probe::now_ns();
  ran.seconds = 1e-9 * static_cast<double>(end - begin);
  ran.watts = settled(samples, begin, end);
  return ran;
}

std::string program_at(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* const path = std::getenv("PATH");
  std::string places = path != nullptr ? path : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= places.size();) {
    const std::size_t end = std::min(places.find(':', at), places.size());
    const fs::path file = fs::path(places.substr(at, end - at)) / name;
    std::error_code error;
    if (fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0) return file.string();
    at = end + 1;
  }
  return {};
}

}  // namespace jostle::calibration::record
