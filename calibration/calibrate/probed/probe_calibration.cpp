#include "calibration/calibrate/probed/probe_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "calibration/calibrate/probed/identity_parameters.hpp"
#include "calibration/calibrate/traces.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "calibration/probe/part.hpp"
#include "input/override.hpp"
#include "input/printable.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/profile/uncertainty.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

using calibration::probe::ProbedParameter;
using calibration::probe::ProbeFolder;
using profiles::BaseProfile;

// Parameters that no experiment shows alone: they make the model's law agree with measured runs.
constexpr std::array fitted_paths{std::string_view("cpu.costs.preempted"),
                                  std::string_view("cpu.costs.migrated_"),
                                  std::string_view("cpu.idle_state.residency")};

bool is_fitted(const calibration::probe::Measured& row) {
  return row.how.starts_with("fit") || std::ranges::any_of(fitted_paths, [&](std::string_view path) {
           return row.parameter.starts_with(path);
         });
}

// Why a profile of this base does not take a parameter; empty: it may.
std::string no_place(const ProbeFolder& folder, const calibration::probe::Measured& row,
                     const profiles::BaseProfile& base) {
  if (row.relative_sd > widest_error)
    return fmt::format("its standard error is {:.0f} % of it", 100 * row.relative_sd);
  if (!(row.value > 0) && row.unit != "bool") return "it is not positive";
  if (row.parameter == "cpu.two_speeds.factor" && row.value == 1 && !base.profile.spec->cpu->two_speeds)
    return "cores of the base have one speed too";
  if (row.parameter.starts_with("runtimes.cpu.") && !base.profile.spec->runtimes[process::Runtime::cpu])
    return "the base has no times of networks on its cores";
  if (row.parameter.starts_with("memory.cores.") && !base.profile.spec->memory.unified)
    return "the memory of the profile is the card's own";
  if (row.parameter != "cpu.reference_clock") return {};
  // Launch costs of the base are given at the base's clock.
  const bool own_launches = std::ranges::any_of(folder.parameters, [](const ProbedParameter& other) {
    return other.measured.parameter.ends_with(".per_launch");
  });
  const auto known =
      std::ranges::find(base.profile.figures, row.parameter, &profiles::ProfileParameter::path);
  if (own_launches || known == base.profile.figures.end() ||
      known->from.grade == profiles::ParameterGrade::assumed)
    return {};
  return "the launch costs of the profile are given at another clock, and were not measured";
}

// The document of a profile as it grows, leaf by leaf: a leaf with which it cannot be read is refused.
class GrowingProfile {
 public:
  explicit GrowingProfile(profiles::BaseProfile base) : base_(std::move(base)) {}

  // Adds leaves that belong together, or none of them, with the reason in `problems`.
  bool add(const std::vector<ProfileLeaf>& leaves, input::Problems& problems) {
    input::Node document = base_.document;
    for (const ProfileLeaf& leaf : leaves) {
      document = input::with_override(document, leaf.path + '=' + leaf.yaml, problems, leaf.path);
      if (!document) return false;
    }
    auto profile = profiles::profile_of(document, problems);
    if (!profile || !problems.empty()) return false;
    base_.document = std::move(document);
    base_.profile = std::move(*profile);
    leaves_.insert(leaves_.end(), leaves.begin(), leaves.end());
    return true;
  }
  [[nodiscard]] const profiles::BaseProfile& base() const { return base_; }
  [[nodiscard]] const std::vector<ProfileLeaf>& leaves() const { return leaves_; }

 private:
  profiles::BaseProfile base_;
  std::vector<ProfileLeaf> leaves_;
};

// Why a profile refused the leaf at `path`; names another one that it wants beside it.
std::string refusal(const input::Problems& problems, const std::string& path) {
  if (problems.empty()) return "the profile cannot hold it";
  const input::Problem& first = problems.list().front();
  if (first.path.empty() || first.path == path) return first.message;
  return first.message == "missing required key" ? fmt::format("{} is not known", first.path)
                                                 : fmt::format("{}: {}", first.path, first.message);
}

