#include "scenarios/validate/evidence.hpp"

#include <stdexcept>

#include "calibration/embedded.hpp"

namespace jostle::scenarios {

calibration::CsvTable evidence(const std::string& file) {
  const std::string path = "evidence/h200/" + file;
  const auto text = calibration::embedded_file(path);
  if (!text) throw std::runtime_error(path + " is not in this build");
  return calibration::CsvTable::parse(*text, path);
}

}  // namespace jostle::scenarios
