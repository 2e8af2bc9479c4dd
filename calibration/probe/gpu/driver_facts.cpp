// Facts of the GPU's driver for the identity of a machine.
#include <cmath>
#include <string>

#include "calibration/probe/gpu/loops.hpp"
#include "calibration/probe/part.hpp"
#include "calibration/probe/power_sensors.hpp"

namespace jostle::calibration::probe {

void add_driver_facts(const Session& session, GpuIdentity& gpu) {
  GpuFacts facts;
  try {
    facts = identify(session);
  } catch (const Interrupted&) {
    return;
  } catch (const ProbeError& error) {
    gpu.present = false;
    if (gpu.absent_because.empty())
      gpu.absent_because = std::string("its driver cannot be used: ") + error.what();
    return;
  }
  gpu.present = true;
  gpu.absent_because.clear();
  gpu.name = facts.name.data();
  gpu.integrated = facts.integrated;
  gpu.sms = facts.sms;
  gpu.capability = 10 * facts.major + facts.minor;
  if (facts.clock_mhz > 0) gpu.max_mhz = facts.clock_mhz;
  if (facts.memory_mhz > 0) gpu.memory_mhz = facts.memory_mhz;
  gpu.memory_bytes = facts.memory_bytes;
  gpu.l2_bytes = facts.l2_bytes;
  gpu.bus_bits = facts.memory_bits;
  const PowerSensors sensors(session.root);
  if (const double limit = PowerSensors::value_of(sensors.read(), "power_limit"); !std::isnan(limit))
    gpu.power_limit_w = limit;
}

}  // namespace jostle::calibration::probe
