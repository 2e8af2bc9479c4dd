// The memory's bandwidth over time: who uses it says what it demands, and is told when it gets less.
//
// Demands are means over a stretch of work, set at interactions. As long as they all fit nothing happens: no
// event, no call. What changes by less than a hundredth is not told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/memory/bandwidth.hpp"
#include "sim/engine.hpp"

namespace jostle::memory {

// What somebody's work asks of the memory when it has it to itself.
struct Demand {
  double bytes_per_s = 0;
  double bound = 1;  // share of its time that is bound by memory
  bool operator==(const Demand&) const = default;
};

// Told, in an event of its own, that memory-bound work runs at this speed from now on (1: as alone).
struct SpeedListener {
  void (*changed)(void* context, double speed) = nullptr;
  void* context = nullptr;
};

struct ClientId {
  std::uint32_t index = 0;
};

class Arbiter {
 public:
  // The engine must outlive it, and not run after it is gone.
  Arbiter(sim::Engine& engine, const Sharing& sharing) : engine_(engine), sharing_(sharing) {}
  Arbiter(const Arbiter&) = delete;
  Arbiter& operator=(const Arbiter&) = delete;

  // A client without a listener is never slowed: what it gets less than it demands is not accounted for.
  ClientId add(const SpeedListener& listener);

  // From now on. More than the capacity is taken for the capacity, as it is and as it changes. A client that
  // demands nothing keeps the speed that it was last told.
  void set_demand(ClientId client, const Demand& demand);

  // The memory's clock changes, now (> 0).
  void set_capacity(double bytes_per_s);

  [[nodiscard]] double granted(ClientId client) const { return grants_[client.index]; }  // bytes/s
  [[nodiscard]] double speed(ClientId client) const { return clients_[client.index].told; }
  [[nodiscard]] double capacity() const { return sharing_.capacity_bytes_per_s; }
  // Bytes granted up to now.
  [[nodiscard]] double moved(ClientId client) const;

 private:
  struct Client {
    SpeedListener listener;
    double asked = 0;  // bytes/s, more than the capacity perhaps
    double bound = 1;
    double told = 1, speed = 1;
    double moved = 0;  // up to `since`
    sim::Time since;
  };

  void settle(std::size_t client);
  void solve();
  [[nodiscard]] bool surely_fits() const;
  void tell();
  [[nodiscard]] static bool differs(const Client& client);

  sim::Engine& engine_;
  Sharing sharing_;
  std::vector<Client> clients_;
  std::vector<double> demands_, grants_;  // by client
  bool all_granted_ = true;
  sim::EventId telling_;
};

}  // namespace jostle::memory
