// A project of its own that uses the installed headers and libraries, as a reader of the README would.
#include <cstdio>
#include <jostle/analyses.hpp>
#include <jostle/run.hpp>
#include <jostle/sim.hpp>

int main() {
  using namespace jostle;
  const std::string text =
      "device: jetson-orin-nano\n"
      "processes: [{model: resnet50, precision: fp16, count: 2}]\n"
      "run: {duration: 100 ms, warmup: 50 ms}\n";
  input::Problems problems;
  const auto scenario =
      scenarios::parse_scenario({text, "two networks", ""}, scenarios::shipped_catalogue(), {}, problems);
  if (!scenario) return std::fputs(problems.text().c_str(), stderr), 2;
  const auto result = scenarios::run(*scenario, scenarios::RunControl{});
  if (!result || result->processes.size() != 2) return 1;
  std::puts(scenarios::to_json(*result).c_str());
  return sim::microseconds(5) < sim::milliseconds(1) ? 0 : 1;
}
