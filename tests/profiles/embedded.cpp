// The binary carries the data files of profiles/ unchanged, and the laboratory's those of calibration/.
#include "profiles/embedded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "calibration/evidence/evidence_files.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

// The number of data files below a room's folder, each of which is among `all`.
std::size_t found_in(const char* room, std::span<const EmbeddedFile> all) {
  const std::filesystem::path data_directory = std::filesystem::path(JOSTLE_SOURCE_DIR) / room;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_directory)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".yaml" && extension != ".csv") continue;
    const std::string name = entry.path().lexically_relative(data_directory).generic_string();
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string on_disk(std::istreambuf_iterator<char>(stream), {});
    const auto embedded = embedded_file(all, name);
    EXPECT_TRUE(embedded.has_value()) << name;
    EXPECT_TRUE(embedded.value_or("") == on_disk) << name << " differs";
    ++files;
  }
  return files;
}

TEST(EmbeddedFiles, every_profile_and_table_is_in_the_binary_byte_for_byte) {
  const std::size_t files = found_in("profiles", embedded_files());
  // Beside each profile is what was made of it (compiled_profiles.cpp).
  EXPECT_EQ(files + device_names().size(), embedded_files().size());
  EXPECT_GT(files, 0U);
}

TEST(EmbeddedFiles, all_evidence_is_in_the_laboratory_byte_for_byte) {
  const std::size_t files = found_in("calibration", calibration::embedded_files());
  EXPECT_EQ(files, calibration::embedded_files().size());
  EXPECT_GT(files, 0U);
}

TEST(EmbeddedFiles, are_sorted_by_path_without_repeats) {
  const auto files = embedded_files();
  EXPECT_EQ(std::ranges::adjacent_find(files, std::ranges::greater_equal{}, &EmbeddedFile::path),
            files.end());
}

TEST(EmbeddedFiles, a_path_that_is_not_there_gives_none) {
  EXPECT_FALSE(embedded_file("devices/no-such-board.yaml").has_value());
  EXPECT_FALSE(embedded_file("").has_value());
}

TEST(EmbeddedFiles, are_followed_by_a_zero_that_does_not_count) {
  for (const EmbeddedFile& file : embedded_files())
    EXPECT_EQ(*(file.contents.data() + file.contents.size()), '\0');
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
