// What a result of several replications says of them.
#include <array>
#include <nlohmann/json.hpp>

#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/invariants/law_parts.hpp"

namespace jostle::scenarios::testing {
namespace {

using Json = nlohmann::json;

// By path, "/processes/0/ec_ms/mean".
Json figures_of(const Result& result) {
  Result told = result;
  told.resolved.clear();
  return Json::parse(to_json(told)).flatten();
}

bool ends_with_one_of(const std::string& path, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const std::string& name) { return path.ends_with("/" + name); });
}

// Neither a mean nor a sum: what was asked for, what the replications differ by, and how long a run would do.
bool has_a_rule_of_its_own(const std::string& path) {
  return path == "/seed" || path == "/replications" || path.find("/ci95/") != std::string::npos ||
         path.find("/needs/") != std::string::npos;
}

// A figure of the whole is a sum or lies between those of the replications, and not at the first's unless
// others do.
void pooled_figure(const std::string& path, const Json& figure, const std::vector<double>& each,
                   Breaches& breaches) {
  const double whole = figure;
  const auto [low, high] = std::ranges::minmax(each);
  if (ends_with_one_of(path, {"images", "drops", "n", "unfinished", "samples", "simulated_s"})) {
    double sum = 0;
    for (const double one : each) sum += one;
    return expect(near(whole, sum), breaches, "{} is {}, the sum is {}", path, whole, sum);
  }
  expect(low <= whole * (1 + rounding) + rounding && whole <= high * (1 + rounding) + rounding, breaches,
         "{} is {}, replications have {} to {}", path, whole, low, high);
  if (near(low, high)) return;
  if (figure.is_number_integer()) return;  // the mean of counts, to the nearest, may be the first
  const bool extreme = each.front() == low || each.front() == high;
  expect(!extreme || whole != each.front(), breaches, "{} is {}, as in the first replication", path, whole);
}

}  // namespace

void replications_pool_like_means(const Run& run, Breaches& breaches) {
  if (run.replications.size() < 2) return;
  std::vector<Json> replications;
  for (const Result& one : run.replications) replications.push_back(figures_of(one));
  const Json pooled = figures_of(run.result);
  for (const auto& [path, whole] : pooled.items()) {
    if (has_a_rule_of_its_own(path)) continue;
    std::vector<double> each;
    for (const Json& one : replications)
      if (const auto found = one.find(path); found != one.end() && found->is_number()) each.push_back(*found);
    if (each.size() < replications.size()) continue;
    if (whole.is_null())
      fail(breaches, path + " is null, but known in every replication");
    else if (whole.is_number())
      pooled_figure(path, whole, each, breaches);
  }
}

}  // namespace jostle::scenarios::testing
