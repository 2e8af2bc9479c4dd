#include "analyses/offload/question.hpp"

#include <fmt/format.h>

#include <utility>

#include "input/counted.hpp"
#include "input/cursor.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"

namespace jostle::analyses {
namespace {

using input::Cursor;

void append_at(const std::string& path, const input::Problems& from, input::Problems& to) {
  for (const input::Problem& problem : from.list())
    to.add(problem.location, problem.path.empty() ? path : path + "." + problem.path, problem.message,
           problem.hint);
}

bool has_key(const input::Value& mapping, const std::string& key) {
  return mapping.kind == input::Kind::mapping && mapping.find(key) != nullptr;
}

std::optional<scenarios::Scenario> board_at(const std::string& path, const input::Node& node,
                                            const Study& study, const scenarios::Catalogue& catalogue,
                                            input::Problems& problems) {
  input::Problems own;
  auto scenario = scenarios::read_scenario(node, study.origin, study.directory, catalogue, own);
  append_at(path, own, problems);
  return scenario;
}

// Rejects keys that the edge scenario must not have.
void check_edge(const scenarios::Scenario& edge, const Cursor& root) {
  if (edge.link)
    root.descend("link").problem("cannot be combined with offload", "put the link under offload.link");
  if (!edge.loads.empty())
    root.descend(fmt::format("processes.{}", place_of_load(edge, 0)))
        .problem("a load cannot be combined with offload, whose boards run streams alone");
  for (std::size_t entry = 0; entry < edge.processes.size(); ++entry)
    if (edge.processes[entry].arrivals.burst > 1)
      root.descend(fmt::format("processes.{}.arrivals.burst", place_of_entry(edge, entry)))
          .problem("cannot be combined with offload, whose streams ask for one batch at a time",
                   "batch: the number of images that come at once");
  if (edge.run.setup || edge.run.batches)
    root.descend("run").problem(
        "setup and batches cannot be combined with offload, which compares steady states");
}

void check_cloud(const Cursor& root) {
  for (const char* const key : {"run", "link"}) {
    if (has_key(root.value(), key))
      root.descend(key).problem(
          fmt::format("the cloud cannot have a key {}", key),
          std::string(key) == "run" ? "scenario.run applies" : "put it under offload.link");
  }
  const input::Node processes = root.value().find("processes");
  if (!processes || processes->kind != input::Kind::sequence) return;
  for (std::size_t i = 0; i < processes->children.size(); ++i) {
    for (const char* const key : {"arrivals", "count", "queue", "generate", "bench", "users"}) {
      if (has_key(*processes->children[i], key))
        root.descend(fmt::format("processes.{}.{}", i, key))
            .problem("is set by the streams of the edge", "remove it");
    }
  }
}

// Copies the requests of a language model of the edge (the keys generate, users and arrivals) to the process
// of the cloud that serves it.
input::Node asked_the_same(const input::Node& cloud, const input::Node& edge) {
  const input::Node servers = cloud->find("processes");
  const input::Node streams = edge ? edge->find("processes") : nullptr;
  for (const input::Node& list : {servers, streams})
    if (!list || list->kind != input::Kind::sequence) return cloud;
  auto asked = std::make_shared<input::Value>(*servers);
  for (std::size_t i = 0; i < asked->children.size() && i < streams->children.size(); ++i) {
    const input::Value& stream = *streams->children[i];
    if (stream.kind != input::Kind::mapping || asked->children[i]->kind != input::Kind::mapping) continue;
    auto server = std::make_shared<input::Value>(*asked->children[i]);
    for (std::size_t key = 0; key < stream.keys.size(); ++key) {
      const std::string& name = stream.keys[key].name;
      if ((name != "generate" && name != "users" && name != "arrivals") || !stream.find("generate")) continue;
      server->keys.push_back(stream.keys[key]);
      server->children.push_back(stream.children[key]);
      server->expanded += stream.children[key]->expanded;
    }
    asked->children[i] = std::move(server);
  }
  auto whole = std::make_shared<input::Value>(*cloud);
  for (std::size_t key = 0; key < whole->keys.size(); ++key)
    if (whole->keys[key].name == "processes") whole->children[key] = asked;
  return whole;
}

// The cloud entry that serves entry `index` of the edge.
scenarios::ProcessEntry server_of(const OffloadQuestion& question,
                                  const std::vector<scenarios::ProcessEntry>& servers, std::size_t index,
                                  const Cursor& cloud) {
  const std::size_t which = servers.size() == 1 ? 0 : index;
  const scenarios::ProcessEntry& stream = question.edge.processes[index];
  scenarios::ProcessEntry server = servers[which];
  const Cursor at = cloud.descend(fmt::format("processes.{}", which));
  if (has_key(at.value(), "batch") && server.work.batch != stream.work.batch)
    at.descend("batch").problem(fmt::format("its streams send batches of {}", stream.work.batch));
  if (server.language.has_value() != stream.language.has_value())
    at.descend("model").problem("a language model and a network do not answer the same requests");
  server.name = stream.name;
  server.count = stream.count;
  server.work.batch = stream.work.batch;
  server.arrivals = stream.arrivals;
  server.trace.file = stream.trace.file;
  server.trace.hash = stream.trace.hash;
  return server;
}

// Reads the cloud with its streams and the link as `run` would, which refuses what does not work over a link.
void check_over_link(const OffloadQuestion& question, const std::string& directory,
                     const scenarios::Catalogue& catalogue, const Cursor& cloud) {
  scenarios::Scenario whole = question.cloud;
  whole.link = question.section.link;
  whole.link->bandwidth = question.section.bandwidths.front();
  whole.link->rtt = question.section.rtts.front();
  input::Problems refused;
  const std::string text = scenarios::to_json(whole);
  if (parse_scenario({text, "", directory}, catalogue, {}, refused)) return;
  for (const input::Problem& problem : refused.list())
    cloud.descend(problem.path).problem("with the requests of the edge, " + problem.message, problem.hint);
}

// Each stream keeps the random numbers that it has at the edge, in any subset and on either side.
void name_draws(OffloadQuestion& question) {
  const std::vector<scenarios::Draws> draws = scenarios::draws_of(question.edge);
  for (scenarios::Scenario* const board : {&question.edge, &question.cloud})
    for (std::size_t i = 0; i < draws.size(); ++i) board->processes[i].draws = draws[i];
}

}  // namespace

std::optional<OffloadQuestion> offload_question(const Study& study, Profiles& profiles,
                                                input::Problems& problems) {
  input::Problems own;
  const Cursor document(study.document, {}, own);
  if (!study.offload) {
    document.problem("the key offload is missing", "it holds a cloud and a link to it: docs/offload.md");
  } else if (!study.axes.empty()) {
    document.descend("sweep").problem("cannot be combined with offload", "offload varies only the link");
  }
  if (!own.empty()) {
    problems.append(own);
    return std::nullopt;
  }
  OffloadQuestion question;
  question.section = *study.offload;
  const scenarios::Catalogue catalogue = profiles.catalogue();
  const Cursor cloud_at = document.descend("offload.cloud");
  auto edge = board_at("scenario", study.scenario, study, catalogue, own);
  check_cloud(cloud_at);
  const input::Node asked =
      own.empty() ? asked_the_same(study.offload->cloud, study.scenario) : study.offload->cloud;
  auto cloud = board_at("offload.cloud", asked, study, catalogue, own);
  if (edge) check_edge(*edge, document.descend("scenario"));
  if (edge && cloud && own.empty()) {
    question.edge = *std::move(edge);
    const std::vector<scenarios::ProcessEntry> servers = std::move(cloud->processes);
    const std::size_t entries = question.edge.processes.size();
    if (servers.size() != 1 && servers.size() != entries) {
      cloud_at.descend("processes")
          .problem(fmt::format("{} for {} of the edge",
                               input::counted(servers.size(), "process entry", "process entries"), entries),
                   "give one for all, or one for each");
    } else {
      question.cloud = *std::move(cloud);
      question.cloud.processes.clear();
      for (std::size_t i = 0; i < entries; ++i)
        question.cloud.processes.push_back(server_of(question, servers, i, cloud_at));
      question.cloud.run = question.edge.run;
      if (study.offload->link.payload.tensor) {
        for (const scenarios::ProcessEntry& entry : question.cloud.processes) {
          if (!entry.language && !std::holds_alternative<scenarios::SyntheticModel>(entry.work.model))
            continue;
          document.descend("offload.payload")
              .problem(fmt::format("{} has no input tensor", model_name(entry.work.model)));
          break;
        }
      }
      if (own.empty()) check_over_link(question, study.directory, catalogue, cloud_at);
      name_draws(question);
      question.edge_profile = profiles.of(question.edge, own);
      question.cloud_profile = profiles.of(question.cloud, own);
    }
  }
  own.sort();
  problems.append(own);
  return own.empty() ? std::optional(std::move(question)) : std::nullopt;
}

scenarios::Scenario with_streams(const scenarios::Scenario& board, const std::vector<std::size_t>& streams) {
  scenarios::Scenario scenario = board;
  scenario.processes.clear();
  const std::vector<scenarios::ProcessInstance> all = scenarios::expand(board);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::size_t entry = all[streams[i]].entry;
    const bool follows = i > 0 && streams[i] == streams[i - 1] + 1 && all[streams[i - 1]].entry == entry;
    if (follows) {
      ++scenario.processes.back().count;
      continue;
    }
    scenario.processes.push_back(board.processes[entry]);
    scenario.processes.back().count = 1;
    for (std::size_t before = streams[i]; before > 0 && all[before - 1].entry == entry; --before)
      ++scenario.processes.back().draws->first;
  }
  if (streams.empty()) {  // the board has one idle process
    scenario.processes.push_back(board.processes.front());
    scenario.processes.back().count = 1;
    scenario.processes.back().arrivals = {};
    scenario.processes.back().arrivals.kind = process::ArrivalKind::trace;
    scenario.run.until.reset();
  }
  return scenario;
}

}  // namespace jostle::analyses
