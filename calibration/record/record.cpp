#include "calibration/record/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "calibration/logs/run_logs.hpp"
#include "calibration/probe/board_state.hpp"
#include "calibration/probe/busy.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/record/tool_output.hpp"
#include "input/printable.hpp"
#include "output/uninterrupted.hpp"

namespace jostle::calibration::record {
namespace {

namespace fs = std::filesystem;

constexpr double build_s = 1800;

// The seconds that it will take, for an announcement.
double seconds_of(const Tool* tool, const RecordQuestion& question) {
  if (tool == nullptr) return 0;
  const double runs =
      static_cast<double>(tool->runs.size() * question.words.size() * (1 + question.equal.size()));
  const double settings = static_cast<double>((question.quick ? 1 : tool->threads.size()) *
                                              std::max<std::size_t>(1, question.precisions.size()) *
                                              std::max<std::size_t>(1, question.batches.size()));
  constexpr double quick_s = 5, full_s = 13, build = 60;
  return runs * settings * (question.quick ? quick_s : full_s) +
         (tool->build.empty() ? 0 : build * static_cast<double>(question.words.size()));
}

class ToolRecorder {
 public:
  ToolRecorder(const Tool* tool, const RecordQuestion& question, const std::atomic<bool>& interrupted,
               const RecordListener& listener)
      : tool_(tool),
        question_(question),
        interrupted_(interrupted),
        listener_(listener),
        networks_(question.folder / "networks") {}

  RecordReport run() {
    if (!find_program()) return std::move(report_);
    if (const double seconds = seconds_of(tool_, question_); seconds > 0)
      listener_.say(fmt::format("{} into {}, about {:.0f} min", tool_->word,
                                input::printable(networks_.string(), 400), seconds / 60 + 0.5));
    if (question_.dry_run) return std::move(report_);
    probe::Claim claim(networks_);
    if (const std::string why = not_ready(question_.busy, interrupted_, listener_); !why.empty()) {
      report_ = {.ended = RecordEnded::refused, .why = why};
      return std::move(report_);
    }
    const std::vector<std::string> models = tool_ != nullptr ? question_.words : std::vector<std::string>{""};
    for (const std::string& model : models) {
      if (interrupted_) break;
      record_model(model);
    }
    const bool engines = fs::exists(networks_ / "engines");  // they took minutes to build
    if (engines || !report_.finished.empty() || !report_.kept.empty() || !report_.aside.empty()) claim.keep();
    if (interrupted_)
      report_.ended = RecordEnded::interrupted;
    else if (!report_.aside.empty())
      report_.ended = RecordEnded::set_aside;
    return std::move(report_);
  }

 private:
  void refuse(std::string why) { report_ = {.ended = RecordEnded::refused, .why = std::move(why)}; }

  bool find_program() {
    if (tool_ == nullptr) {
      program_ = program_at(question_.words.front());
      if (program_.empty())
        refuse(fmt::format("there is no program {}", input::printable(question_.words.front())));
      return !program_.empty();
    }
    for (const std::string_view name : tool_->found) {
      program_ = program_at(tool_->script.empty() ? std::string(name) : question_.python);
      if (!program_.empty()) return models_are_there();
    }
    refuse(fmt::format("there is no {} here: {}", tool_->found.front(), tool_->origin));
    return false;
  }

  bool models_are_there() {
    for (const std::string& model : question_.words) {
      if (!model.ends_with(tool_->suffix))
        refuse(fmt::format("{}: {} takes files that end in {}", input::printable(model), tool_->word,
                           tool_->suffix));
      else if (std::error_code error; !fs::is_regular_file(model, error))
        refuse(fmt::format("there is no {}", input::printable(model)));
      else
        continue;
      return false;
    }
    return true;
  }

  [[nodiscard]] std::string name_of(const std::string& model) const {
    const std::string stem = tool_ != nullptr         ? fs::path(model).stem().string()
                             : question_.name.empty() ? fs::path(question_.words.front()).filename().string()
                                                      : question_.name;
    std::string name = fmt::format("{}@{}", stem, tool_ != nullptr ? tool_->word : "command");
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
          std::string_view("@._-").find(c) == std::string_view::npos)
        c = '_';
    return name;
  }

  [[nodiscard]] std::vector<Combination> combinations() const {
    std::vector<Combination> found;
    const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::int64_t> threads{0};
    if (tool_ != nullptr && tool_->threads.size() > 1)
      threads = {1, std::max<std::int64_t>(1, cores / 2), cores};
    if (question_.quick) threads = {threads.back()};
    threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    std::vector<std::string> precisions = question_.precisions;
    if (precisions.empty() && tool_ != nullptr)
      precisions.assign(tool_->precisions.begin(), tool_->precisions.end());
    if (precisions.empty()) precisions = {""};
    const std::vector<std::int64_t> batches =
        question_.batches.empty() ? std::vector<std::int64_t>{0} : question_.batches;
    for (const std::string& precision : precisions)
      for (const std::int64_t batch : batches)
        for (const std::int64_t count : threads) found.push_back({precision, batch, count});
    return found;
  }

