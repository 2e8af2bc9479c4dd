#include "cli/laboratory/laboratory.hpp"

#include <array>

namespace jostle::cli {

std::span<const Subcommand> laboratory() {
  static constexpr std::array subcommands{
      Subcommand{"validate", add_validate},   Subcommand{"calibrate", add_calibrate},
      Subcommand{"reproduce", add_reproduce}, Subcommand{"import", add_import},
      Subcommand{"probe", add_probe},         Subcommand{"record", add_record}};
  return subcommands;
}

}  // namespace jostle::cli
