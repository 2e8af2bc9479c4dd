// The verdict on whether a configuration meets its limits.
#pragma once

namespace jostle::analyses {

enum class Verdict { feasible, infeasible, undecided };

// `p_feasible`: the probability that it meets them; `error`: the allowed probability of a false "feasible".
// Infeasible below 2 %. A configuration that was feasible `before` stays so while the probability is at least
// 95 %.
[[nodiscard]] constexpr Verdict verdict_of(double p_feasible, double error, Verdict before) {
  constexpr double hopeless = 0.02, kept = 0.95;
  if (p_feasible < hopeless) return Verdict::infeasible;
  if (1 - p_feasible <= error) return Verdict::feasible;
  return before == Verdict::feasible && p_feasible >= kept ? before : Verdict::undecided;
}

}  // namespace jostle::analyses
