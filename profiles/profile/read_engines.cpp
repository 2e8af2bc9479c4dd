#include "input/readers.hpp"
#include "profiles/profile/read_parts.hpp"

namespace jostle::profiles {

void read_engines(const input::Cursor& at, std::vector<ProfileParameter>& parameters, media::Spec& engines) {
  Block block(at, "engines for pictures: nvdec, nvjpeg, vic, nvenc, each in pixels/s", parameters);
  const input::Quantity rate{input::rate_dimension(), 0, 1e15, true};
  for (std::size_t i = 0; i < media::kind_count; ++i)
    block.optional(std::string(media::kind_names.at(i)), engines.pixels_per_s.at(i), rate);
}

}  // namespace jostle::profiles
