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
#include <span>
#include <vector>

#include "sim/engine.hpp"

namespace jostle::memory {

// Sharing of a memory's bandwidth among its users.
struct Sharing {
  double capacity_bytes_per_s = 0;
  // Bandwidth lost because accesses of several users alternate (DRAM rows are opened and closed for each).
  // The loss is the capacity times `interference` times the mean share of the traffic that belongs to other
  // users, 1 - sum(share^2). At most 0.5.
  double interference = 0;
};

// The usable capacity when `grants` (bytes/s) are moved at the same time.
[[nodiscard]] double usable(const Sharing& sharing, std::span<const double> grants);

// Divides the bandwidth max-min fairly: a small demand (bytes/s) is granted in full, all others get equal
// grants, and together they use the usable capacity. A demand may be the sum of several equal `users`: grants
// are equal per user. The three spans have the same length.
void share_bandwidth(const Sharing& sharing, std::span<const double> demands, std::span<const double> users,
                     std::span<double> grants);

// A user's work takes time T and moves D x T bytes in that time; the part `bound` of T is memory-bound. If
// only `share` of D is granted, this is the speed of the memory-bound part at which the work moves exactly
// what is granted:
//   T (1 - bound) + T bound / speed = T / share
// 1 if the share is 1 or nothing is memory-bound.
[[nodiscard]] double memory_speed(double share, double bound);

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

  // Adds a client. A client without a listener must ask for its speed.
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
  // The speed from now on of a client without a listener.
  [[nodiscard]] double present_speed(ClientId client) const { return clients_[client.index].speed; }
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
  [[nodiscard]] double speed_beside(const Demand& steady, std::size_t client) const;
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
