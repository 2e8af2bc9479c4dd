// Shares the memory bandwidth over time: users state their demands, and are notified when they get less.
//
// A demand is a mean over a stretch of work and changes only at interactions. While all demands fit, nothing
// happens: no event, no call. Changes of less than 1 % are not notified.
//
// Steady traffic is the exception: it never pauses. A user that is bound by memory for a part of its time
// therefore competes with it in that part, with the demand of that part, however low its mean demand is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/memory/bandwidth.hpp"
#include "sim/engine.hpp"

namespace jostle::memory {

// Demand of a user's work when it has the memory to itself.
struct Demand {
  double bytes_per_s = 0;
  double bound = 1;  // share of its time that is bound by memory
  double users = 1;  // number of equal users whose demands these are together
  // Demand while any bytes are moved, even if hidden behind arithmetic; 0: bytes_per_s / bound.
  double peak = 0;
  bool operator==(const Demand&) const = default;
};

// Called, in an event of its own, when memory-bound work runs at this speed from now on (1: as if alone).
struct SpeedListener {
  void (*changed)(void* context, double speed) = nullptr;
  void* context = nullptr;
};

struct ClientId {
  std::uint32_t index = 0;
};

class Arbiter {
 public:
  // The engine must outlive the arbiter and must not run after the arbiter is destroyed.
  Arbiter(sim::Engine& engine, const Sharing& sharing) : engine_(engine), sharing_(sharing) {}
  Arbiter(const Arbiter&) = delete;
  Arbiter& operator=(const Arbiter&) = delete;

  // Adds a client. A client without a listener is never slowed: its shortage is not accounted for.
  ClientId add(const SpeedListener& listener);
  // Adds a client without a listener whose traffic is steady.
  ClientId add_steady();

  // Sets the demand from now on. A demand above the capacity counts as the capacity, also when the capacity
  // changes. A client that demands nothing keeps the speed that was last reported to it.
  void set_demand(ClientId client, const Demand& demand);

  // The capacity changes now, because the memory's clock does (> 0).
  void set_capacity(double bytes_per_s);

  [[nodiscard]] double granted(ClientId client) const { return grants_[client.index]; }  // bytes/s
  [[nodiscard]] double speed(ClientId client) const { return clients_[client.index].notified_speed; }
  [[nodiscard]] double capacity() const { return sharing_.capacity_bytes_per_s; }
  // Bytes granted up to now.
  [[nodiscard]] double moved(ClientId client) const;

 private:
  struct Client {
    SpeedListener listener;
    double asked = 0;  // bytes/s, may exceed the capacity
    double bound = 1;
    double peak = 0;  // bytes/s, may exceed the capacity
    double notified_speed = 1, speed = 1;
    double moved = 0;  // value at `since`
    sim::Time since;
    bool steady = false;
  };

  void settle(std::size_t client);
  void solve();
  [[nodiscard]] bool always_fits() const;
  [[nodiscard]] Demand steady_demand() const;
  [[nodiscard]] double speed_beside(const Demand& steady, const Client& client) const;
  void notify();
  [[nodiscard]] static bool differs(const Client& client);

  sim::Engine& engine_;
  Sharing sharing_;
  std::vector<Client> clients_;
  std::vector<double> demands_, users_, grants_;  // one entry per client
  bool all_granted_ = true;
  sim::EventId notification_;
};

}  // namespace jostle::memory
