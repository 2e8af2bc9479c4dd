// jostle.calibrate(): fits the profile of a board to its measurements.
#include <utility>

#include "input/csv.hpp"
#include "profiles/profile/base_profile.hpp"
#include "python/answers.hpp"
#include "python/call.hpp"

namespace jostle::python {

Answer calibrate(const std::string& device, const CalibrateOptions& options, pybind11::object progress) {
  Call call(std::move(progress));
  return call.run([&]() -> Answer {
    Answer answer;
    input::Problems problems;
    const auto base = profiles::base_profile(device, problems);
    if (!base) throw Invalid{problems};
    calibration::BoardCalibrationControl control;
    control.fit.interrupt = call.interrupt();
    control.validating = [&call](double done) { call.tell(done); };
    const calibration::EvidenceFiles files = calibration::read_evidence_files(options.evidence, options.onnx);
    answer.warnings = files.notes;
    const calibration::ProfileFiles profile(options.output);
    const calibration::BoardCalibration board = calibration::calibrate_board(*base, files, options, control);
    profile.write(board);
    if (!board.calibration.converged)
      answer.warnings.push_back("the fit did not converge; the parameters are the best found");
    answer.json = calibration::board_calibration_json(board, files);
    return answer;
  });
}

}  // namespace jostle::python
