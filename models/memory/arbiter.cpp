#include "models/memory/arbiter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/contract.hpp"

namespace jostle::memory {

ClientId Arbiter::add(const SpeedListener& listener) {
  clients_.push_back({.listener = listener, .since = engine_.now()});
  demands_.push_back(0);
  users_.push_back(1);
  grants_.push_back(0);
  return {static_cast<std::uint32_t>(clients_.size() - 1)};
}

ClientId Arbiter::add_steady() {
  const ClientId id = add({});
  clients_[id.index].steady = true;
  return id;
}

double Arbiter::moved(ClientId id) const {
  const Client& client = clients_[id.index];
  return client.moved + grants_[id.index] * sim::to_seconds(engine_.now() - client.since);
}

void Arbiter::set_demand(ClientId id, const Demand& demand) {
  Client& client = clients_[id.index];
  const double capacity = sharing_.capacity_bytes_per_s, bytes = std::min(demand.bytes_per_s, capacity);
  const double peak_before = std::min(client.peak, capacity);
  client.asked = demand.bytes_per_s;
  client.peak = demand.peak > 0 ? demand.peak : demand.bound > 0 ? demand.bytes_per_s / demand.bound : 0;
  if (demands_[id.index] == bytes && client.bound == demand.bound && users_[id.index] == demand.users &&
      std::min(client.peak, capacity) == peak_before)
    return;
  demands_[id.index] = bytes;
  client.bound = demand.bound;
  users_[id.index] = demand.users;
  // This case is common and frequent: it must cost almost nothing. Under steady traffic all_granted_ is
  // false, so here there is steady traffic only if this client brings it now.
  if (all_granted_ && !(client.steady && bytes > 0) && always_fits()) {
    settle(id.index);
    grants_[id.index] = bytes;
    return;
  }
  solve();
}

void Arbiter::set_capacity(double bytes_per_s) {
  if (sharing_.capacity_bytes_per_s == bytes_per_s) return;
  for (std::size_t i = 0; i < clients_.size(); ++i) settle(i);
  sharing_.capacity_bytes_per_s = bytes_per_s;
  for (std::size_t i = 0; i < clients_.size(); ++i) demands_[i] = std::min(clients_[i].asked, bytes_per_s);
  solve();
}

// True if all demands fit: even with the maximum interference, or because only one client demands anything.
bool Arbiter::always_fits() const {
  double sum = 0, most = 0;
  for (const double demand : demands_) {
    sum += demand;
    most = std::max(most, demand);
  }
  return sum == most || sum <= sharing_.capacity_bytes_per_s * (1 - sharing_.interference);
}

Demand Arbiter::steady_demand() const {
  Demand sum{.users = 0};
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (!clients_[i].steady || demands_[i] <= 0) continue;
    sum.bytes_per_s += demands_[i];
    sum.users += users_[i];
  }
  return sum;
}

// The speed of the memory-bound part of a client's work beside steady traffic. What counts for both is their
// demand during that part, not their mean demand.
double Arbiter::speed_beside(const Demand& steady, std::size_t index) const {
  const Client& client = clients_[index];
  if (client.peak <= 0) return 1;
  const std::array demands{std::min(client.peak, sharing_.capacity_bytes_per_s), steady.bytes_per_s};
  const std::array users{users_[index], steady.users};
  std::array<double, 2> grants{};
  share_bandwidth(sharing_, demands, users, grants);
  return grants[0] / demands[0];
}

void Arbiter::settle(std::size_t index) {
  Client& client = clients_[index];
  const sim::Time now = engine_.now();
  sim::contract(grants_[index] >= 0 && now >= client.since, "the bytes that a client has moved never shrink");
  if (grants_[index] > 0) client.moved += grants_[index] * sim::to_seconds(now - client.since);
  client.since = now;
}

bool Arbiter::differs(const Client& client) {
  constexpr double least_change = 0.01;
  if (client.listener.changed == nullptr || client.speed == client.notified_speed) return false;
  return client.speed == 1 ||
         std::abs(client.speed - client.notified_speed) > least_change * client.notified_speed;
}

