// Any bytes as the identity of a probed machine: it is refused with a reason, or it is read as it would be
// written.
#include <cstdint>
#include <string>

#include "calibration/probe/identity.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jostle::calibration;
  const std::string text(reinterpret_cast<const char*>(data), size);
  probe::Identity read;
  try {
    read = probe::parse_identity(jostle::input::CsvTable::parse(text, "identity.csv"));
  } catch (const jostle::input::CsvError& error) {
    jostle::fuzz::require(std::string(error.what()).starts_with("identity.csv"), "a problem names the file");
    return 0;
  }
  const std::string written = probe::identity_csv(read);
  jostle::fuzz::require(probe::parse_identity(jostle::input::CsvTable::parse(written, "written")) == read,
                        "what was read can be written");
  jostle::fuzz::require(!probe::board_key(read).empty(), "a machine has a word");
  return 0;
}
