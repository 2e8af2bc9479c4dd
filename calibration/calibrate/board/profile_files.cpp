#include "calibration/calibrate/board/profile_files.hpp"

#include <filesystem>
#include <utility>

#include "profiles/profile/uncertainty.hpp"

namespace jostle::calibration {

ProfileFiles::ProfileFiles(const std::string& profile)
    : path_(profile),
      profile_(output::open_if_given(profile)),
      uncertainty_(output::open_if_given(beside() ? profiles::uncertainty_path(profile) : std::string())) {}

void ProfileFiles::write(const std::string& profile, const std::string& uncertainty_csv) const {
  if (uncertainty_) output::write_whole(*uncertainty_, uncertainty_csv);
  if (profile_) output::write_whole(*profile_, profile);
}

void ProfileFiles::write(const BoardCalibration& board) const {
  if (beside()) write_kernel_tables(board, path_);
  write(board.profile, board.uncertainty_csv);
}

void write_kernel_tables(const BoardCalibration& board, const std::string& path) {
  if (board.kernels.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path() / board.kernels;
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : {std::pair("kernels.csv", &board.calibration.own.kernels_csv),
                                   std::pair("solo.csv", &board.calibration.own.solo_csv)})
    output::write_whole(*output::open_if_given((folder / name).string()), *text);
}

}  // namespace jostle::calibration