  void record_model(const std::string& model) {
    const std::string name = name_of(model);
    const fs::path place = networks_ / name, part = networks_ / (name + ".part");
    std::error_code ignored;
    if (fs::exists(place / "rates.csv", ignored)) {
      report_.kept.push_back(name);
      listener_.say(name + " is there already");
      return;
    }
    fs::remove_all(part, ignored);
    const output::Temporary listed(part.string());
    fs::create_directories(part);
    probe::give_to_caller(part);
    const probe::MachineFiles machine("/");
    probe::StateWatch watch(machine);
    watch_ = &watch;
    std::string failure;
    std::vector<LogFile> logs;
    mixes_.clear();
    problems_.clear();
    try {
      for (const Combination& one : combinations()) run_combination(model, name, one, part, logs);
      if (logs.empty())
        throw Failed(problems_.empty() ? "it printed nothing that can be read" : problems_.front());
      write_rates(model, name, part, std::move(logs));
    } catch (const Failed& error) {
      failure = error.what();
    } catch (...) {
      fs::remove_all(part, ignored);
      throw;
    }
    watch.look(true);
    if (interrupted_)
      fs::remove_all(part, ignored);
    else
      put_in_place(name, part, failure, watch.changed());
  }

  void put_in_place(const std::string& name, const fs::path& part, const std::string& failure,
                    const std::string& changed) {
    const output::Uninterrupted whole;
    std::error_code ignored;
    for (const char* const old : {".failed", ".mixed"}) fs::remove_all(networks_ / (name + old), ignored);
    const bool good = failure.empty() && changed.empty();
    const std::string why = !failure.empty() ? failure : "the state changed: " + changed;
    if (!good) probe::write_file(part / "why.txt", why + "\n");
    fs::rename(part, networks_ / (name + (good ? "" : failure.empty() ? ".mixed" : ".failed")));
    if (good) {
      append_mixes();
      report_.finished.push_back(name);
    } else {
      report_.aside.push_back(name);
      listener_.say(fmt::format("{} is left out: {}", name, why));
    }
  }

  // Runs of a tool in one setting; what fails is told, and the others go on.
  void run_combination(const std::string& model, const std::string& name, const Combination& one,
                       const fs::path& part, std::vector<LogFile>& logs) {
    if (interrupted_) return;
    Settings settings{.model = model,
                      .engine = {},
                      .precision = one.precision == "fp32"   ? "noTF32"
                                   : one.precision == "tf32" ? ""
                                                             : one.precision,
                      .batch = one.batch > 0 ? fmt::format("{}", one.batch) : "",
                      .shapes = shapes_of(one),
                      .threads = one.threads > 0 ? fmt::format("{}", one.threads) : "",
                      .seconds = question_.quick ? "3" : "8",
                      .warmup = question_.quick ? "500" : "2000",
                      .out = part.string()};
    if (tool_ != nullptr && !tool_->build.empty()) settings.engine = engine_of(name, one, settings);
    const ToolRun command{"run", "", "", question_.runtime};
    const std::span<const ToolRun> runs =
        tool_ != nullptr ? tool_->runs : std::span<const ToolRun>(&command, 1);
    for (const ToolRun& run : runs) {
      if (interrupted_) return;
      try {
        run_one(run, name, one, settings, logs);
      } catch (const Failed& error) {
        problems_.push_back(fmt::format("{}: {}", run.name, error.what()));
        listener_.say(fmt::format("{}: {}", name, problems_.back()));
      }
    }
  }

  [[nodiscard]] std::string shapes_of(const Combination& one) const {
    const std::size_t at = question_.input.find(':');
    if (at == std::string::npos) return {};
    return fmt::format("{}:{}x{}", question_.input.substr(0, at), std::max<std::int64_t>(one.batch, 1),
                       question_.input.substr(at + 1));
  }

  // Builds the engine, once: it is kept beside the networks.
  std::string engine_of(const std::string& name, const Combination& one, Settings settings) {
    const fs::path engines = networks_ / "engines";
    const std::string stem = fmt::format("{}-{}-b{}", name, one.precision, one.batch);
    const fs::path engine = engines / (stem + ".engine"), part = engines / (stem + ".engine.part");
    std::error_code ignored;
    if (fs::exists(engine, ignored)) return engine.string();
    fs::create_directories(engines);
    settings.engine = part.string();
    listener_.say("building " + stem);
    const fs::path log = engines / (stem + ".log");
    for (const char* const no_run : {"--skipInference", "--buildOnly"}) {
      std::vector<std::string> words = words_of(tool_->build, settings);
      words.emplace_back(no_run);
      const Ran ran = run_together({{words, log}}, build_s, interrupted_, [] {});
      if (ran.interrupted) break;
      if (ran.codes.front() != 0 || !fs::exists(part, ignored)) continue;
      fs::rename(part, engine);
      return engine.string();
    }
    fs::remove(part, ignored);
    throw Failed("the engine could not be built: " + last_words(log));
  }

