#include "input/readers.hpp"
#include "profiles/profile/read_parts.hpp"
#include "profiles/profile/time_span.hpp"

namespace jostle::profiles {
namespace {

const sim::Duration max_dla_cost = sim::seconds(1);

template <class Reader>
void read_precisions(const Cursor& at, Block& outer, const char* what, dla::PerPrecision& values,
                     const Reader& read) {
  Block block(at, what, outer.parameters(), outer.from());
  block.required("fp16", values.fp16, read);
  block.required("int8", values.int8, read);
}

}  // namespace

void read_dla(const Cursor& at, std::vector<ProfileParameter>& parameters, dla::Spec& dla) {
  Block block(at, "a DLA", parameters);
  block.required("count", dla.count, Whole<int>{1, 2});
  block.required("max_clock", dla.max_clock_hz,
                 Quantity{input::frequency_dimension(), 0, max_clock_hz, true});
  block.optional("clock_table", dla.clock_table_hz, read_clock_table);
  if (const auto ops = block.words().require("ops_per_clock"))
    read_precisions(*ops, block, "operations per clock", dla.ops_per_clock, Real{0, 1e6, true});
  if (const auto shares = block.words().require("efficiency")) {
    read_precisions(*shares, block, "shares of the peak", dla.efficiency,
                    Quantity{input::share_dimension(), 0, 1, true});
  }
  block.optional("pointwise", dla.pointwise, Quantity{input::share_dimension(), 0.01, 1});
  block.required("bandwidth", dla.bandwidth_bytes_per_s,
                 Quantity{input::bandwidth_dimension(), 0, 1e15, true});
  block.required("sram", dla.sram_bytes, Quantity{input::size_dimension(), 0, 1e12});
  const TimeSpan span{sim::Duration::zero(), max_dla_cost};
  block.required("layer_fixed", dla.layer_fixed, span);
  block.required("submit", dla.submit, span);
  block.required("border", dla.border, span);
}

void read_engines(const input::Cursor& at, std::vector<ProfileParameter>& parameters, media::Spec& engines) {
  Block block(at, "engines for pictures: nvdec, nvjpeg, vic, nvenc, each in pixels/s", parameters);
  const input::Quantity rate{input::rate_dimension(), 0, 1e15, true};
  for (std::size_t i = 0; i < media::kind_count; ++i)
    block.optional(std::string(media::kind_names.at(i)), engines.pixels_per_s.at(i), rate);
}

}  // namespace jostle::profiles
