// Refuses entries of `processes` for more than the rows of their keys say (keys.hpp): keys that rule each
// other out, and keys that have no use in such a process.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "input/printable.hpp"
#include "input/units.hpp"
#include "models/dnn/fusion.hpp"
#include "models/llm/architecture.hpp"
#include "models/llm/weights.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {
namespace {

using P = const ProcessEntry&;

struct Rule {
  const char* key;     // the key to blame, below the entry; "": the entry
  const char* beside;  // broken if this key is there too; null: with or without others
  bool (*broken)(P process,
                 Kinds of);  // null: always; `of`: the place of the entry and the kind of its model
  const char* why;
  const char* hint;
};

bool speaks(P process) {
  return process.language.has_value();
}
bool closed(P process) {
  return process.arrivals.closed_loop();
}
bool has_clients(P process) {
  return process.arrivals.kind == process::ArrivalKind::clients;
}
bool is_instance(Kinds of) {
  return (of & kind::instance) != 0;
}
bool nothing_overlaps(P process) {
  const auto on_gpu = [](const Stage& stage) { return stage.on_gpu; };
  return std::ranges::all_of(process.around.before, on_gpu) &&
         std::ranges::all_of(process.around.after, on_gpu);
}

constexpr Rule rules[] = {
    {"training", nullptr,
     [](P process, Kinds) { return process.work.training && process.work.precision == Precision::int8; },
     "int8 does not train", "fp32, tf32 or fp16"},
    {"input", nullptr,
     [](P process, Kinds) { return std::holds_alternative<ProductsModel>(process.work.model); },
     "a model of products has no input size", "leave it out"},
    {"batch_norm", nullptr,
     [](P process, Kinds) { return !std::holds_alternative<OnnxModel>(process.work.model); },
     "`batch_norm` needs an .onnx file: the built-in networks have their batch norms", "leave it out"},
    {"placement", nullptr,
     [](P process, Kinds of) { return is_instance(of) && process.host.placement == Placement::cpu; },
     "an instance runs on the GPU or a DLA", "use a process for work on the cores"},
    {"overlap", nullptr, [](P process, Kinds) { return nothing_overlaps(process); },
     "`overlap` needs stages on the CPU or an engine", "leave it out: nothing is there to overlap"},
    {"arrivals.burst", nullptr,
     [](P process, Kinds of) { return is_instance(of) && process.arrivals.burst > 1; },
     "queries come to a process of one network", "leave out burst, or use a process for this network"},
    {"arrivals.burst", "arrivals.dynamic_batching", nullptr,
     "cannot be combined with dynamic_batching, whose batches hold images of several queries",
     "max_queue_delay: 0 ms, beside arrivals"},
    {"arrivals.dynamic_batching", "arrivals.clients", nullptr,
     "clients that wait for answers may never fill a batch", "max_queue_delay: 1 ms, beside arrivals"},
    {"arrivals.streams", "arrivals.phase", nullptr, "the phases of several streams are random",
     "leave out phase"},
    {"queue", "arrivals.queue", nullptr, "`queue` is given here and in arrivals", "keep one of the two"},
    {"", nullptr, [](P process, Kinds) { return has_clients(process) && process.arrivals.queue_limit; },
     "no request of a client can be dropped: it would wait for the answer forever",
     "leave out queue; at most `clients` requests wait"},
    {"", nullptr, [](P process, Kinds) { return process.arrivals.burst > 1 && process.arrivals.queue_limit; },
     "no request of a burst can be dropped: its query would never be answered", "leave out queue, or burst"},
    {"", nullptr,
     [](P process, Kinds) { return process.arrivals.max_delay && process.arrivals.queue_limit == 0; },
     "dynamic batching needs a queue: with a limit of 0 no request can wait", "queue: 1 or more"},
    {"generate.sessions.count", nullptr, [](P process, Kinds) { return closed(process); },
     "without arrivals each user has a conversation", "users: 8"},
    {"generate.sessions.think", nullptr, [](P process, Kinds) { return !closed(process); },
     "only users think: arrivals come at times of their own", "leave it out"},
    {"generate.reuse", nullptr,
     [](P process, Kinds) {
       return speaks(process) && process.language->spec.sessions.kept &&
              process.language->spec.sessions.turns == 1;
     },
     "`reuse: session` needs sessions", "sessions: {turns: 5}"},
    {"users", nullptr, [](P process, Kinds) { return !closed(process); },
     "cannot be combined with arrivals: a user sends the next request after an answer, arrivals come at "
     "given or random times",
     "keep one of the two"},
    {"users", "bench", nullptr, "a bench has `sequences`", "bench: {tg: 128, sequences: 8}"},
    {"draft", nullptr, [](P process, Kinds) { return speaks(process) && !process.language->spec.decodes; },
     "a prefill alone has no tokens to draft", "leave it out"},
    {"", nullptr,
     [](P process, Kinds) {
       const Placement at = process.host.placement;
       return speaks(process) && at != Placement::gpu && at != Placement::cpu;
     },
     "a language model runs on the GPU, or on the cores", "placement: gpu or cpu"},
    {"gpu_layers", nullptr,
     [](P process, Kinds) {
       return speaks(process) && process.host.placement == Placement::cpu && process.language->gpu_layers > 0;
     },
     "with placement: cpu the cores compute all layers", "leave out placement, or gpu_layers"},
    {"generate.images", nullptr,
     [](P process, Kinds) { return speaks(process) && process.host.placement == Placement::cpu; },
     "with placement: cpu no images are read", "placement: gpu"},
    {"", nullptr, [](P process, Kinds) { return speaks(process) && process.work.batch != 1; },
     "a language model has no `batch`: its batch is the sequences that run at one time", "max_batch: 4"},
    {"", nullptr, [](P process, Kinds) { return speaks(process) && has_clients(process); },
     "a language model has users in place of `clients`", "users: 4"}};

// The same with words that tell values.
struct ToldRule {
  const char* key;
  bool (*broken)(P process, Kinds of);
  std::string (*why)(P process);
  std::string (*hint)(P process);
};

const process::RuntimeTraits& runtime(P process) {
  return traits_of(process.host.runtime);
}
bool on_cores(const process::RuntimeTraits& row) {
  return row.kind == RuntimeKind::cores;
}
bool serves_text(const process::RuntimeTraits& row) {
  return row.serves_text;
}
bool serves_networks(const process::RuntimeTraits& row) {
  return !row.serves_text;
}
bool runs_operators(const process::RuntimeTraits& row) {
  return row.lowering == dnn::Lowering::framework &&
         (row.kind == RuntimeKind::framework || row.kind == RuntimeKind::graph);
}
const llm::Architecture& architecture(P process) {
  return *language_model(process.work.model);
}
// The bytes of keys and values of the longest sequence.
double bytes_of_sequence(P process) {
  const LanguageWork& work = *process.language;
  const std::int64_t longest = std::max(work.context, work.spec.longest());
  return llm::kv_bytes_per_token(architecture(process), work.draft, longest) * static_cast<double>(longest);
}
std::string models_that_see() {
  std::vector<std::string> names;
  for (const llm::Architecture& other : llm::architectures())
    if (other.vision.layers > 0) names.emplace_back(other.name);
  return fmt::format("one of {}", fmt::join(names, ", "));
}

constexpr ToldRule told_rules[] = {
    {"runtime",
     [](P process, Kinds) {
       return on_cores(runtime(process)) != (process.host.placement == Placement::cpu) &&
              !(speaks(process) && process::computes_on_cores(runtime(process)));
     },
     [](P process) {
       return fmt::format("runtime {} {} placement: cpu", to_string(process.host.runtime),
                          on_cores(runtime(process)) ? "needs" : "cannot run with");
     },
     [](P process) {
       if (on_cores(runtime(process))) return std::string();
       return runtime_list(speaks(process) ? process::computes_on_cores : on_cores);
     }},
    {"",
     [](P process, Kinds of) {
       if (is_instance(of)) return false;
       return speaks(process) ? !serves_text(runtime(process)) && !runs_operators(runtime(process))
                              : serves_text(runtime(process)) && of != kind::several;
     },
     [](P process) {
       return fmt::format("runtime {} does not run {}", to_string(process.host.runtime),
                          speaks(process) ? "language models" : "networks other than language models");
     },
     [](P process) {
       if (!speaks(process)) return runtime_list(serves_networks);
       return runtime_list(process.host.placement == Placement::cpu ? process::computes_on_cores
                                                                    : serves_text);
     }},
    {"host_threads", [](P process, Kinds) { return process.host.host_threads > streams_of(process); },
     [](P process) {
       const std::int64_t streams = streams_of(process);
       return fmt::format("{} host threads for {}: a thread without a stream has nothing to do",
                          process.host.host_threads,
                          streams == 1 ? "one stream" : fmt::format("{} streams", streams));
     },
     [](P process) {
       return fmt::format("streams: {0}, or instances with a count of {0} together",
                          process.host.host_threads);
     }},
    {"host_threads",
     [](P process, Kinds) { return process.host.host_threads < default_host_threads(process); },
     [](P process) {
       return fmt::format("a session of runtime {} is run by a thread that waits for it",
                          to_string(process.host.runtime));
     },
     [](P process) {
       return fmt::format("host_threads: {}, the number of streams, or leave it out",
                          default_host_threads(process));
     }},
    {"context",
     [](P process, Kinds) {
       return speaks(process) && process.language->context < process.language->spec.longest();
     },
     [](P process) {
       return fmt::format("a sequence gets up to {} positions", process.language->spec.longest());
     },
     [](P) { return std::string("a longer context"); }},
    {"kv_memory",
     [](P process, Kinds) {
       return speaks(process) && process.language->cache_bytes &&
              bytes_of_sequence(process) > *process.language->cache_bytes;
     },
     [](P process) {
       return fmt::format("keys and values of one sequence take {}",
                          input::format_quantity(bytes_of_sequence(process), input::size_dimension()));
     },
     [](P) { return std::string(); }},
    {"generate.sessions",
     [](P process, Kinds) { return speaks(process) && process.language->spec.longest() > most_context; },
     [](P process) {
       return fmt::format("a conversation gets up to {} positions, and a context has at most {}",
                          process.language->spec.longest(), most_context);
     },
     [](P) { return std::string("fewer turns"); }},
    {"generate.images",
     [](P process, Kinds) {
       return speaks(process) && process.language->images > 0 && architecture(process).vision.layers == 0;
     },
     [](P process) {
       return fmt::format("{} reads no images", input::printable(model_name(process.work.model)));
     },
     [](P) { return models_that_see(); }},
    {"draft.model",
     [](P process, Kinds) {
       return speaks(process) && process.language->draft != nullptr &&
              process.language->draft->vocabulary != architecture(process).vocabulary;
     },
     [](P process) {
       return fmt::format("its vocabulary has {} tokens, that of the model {}",
                          process.language->draft->vocabulary, architecture(process).vocabulary);
     },
     [](P) { return std::string("a model of the same family"); }}};

bool gives(const Mapping& mapping, const std::string& path) {
  const std::string& outer = mapping.cursor().path();
  return mapping.has(path.substr(0, path.find('.'))) &&
         mapping.cursor().descend(path).path() == (outer.empty() ? path : outer + "." + path);
}

}  // namespace