// The uncertainty of the base for the parameters that it keeps, and the standard errors of the others, which
// were measured apart, except for those of power: they were fitted together.
profiles::Uncertainty uncertainty_with(const std::string& device, const std::vector<ProbedFigure>& figures,
                                       const ProbedPower& power) {
  const profiles::Uncertainty shipped = profiles::shipped_uncertainty(device);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < shipped.figures.size(); ++i)
    if (std::ranges::find(figures, shipped.figures[i], &ProbedFigure::path) == figures.end())
      kept.push_back(i);
  profiles::Uncertainty all;
  for (const std::size_t i : kept) all.figures.push_back(shipped.figures[i]);
  for (const ProbedFigure& figure : figures) all.figures.push_back(figure.path);
  const std::size_t n = all.figures.size();
  all.covariance.assign(n * n, 0);
  for (std::size_t i = 0; i < kept.size(); ++i)
    for (std::size_t j = 0; j < kept.size(); ++j)
      all.covariance[i * n + j] = shipped.covariance[kept[i] * shipped.figures.size() + kept[j]];
  for (std::size_t i = kept.size(); i < n; ++i) {
    const double sd = figures[i - kept.size()].relative_sd;
    all.covariance[i * n + i] = sd * sd;
  }
  const auto place = [&](const ProbedFigure& figure) {
    return static_cast<std::size_t>(std::ranges::find(all.figures, figure.path) - all.figures.begin());
  };
  const std::size_t together = power.figures.size();
  for (std::size_t i = 0; i < together; ++i)
    for (std::size_t j = 0; j < together; ++j)
      if (const std::size_t a = place(power.figures[i]), b = place(power.figures[j]); a < n && b < n)
        all.covariance[a * n + b] = power.covariance[i * together + j];
  return all;
}

// The parameters that traces in the folder identify.
std::vector<ProbedFigure> figures_of_traces(const ProbeFolder& folder, const profiles::BaseProfile& base) {
  const bool tables = std::ranges::any_of(folder.parts, [](const auto& part) {
    return std::ranges::any_of(part.files, [](const std::string& file) {
      return file.find('/') == std::string::npos && file != "parameters.csv";
    });
  });
  if (!tables) return {};
  const EvidenceFiles files = read_evidence_files({folder.path.string()});
  if (files.traces.empty()) return {};
  std::vector<ProbedFigure> figures;
  try {
    for (const FittedParameter& found : calibrate_traces(base, files.traces, PriorsFrom::profile).parameters)
      if (found.identified)
        figures.push_back({found.path, {}, {}, found.value, found.grade(), found.sd, found.identified_by});
  } catch (const CalibrationError&) {
    return {};  // the tables tell no parameter
  }
  return figures;
}

// The folder's kernel tables as a profile at `output` names them; empty if it has none.
std::string kernel_tables_of(const ProbeFolder& folder, const std::string& output) {
  std::error_code error;
  if (!fs::exists(folder.path / "kernels.csv", error) || !fs::exists(folder.path / "solo.csv", error))
    return {};
  const fs::path beside = fs::absolute(output.empty() ? "profile" : output).parent_path();
  return (fs::absolute(folder.path).lexically_normal().lexically_proximate(beside.lexically_normal()) / "")
      .string();
}

ProbedFigure figure_of(const ProbedParameter& row) {
  const calibration::probe::Measured& found = row.measured;
  const std::string unit = found.unit.empty() ? "" : " " + found.unit;
  return {found.parameter,
          {},
          {},
          found.unit == "bool" ? (found.value != 0 ? "true" : "false")
                               : fmt::format("{:.5g}{}", found.value, unit),
          is_fitted(found) ? "fitted" : "measured",
          found.relative_sd,
          fmt::format("jostle probe, {}: {}", row.part, found.how)};
}

ProfileLeaf leaf_of(const ProbedFigure& figure) {
  return {figure.path, graded_yaml(figure.value, figure.grade,
                                   fmt::format("{}, +- {:.1f} %", figure.source, 100 * figure.relative_sd))};
}

class ProbeFit {
 public:
  ProbeFit(const ProbeFolder& folder, const ProbeCalibrationQuestion& question, ChosenBase base)
      : folder_(folder),
        question_(question),
        shipped_(profiles::shipped_base_profile(base.device)),
        growing_(shipped_) {
    found_.base = std::move(base);
  }

