// Reads a process that generates text: the lengths of its prompts and answers (`generate`) or the test of
// llama-bench that it repeats (`bench`), and the number of sequences that it holds.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "input/csv.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/units.hpp"
#include "models/llm/architecture.hpp"
#include "models/llm/offload.hpp"
#include "scenarios/language/arrival_trace.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/names.hpp"

namespace jostle::scenarios {
namespace {

using process::Length;
using process::LengthKind;

constexpr std::int64_t max_users = 1024, max_sequences = 256;

// Reads a length: 512; {uniform: [64, 512]}; {lognormal: {mean: 300, variation: 0.8, max: 4096}}.
Length read_length(const Cursor& at, std::int64_t least) {
  Length length;
  const auto fixed = [&](std::int64_t tokens) { length.least = length.most = tokens; };
  fixed(std::max<std::int64_t>(least, 1));
  if (!at.is(Kind::mapping)) {
    if (const auto tokens = Integer{least, max_tokens}(at)) fixed(*tokens);
    return length;
  }
  Mapping mapping(at, "a number of tokens, {uniform: [64, 512]} or {lognormal: {mean: 300, variation: 0.8}}");
  const auto uniform = mapping.find("uniform"), lognormal = mapping.find("lognormal");
  if (!mapping.exactly_one({"uniform", "lognormal"})) return length;
  if (uniform) {
    if (const auto ends = read_ends(*uniform, "two numbers of tokens, such as [64, 512]", least, max_tokens))
      length = {.kind = LengthKind::uniform, .least = ends->first, .most = ends->second};
  } else {
    Mapping inner(*lognormal, "{mean: 300, variation: 0.8, max: 4096}");
    length.kind = LengthKind::lognormal;
    length.least = least;
    inner.required("mean", length.mean, Real{1, static_cast<double>(max_tokens)});
    inner.required("variation", length.variation, Real{0, 10});
    const double tail = length.mean * (1 + 4 * length.variation);
    length.most = std::min(max_tokens, static_cast<std::int64_t>(tail) + 1);
    inner.optional("max", length.most, Integer{std::max<std::int64_t>(least, 1), max_tokens});
  }
  return length;
}

// Reads a CSV file with columns prompt and tokens, one request a row.
void read_trace(const Cursor& at, const LoadContext& context, LanguageWork& work) {
  const auto file = Text{}(at);
  if (!file) return;
  work.trace.file = *file;
  const std::string path = resolved(context, *file);
  const auto text = input::read_text_file(path, max_trace_bytes, at.problems());
  if (!text) return;
  process::GenerationSpec& spec = work.spec;
  spec.prompt.kind = spec.tokens.kind = LengthKind::listed;
  try {
    const auto csv = input::CsvTable::parse(*text, path);
    if (csv.rows() == 0) throw input::CsvError(path, 1, "no requests in the file");
    for (std::size_t i = 0; i < csv.rows(); ++i) {
      const auto row = csv.row(i);
      const std::int64_t prompt = row.integer(csv.column("prompt")),
                         tokens = row.integer(csv.column("tokens"));
      if (prompt < 1 || tokens < 1 || prompt > max_tokens || tokens > max_tokens)
        row.fail(fmt::format("lengths are from 1 to {} tokens", max_tokens));
      spec.prompt.listed.push_back(prompt);
      spec.tokens.listed.push_back(tokens);
      work.trace.hash =
          work.trace.hash * 0x100000001b3ULL + static_cast<std::uint64_t>(prompt * 1'000'003 + tokens);
    }
  } catch (const input::CsvError& error) {
    return at.problem(error.what());
  }
  std::tie(spec.prompt.least, spec.prompt.most) =
      std::pair(std::ranges::min(spec.prompt.listed), std::ranges::max(spec.prompt.listed));
  std::tie(spec.tokens.least, spec.tokens.most) =
      std::pair(std::ranges::min(spec.tokens.listed), std::ranges::max(spec.tokens.listed));
}

// Reads the number of images of a prompt. Each image adds its positions to the prompt.
void read_images(const Cursor& at, const Model& model, LanguageWork& work) {
  const llm::Architecture& of = *language_model(model);
  work.images = Integer{0, 64}(at).value_or(0);
  const std::int64_t positions = work.images * of.vision.tokens;
  Length& prompt = work.spec.prompt;
  prompt.least += positions;
  prompt.most += positions;
  prompt.mean += static_cast<double>(positions);
  for (std::int64_t& length : prompt.listed) length += positions;
}

// Reads conversations, after the lengths of their requests.
void read_sessions(const Cursor& at, const ProcessEntry& process, process::GenerationSpec& spec) {
  process::Sessions& sessions = spec.sessions;
  const bool closed = process.arrivals.closed_loop();
  Mapping mapping(at, closed ? "sessions: {turns: 5, think: 10 s}" : "sessions: {turns: 5, count: 8}");
  mapping.required("turns", sessions.turns, Integer{2, 1000});
  if (!closed)
    mapping.required("count", sessions.count, Integer{1, max_users});
  else
    (void)mapping.find("count");
  if (const auto think = mapping.find("think"))
    sessions.think_at_random = read_think(*think, "10 s", sessions.think);
}

// Reads the share of a prompt that is there already: a number, or what is left of the conversation.
void read_reuse(const Cursor& at, process::GenerationSpec& spec) {
  if (!at.is(Kind::scalar) || at.value().text != "session") {
    spec.reuse = Quantity{input::share_dimension(), 0, 1}(at).value_or(0);
    return;
  }
  spec.sessions.kept = true;
}

void read_generate(const Cursor& at, const LoadContext& context, const ProcessEntry& process,
                   LanguageWork& work) {
  process::GenerationSpec& spec = work.spec;
  Mapping mapping(at, "generate: {prompt: 512, tokens: 128}, or {trace: FILE}");
  if (const auto trace = mapping.find("trace")) {
    read_trace(*trace, context, work);
    mapping.keep_one("trace", {"prompt", "tokens"});
  } else {
    if (const auto prompt = mapping.require("prompt")) spec.prompt = read_length(*prompt, 1);
    if (const auto tokens = mapping.require("tokens")) spec.tokens = read_length(*tokens, 1);
  }
  const auto sessions = mapping.find("sessions");
  if (sessions) read_sessions(*sessions, process, spec);
  if (const auto reuse = mapping.find("reuse")) read_reuse(*reuse, spec);
  mapping.optional("chunk", spec.chunk, Integer{1, max_tokens});
  const llm::Architecture& of = *language_model(process.work.model);
  if (of.cross > 0) work.images = 1;  // half a minute of sound
  if (const auto images = mapping.find("images")) read_images(*images, process.work.model, work);
  mapping.keep_one("sessions", {"images"});
  if (of.cross > 0 && spec.prompt.most + spec.tokens.most > llm::whisper_positions)
    at.problem(fmt::format("a decoder of Whisper has {} positions", llm::whisper_positions),
               "a shorter prompt, or fewer tokens");
}

// Reads the model that drafts tokens for this one.
void read_draft(const Cursor& at, LanguageWork& work) {
  Mapping mapping(at, "draft: {model: qwen2.5_0.5b, tokens: 4, accept: 70 %}");
  mapping.required("tokens", work.spec.drafted, Integer{1, 64});
  mapping.required("accept", work.spec.accept, Quantity{input::share_dimension(), 0, 1});
  const auto model = mapping.require("model");
  const auto name = model ? Text{}(*model) : std::nullopt;
  if (!name) return;
  work.draft = llm::find_architecture(llm::catalogue_name(*name));
  if (work.draft == nullptr)
    model->problem(fmt::format("no language model '{}'", input::printable(*name)),
                   "one of jostle list models, such as qwen2.5_0.5b");
}

void read_bench(const Cursor& at, process::GenerationSpec& spec) {
  Mapping mapping(at, "bench: {tg: 128} or {pp: 512}, with a depth");
  const auto tg = mapping.find("tg"), pp = mapping.find("pp");
  mapping.exactly_one({"tg", "pp"});
  spec.prefills = pp.has_value();
  spec.decodes = tg.has_value();
  if (tg) spec.tokens.least = spec.tokens.most = Integer{1, max_tokens}(*tg).value_or(1);
  if (pp) spec.prompt.least = spec.prompt.most = Integer{1, max_tokens}(*pp).value_or(1);
  mapping.optional("depth", spec.depth, Integer{0, max_tokens});
  // Prefills side by side are one step, and so one request.
  mapping.optional("sequences", pp ? spec.prompts : spec.users, Integer{1, max_sequences});
}

// Reads the number of blocks whose experts the cores have.
void read_cpu_moe(const Cursor& at, ProcessEntry& process) {
  const llm::Architecture& of = *language_model(process.work.model);
  const std::string text = at.is(Kind::scalar) ? at.value().text : "";
  if (!text.empty() && text != "all" && text.find_first_not_of("+-0123456789") != std::string::npos)
    return at.expected("a number of blocks, or all");
  const auto asked = text == "all" ? std::int64_t{of.layers} : Integer{0, of.layers}(at);
  if (!asked) return;
  if (of.experts.count == 0)
    at.problem(fmt::format("{} has no experts", input::printable(model_name(process.work.model))),
               "leave it out, or gpu_layers: 8");
  else
    process.language->cpu_moe = *asked;
}

}  // namespace

void read_weights(Mapping& mapping, ProcessEntry& process) {
  LanguageWork& work = process.language.emplace();
  const Choice<llm::WeightFormat> format{"a precision of weights", weight_format_names(), spelled_precision};
  if (const std::string_view stored = language_model(process.work.model)->stored; !stored.empty()) {
    work.weights = std::ranges::find(llm::weight_formats, stored, &llm::WeightTraits::name)->format;
    mapping.optional("precision", work.weights, format);
  } else {
    mapping.required("precision", work.weights, format);
  }
  process.work.precision = Precision::fp16;
}

void read_generation(Mapping& mapping, const LoadContext& context, ProcessEntry& process) {
  if (!process.language) return;
  LanguageWork& work = *process.language;
  const auto generate = mapping.find("generate"), bench = mapping.find("bench");
  mapping.keep_one("generate", {"bench"});
  if (bench)
    read_bench(*bench, work.spec);
  else if (generate)
    read_generate(*generate, context, process, work);
  const bool closed = process.arrivals.closed_loop();
  if (const auto users = mapping.find("users")) {
    const std::int64_t asked = Integer{1, max_users}(*users).value_or(1);
    if (!bench) work.spec.users = asked;
  }
  if (closed && work.spec.sessions.turns > 1) work.spec.sessions.count = work.spec.users;
  work.spec.max_batch = closed ? std::min(work.spec.users * work.spec.prompts, max_sequences) : 8;
  mapping.optional("max_batch", work.spec.max_batch, Integer{1, max_sequences});
  if (const auto draft = mapping.find("draft")) read_draft(*draft, work);
  if (work.cache_bytes)
    work.spec.room = static_cast<std::int64_t>(
        *work.cache_bytes /
        llm::kv_bytes_per_token(*language_model(process.work.model), work.draft, work.spec.longest()));
}

void read_offload(Mapping& mapping, ProcessEntry& process) {
  if (!process.language) return;
  if (const auto experts = mapping.find("cpu_moe")) read_cpu_moe(*experts, process);
  std::optional<std::int64_t>& asked = process.language->gpu_layers;
  if (!asked) return;
  const llm::Architecture& of = *language_model(process.work.model);
  const std::int64_t most = llm::most_layers(of);
  if (*asked > most)
    mapping.find("gpu_layers")
        ->problem(fmt::format("{} has {} blocks, and the output layer counts as one more",
                              input::printable(model_name(process.work.model)), of.layers),
                  fmt::format("at most {}; leave it out for all", most));
  asked = std::min(*asked, most);
}

}  // namespace jostle::scenarios