void check_rules(const Mapping& mapping, const ProcessEntry& process, Kinds of) {
  if (!mapping.good()) return;
  const auto given = [&](const char* key) { return *key == 0 || gives(mapping, key); };
  for (const auto& [key, beside, broken, why, hint] : rules)
    if (given(key) && (beside == nullptr || given(beside)) && (broken == nullptr || broken(process, of)))
      mapping.cursor().descend(key).problem(why, hint);
  for (const auto& [key, broken, why, hint] : told_rules)
    if (given(key) && broken(process, of)) mapping.cursor().descend(key).problem(why(process), hint(process));
  if (speaks(process) && !given("generate") && !given("bench"))
    mapping.cursor().problem("a language model needs `generate` or `bench`",
                             "generate: {prompt: 512, tokens: 128}, or bench: {tg: 128}");
  if (given("threads") && process.host.placement != Placement::cpu && !given("gpu_layers") &&
      !given("cpu_moe") && runtime(process).kind != process::RuntimeKind::session)
    mapping.cursor().descend("threads").problem(
        "only a process with placement: cpu, a session of ONNX Runtime, or a language model with "
        "gpu_layers or cpu_moe has threads");
}

void at_most(std::int64_t most, std::int64_t given, const char* what, const Cursor& at) {
  if (given > most) at.problem(fmt::format("{} {}, at most {} are allowed", given, what, most));
}

std::optional<std::pair<std::int64_t, std::int64_t>> read_ends(const Cursor& at, const char* what,
                                                               std::int64_t least, std::int64_t most) {
  const auto ends = input::List<std::int64_t, Integer>{what, Integer{least, most}, 2}(at);
  if (!ends) return std::nullopt;
  if (ends->size() == 2 && ends->front() <= ends->back()) return std::pair(ends->front(), ends->back());
  at.problem(fmt::format("expected {}, the smaller one first", what));
  return std::nullopt;
}

void not_among(const Cursor& at, std::string message, std::vector<std::string> names, const char* or_else) {
  std::ranges::sort(names);
  at.problem(std::move(message),
             names.empty() ? "give one a name" : fmt::format("one of {}{}", fmt::join(names, ", "), or_else));
}

}  // namespace jostle::scenarios
