// A calibration as one JSON object.
#include <nlohmann/json.hpp>

#include "calibration/calibrate/board/board_calibration.hpp"
#include "output/json.hpp"

namespace jostle::calibration {
namespace {

using Json = nlohmann::ordered_json;

Json parameters_json(const Calibration& calibration) {
  Json list = Json::array();
  for (const FittedParameter& parameter : calibration.parameters)
    list.push_back({{"path", parameter.path},
                    {"before", parameter.prior},
                    {"fitted", parameter.value},
                    {"relative_sd", parameter.sd},
                    {"variance_left", parameter.variance_left},
                    {"grade", parameter.grade()}});
  return list;
}

Json errors_json(const std::vector<ComparisonGroup>& groups) {
  Json list = Json::array();
  for (const ComparisonGroup& group : groups) {
    for (const ErrorSummary& summary : summarise(group))
      list.push_back({{"runs", group.name},
                      {"quantity", summary.quantity},
                      {"count", summary.count},
                      {"mean_absolute", summary.mean_absolute},
                      {"bias", summary.bias},
                      {"worst", summary.worst}});
  }
  return list;
}

}  // namespace

std::string board_calibration_json(const BoardCalibration& board, const EvidenceFiles& files) {
  Json json{{"schema", "jostle.calibration/1"},
            {"name", board.name},
            {"device", board.calibration.device},
            {"converged", board.calibration.converged},
            {"parameters", parameters_json(board.calibration)},
            {"errors", errors_json(board.groups)}};
  json["next_logs"] = Json::array();
  for (const NextLog& next : board.next_logs)
    json["next_logs"].push_back(
        {{"log", next.log}, {"narrows", next.narrows}, {"before", next.before}, {"after", next.after}});
  json["files"] = Json::array();
  for (const EvidenceFile& file : files.files)
    json["files"].push_back({{"file", file.path}, {"rows_used", file.used}, {"rows_unused", file.unused}});
  json["skipped"] = files.skipped;
  json["profile"] = board.profile;
  json["notes"] = board.calibration.own.notes;
  if (!board.kernels.empty())
    json["kernels"] = {{"folder", board.kernels},
                       {"kernels.csv", board.calibration.own.kernels_csv},
                       {"solo.csv", board.calibration.own.solo_csv}};
  json["uncertainty"] = board.uncertainty_csv;
  return output::json_text(json);
}

}  // namespace jostle::calibration