void Arbiter::solve() {
  for (std::size_t i = 0; i < clients_.size(); ++i) settle(i);
  share_bandwidth(sharing_, demands_, users_, grants_);
  const Demand steady = steady_demand();
  const bool all_granted = std::ranges::equal(demands_, grants_) && steady.bytes_per_s <= 0;
  if (all_granted && all_granted_) return;
  // A client is slowed to the lower of two speeds: beside the other clients without steady traffic, and
  // beside steady traffic alone.
  std::span<const double> grants = grants_;
  std::vector<double> without_steady;
  if (steady.bytes_per_s > 0) {
    std::vector<double> demands = demands_;
    for (std::size_t i = 0; i < clients_.size(); ++i)
      if (clients_[i].steady) demands[i] = 0;
    without_steady.resize(demands.size());
    share_bandwidth(sharing_, demands, users_, without_steady);
    grants = without_steady;
  }
  bool news = false;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Client& client = clients_[i];
    if (demands_[i] <= 0) {
      if (client.listener.changed == nullptr) client.speed = 1;
      continue;
    }
    client.speed = memory_speed(grants[i] / demands_[i], client.bound);
    if (steady.bytes_per_s > 0 && !client.steady)
      client.speed = std::min(client.speed, speed_beside(steady, i));
    news = news || differs(client);
  }
  // A client that demands nothing may still have to be notified that bandwidth is free again, if it listens.
  all_granted_ =
      all_granted && std::ranges::none_of(clients_, [](const Client& client) {
        return client.listener.changed != nullptr && (client.speed < 1 || client.notified_speed < 1);
      });
  if (news && !engine_.pending(notification_))
    notification_ = engine_.schedule(engine_.now(), sim::action<&Arbiter::notify>(*this));
}

void Arbiter::notify() {
  notification_ = {};
  for (Client& client : clients_) {
    if (!differs(client)) continue;
    client.notified_speed = client.speed;
    client.listener.changed(client.listener.context, client.notified_speed);
  }
}

namespace {

struct Asked {
  std::span<const double> demands, users;
};

// The common grant of all users that demand more than it, such that the grants (not the demands) sum to
// `total`.
double level_for(const Asked& asked, double total) {
  double level = 0;
  for (;;) {
    double satisfied = 0, others = 0;
    for (std::size_t i = 0; i < asked.demands.size(); ++i) {
      if (asked.demands[i] <= level * asked.users[i]) {
        satisfied += asked.demands[i];
      } else {
        others += asked.users[i];
      }
    }
    if (others == 0) return level;
    const double next = (total - satisfied) / others;
    if (next <= level) return level;
    level = next;
  }
}

void grant_up_to(double level, const Asked& asked, std::span<double> grants) {
  for (std::size_t i = 0; i < grants.size(); ++i)
    grants[i] = std::min(asked.demands[i], level * asked.users[i]);
}

}  // namespace

double usable(const Sharing& sharing, std::span<const double> grants) {
  double sum = 0, squares = 0;
  for (const double grant : grants) {
    sum += grant;
    squares += grant * grant;
  }
  const double mixed = sum > 0 ? 1 - squares / (sum * sum) : 0;
  return sharing.capacity_bytes_per_s * (1 - sharing.interference * std::max(mixed, 0.0));
}

void share_bandwidth(const Sharing& sharing, std::span<const double> demands, std::span<const double> users,
                     std::span<double> grants) {
  double sum = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) sum += grants[i] = demands[i];
  double total = usable(sharing, grants);
  if (sum <= total) return;
  // The usable bandwidth depends on the grants and the grants on it: each step reduces the
  // error to at most interference / 2 of it.
  constexpr int max_steps = 60;
  constexpr double close_enough = 1e-12;
  for (int i = 0; i < max_steps; ++i) {
    grant_up_to(level_for({demands, users}, total), {demands, users}, grants);
    const double before = std::exchange(total, usable(sharing, grants));
    if (std::abs(total - before) <= close_enough * before) return;
  }
}

double memory_speed(double share, double bound) {
  if (share >= 1 || bound <= 0) return 1;
  return bound / (1 / share - 1 + bound);
}

}  // namespace jostle::memory