  std::optional<ProbeCalibration> run(input::Problems& problems) {
    const auto own = identity_parameters(folder_, found_.base, *shipped_.profile.spec);
    if (!growing_.add(own, problems)) return std::nullopt;
    for (const ProfileLeaf& leaf : own) {
      const std::string& path = leaf.path;
      const bool inside = std::ranges::any_of(
          found_.identity, [&path](const std::string& outer) { return path.starts_with(outer + '.'); });
      if (!inside) found_.identity.push_back(path);
    }
    for (ProbedFigure& figure : figures_of_traces(folder_, growing_.base())) take({std::move(figure)});
    add_probed();
    for (const ProbedFigure& figure : question_.more) take({figure});
    const auto measured = [&](std::string_view name) {
      return std::ranges::any_of(folder_.parts, [&](const auto& part) { return part.name == name; });
    };
    if (measured("kernels")) add_kernels();
    if (measured("power")) found_.power = fit_probed_power(folder_, growing_.base());
    add_power_figures();
    found_.name = !question_.name.empty() ? question_.name : fs::path(question_.output).stem().string();
    if (found_.name.empty()) found_.name = found_.base.device + "-probed";
    found_.text = text();
    if (!profiles::parse_profile(found_.text, question_.output.empty() ? "profile.yaml" : question_.output,
                                 problems))
      return std::nullopt;
    found_.uncertainty_csv =
        profiles::uncertainty_csv_header() +
        profiles::uncertainty_csv(uncertainty_with(found_.base.device, found_.figures, found_.power),
                                  found_.name);
    add_next();
    return std::move(found_);
  }

 private:
  // Adds figures that are read together; if that fails, each alone.
  void take(std::vector<ProbedFigure> figures) {
    std::vector<ProfileLeaf> leaves;
    for (ProbedFigure& figure : figures) {
      const auto& known = shipped_.profile.figures;
      const auto before = std::ranges::find(known, figure.path, &profiles::ProfileParameter::path);
      if (before != known.end()) {
        figure.before = before->value;
        figure.before_grade = profiles::to_string(before->from.grade);
      }
      leaves.push_back(leaf_of(figure));
    }
    input::Problems problems;
    if (growing_.add(leaves, problems)) {
      for (ProbedFigure& figure : figures) found_.figures.push_back(std::move(figure));
    } else if (figures.size() == 1) {
      found_.left_out.push_back(
          fmt::format("{}: {}", figures.front().path, refusal(problems, figures.front().path)));
    } else {
      for (ProbedFigure& figure : figures) take({std::move(figure)});
    }
  }

  void add_probed() {
    std::vector<std::pair<std::string, std::vector<ProbedFigure>>> blocks;  // by the mapping that holds them
    for (const ProbedParameter& row : folder_.parameters) {
      const std::string& path = row.measured.parameter;
      if (path.starts_with("seen.")) continue;
      const bool traced = std::ranges::any_of(
          found_.figures, [&](const ProbedFigure& figure) { return figure.path == path; });
      const std::string why = traced ? "the fit to the tables of traces has it"
                                     : no_place(folder_, row.measured, growing_.base());
      if (!why.empty()) {
        found_.left_out.push_back(fmt::format("{}: {}", path, why));
        continue;
      }
      const std::string parent = path.substr(0, path.rfind('.'));
      auto block = std::ranges::find(blocks, parent, &decltype(blocks)::value_type::first);
      if (block == blocks.end()) block = blocks.insert(blocks.end(), {parent, {}});
      block->second.push_back(figure_of(row));
    }
    for (auto& [parent, figures] : blocks) take(std::move(figures));
  }

  void add_kernels() {
    found_.kernels = fit_probed_kernels(folder_, growing_.base());
    if (!found_.kernels.figures.empty()) take(found_.kernels.figures);
    found_.left_out.insert(found_.left_out.end(), found_.kernels.left_out.begin(),
                           found_.kernels.left_out.end());
  }

