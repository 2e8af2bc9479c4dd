// Reads the section `plan` of a study.
#include "analyses/study/plan_section.hpp"

#include "analyses/study/costs.hpp"
#include "analyses/study/study.hpp"
#include "input/readers.hpp"
#include "input/units.hpp"

namespace jostle::analyses {

void read_headroom(input::Mapping& mapping, double& headroom) {
  constexpr double most_headroom = 0.9;
  mapping.optional("headroom", headroom, input::Quantity{input::share_dimension(), 0, most_headroom});
}

void read_plan(const input::Cursor& at, Study& study) {
  constexpr double least_indifference = 1e-4, most_indifference = 0.5;
  constexpr double least_confidence = 0.5, most_confidence = 0.9999;
  constexpr double most_effort = 1e6;
  input::Mapping mapping(at, "a mapping: indifference, confidence, effort, headroom, energy_price");
  mapping.optional("indifference", study.plan.indifference,
                   input::Quantity{input::share_dimension(), least_indifference, most_indifference});
  mapping.optional("confidence", study.plan.confidence,
                   input::Quantity{input::share_dimension(), least_confidence, most_confidence});
  double effort = 0;
  if (mapping.optional("effort", effort, input::Real{0, most_effort})) study.plan.effort = effort;
  read_headroom(mapping, study.plan.headroom);
  read_energy_price(mapping, study.plan.energy_usd_per_kwh);
}

}  // namespace jostle::analyses