  [[nodiscard]] std::vector<std::string> words_of(std::string_view arguments,
                                                  const Settings& settings) const {
    if (tool_ == nullptr) return question_.words;
    std::vector<std::string> words{program_};
    if (!tool_->script.empty()) words.insert(words.end(), {"-c", std::string(script_of(tool_->script))});
    for (std::string& word : filled_arguments(arguments, settings)) words.push_back(std::move(word));
    return words;
  }

  void run_one(const ToolRun& run, const std::string& name, const Combination& one, const Settings& settings,
               std::vector<LogFile>& logs) {
    const std::string label = label_of(run, one);
    const Pattern given{question_.pattern, question_.unit};
    OutputReading reading{tool_ != nullptr ? tool_->word : std::string_view(question_.name),
                          tool_ != nullptr ? tool_->placement : std::string_view(),
                          tool_ != nullptr ? tool_->patterns : usual_patterns()};
    if (tool_ == nullptr && !question_.pattern.empty()) reading.patterns = {&given, 1};
    std::vector<std::int64_t> counts{1};
    if (run.timed) counts.insert(counts.end(), question_.equal.begin(), question_.equal.end());
    for (const std::int64_t count : counts) {
      if (interrupted_) return;
      listener_.progress(fmt::format("{} {}{}", name, label, count > 1 ? fmt::format(" x{}", count) : ""), 0);
      std::vector<Command> commands;
      for (std::int64_t i = 0; i < count; ++i)
        commands.push_back(
            {words_of(std::string(tool_ != nullptr ? tool_->always : "") + std::string(run.arguments),
                      settings),
             fs::path(settings.out) /
                 fmt::format("{}{}.log", label, count > 1 ? fmt::format("-x{}.{}", count, i) : "")});
      const Ran ran = run_together(commands, build_s, interrupted_, [this] { watch_->look(false); });
      if (ran.interrupted) return;
      if (ran.too_late) throw Failed("it took too long");
      for (std::size_t i = 0; i < commands.size(); ++i)
        if (ran.codes[i] != 0)
          throw Failed(fmt::format("it ended with {}: {}", ran.codes[i], last_words(commands[i].output)));
      std::vector<LogFile> read;
      for (const Command& command : commands) read.push_back(read_log(reading, run, one, command.output));
      if (count == 1) {
        if (run.timed && ran.watts > 0)
          read.front().imports.front().rows.push_back({.metric = "power", .value = ran.watts, .unit = "W"});
        if (run.timed) logs.push_back(std::move(read.front()));
        if (!run.file.empty()) add_file(run, one, fs::path(settings.out) / run.file, logs);
      } else {
        mixes_ += mix_rows(name, run, one, read, ran.watts);
      }
    }
  }

  void append_mixes() {
    if (mixes_.empty()) return;
    const fs::path file = networks_ / "mixes.csv";
    const std::string before = text_in(file);
    probe::write_file(file, (before.empty() ? mixes_header : before) + mixes_);
  }

  void write_rates(const std::string& model, const std::string& name, const fs::path& part,
                   std::vector<LogFile> logs) {
    std::string file = tool_ != nullptr && tool_->suffix == ".onnx" ? name + ".onnx" : "";
    profiles::NetworkFiles networks({}, {part.string()});
    if (!file.empty()) {
      input::Problems unread;
      fs::copy_file(model, part / file);
      if (networks.read((part / file).string(), unread) == nullptr) {
        listener_.say(
            fmt::format("{}: the rates count, its file does not: {}", name, unread.list().front().message));
        fs::remove(part / file);
        file.clear();
      }
    }
    const std::string known = tool_ != nullptr ? fs::path(model).stem().string() : question_.name;
    probe::write_file(part / "rates.csv", rates_csv(std::move(logs), file.empty() ? known : file, networks));
  }

  const Tool* tool_;
  const RecordQuestion& question_;
  const std::atomic<bool>& interrupted_;
  const RecordListener& listener_;
  fs::path networks_;
  std::string program_;
  probe::StateWatch* watch_ = nullptr;
  std::vector<std::string> problems_;
  std::string mixes_;
  RecordReport report_;
};

}  // namespace

std::string not_ready(bool busy, const std::atomic<bool>& interrupted, const RecordListener& listener) {
  const probe::MachineFiles files("/");
  if (!busy)
    if (const std::string reason = probe::busy_reason(files, interrupted); !reason.empty())
      return reason + ". End them, or record all the same with --busy";
  const std::string why = probe::wait_until_cool(files, interrupted, listener.say);
  return why.empty() ? why : "the machine stays hot or throttled: " + why;
}

RecordReport record_tool(const Tool* tool, const RecordQuestion& question,
                         const std::atomic<bool>& interrupted, const RecordListener& listener) {
  std::error_code in_use;
  const bool was_there = fs::exists(question.folder, in_use);
  RecordReport report = ToolRecorder(tool, question, interrupted, listener).run();
  if (!was_there) fs::remove(question.folder, in_use);  // only if nothing is in it
  return report;
}

}  // namespace jostle::calibration::record