  // Energies that the base of this very card has from the watts of networks stay: numbers of the probe's
  // loads switch fewer bits than those of networks, and the fit to an H100's predicts networks' watts worse.
  void add_power_figures() {
    std::vector<ProbedFigure> taken;
    for (const ProbedFigure& figure : found_.power.figures) {
      const auto& known = shipped_.profile.figures;
      const auto before = std::ranges::find(known, figure.path, &profiles::ProfileParameter::path);
      if (found_.base.exact && before != known.end() &&
          before->from.grade == profiles::ParameterGrade::fitted)
        found_.left_out.push_back(
            fmt::format("{}: the base has it from watts of networks, {}; loads tell {} +- {:.0f} %",
                        figure.path, before->value, figure.value, 100 * figure.relative_sd));
      else
        taken.push_back(figure);
    }
    if (!taken.empty()) take(std::move(taken));
  }

  [[nodiscard]] std::string text() const {
    const auto& identity = folder_.identity;
    const std::string tables = kernel_tables_of(folder_, question_.output);
    const std::string machine = !identity.board.empty()      ? identity.board
                                : !identity.gpu.name.empty() ? identity.gpu.name
                                : !identity.clusters.empty() ? identity.clusters.front().core
                                                             : identity.architecture;
    return fmt::format(
        "# Written by `jostle calibrate auto`: {}, with what a probe measured.\n# Base: {}.\nname: {}\n"
        "description: {}\nlike: {}\n\n{}{}",
        found_.base.device, input::printable(found_.base.reason, 400), yaml_quoted(found_.name),
        yaml_quoted(fmt::format("{}, measured by jostle probe", machine)), found_.base.device,
        tables.empty() ? "" : fmt::format("evidence: {}\n", yaml_quoted(tables)),
        leaves_text(growing_.leaves()));
  }

  // Measurements that would make the profile surer: parts that are missing or were cut short, and what no
  // probe measures.
  void add_next() {
    if (folder_.identity.emulated)
      found_.next.push_back(
          fmt::format("jostle probe on a processor that is {}: the figures of this one are of its emulation",
                      folder_.identity.architecture));
    std::vector<std::string> quick, noisy;
    for (const auto& part :
         calibration::probe::chosen_parts(calibration::probe::parts(), {}, folder_.identity)) {
      const auto done = std::ranges::find(folder_.parts, part.name, &calibration::probe::FinishedPart::name);
      if (done == folder_.parts.end())
        found_.next.push_back(
            fmt::format("jostle probe --only {}: {} were not measured", part.name, part.gives));
      else if (done->quick)
        quick.emplace_back(part.name);
    }
    if (!quick.empty())
      found_.next.push_back(
          fmt::format("jostle probe --only {} without --quick: narrower intervals", fmt::join(quick, ",")));
    for (const ProbedParameter& row : folder_.parameters)
      if (row.measured.relative_sd > widest_error) noisy.push_back(row.measured.parameter);
    if (!noisy.empty())
      found_.next.push_back(
          fmt::format("the probe again on a quieter machine, for {}", fmt::join(noisy, ", ")));
    if (folder_.identity.gpu.present && !question_.with_networks)
      found_.next.push_back(
          "networks of yours, alone and together, into the same folder: jostle record torch NETWORK... -o "
          "DIR --pairs 3, or record trtexec MODEL.onnx");
  }

  const ProbeFolder& folder_;
  const ProbeCalibrationQuestion& question_;
  profiles::BaseProfile shipped_;
  GrowingProfile growing_;
  ProbeCalibration found_;
};

}  // namespace

ProbeFolder host_alone(ProbeFolder folder) {
  folder.identity.gpu = {};
  const auto of_gpu = [](const std::string& name) {
    const auto parts = calibration::probe::parts();
    const auto part = std::ranges::find(parts, name, &calibration::probe::Part::name);
    return part != parts.end() && (part->on_gpu || part->group == "power");
  };
  std::erase_if(folder.parts, [&](const auto& part) { return of_gpu(part.name); });
  std::erase_if(folder.parameters, [&](const ProbedParameter& row) { return of_gpu(row.part); });
  return folder;
}

std::optional<ProbeCalibration> calibrate_probe(const ProbeFolder& folder,
                                                const ProbeCalibrationQuestion& question,
                                                input::Problems& problems) {
  return ProbeFit(folder, question, choose_base(folder.identity)).run(problems);
}

}  // namespace jostle::calibration
