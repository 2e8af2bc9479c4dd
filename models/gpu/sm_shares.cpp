#include "models/gpu/sm_shares.hpp"

#include <algorithm>
#include <array>

namespace jostle::gpu::space {
namespace {

int sms_of_tpc(const Spec& gpu) {
  return std::max(gpu.sms_per_tpc, 1);
}

int tpcs_of(const Spec& gpu) {
  return (std::max(gpu.sm_count, 1) + sms_of_tpc(gpu) - 1) / sms_of_tpc(gpu);
}

}  // namespace

int sms_of_share(const Spec& gpu, double share) {
  constexpr double rounding = 1e-9;  // 0.29 * 100
  const int tpcs = tpcs_of(gpu);
  const int given = std::clamp(static_cast<int>(share * tpcs + rounding), 1, tpcs);
  return std::min(given * sms_of_tpc(gpu), std::max(gpu.sm_count, 1));
}

SmShares::SmShares(const Spec& gpu)
    : sms_(static_cast<std::size_t>(std::max(gpu.sm_count, 1))),
      sms_of_tpc_(static_cast<std::size_t>(sms_of_tpc(gpu))),
      tpcs_(tpcs_of(gpu)) {}

std::size_t SmShares::end_of(std::size_t tpc) const {
  return std::min((tpc + 1) * sms_of_tpc_, sms_);
}

void SmShares::limit(std::size_t client, int sms) {
  clients_.resize(std::max(clients_.size(), client + 1));
  const int of_tpc = static_cast<int>(sms_of_tpc_);
  const int most = std::clamp((sms + of_tpc - 1) / of_tpc, 1, tpcs_);
  clients_[client].most = most;
  if (!limited(client)) return;
  clients_[client].blocks.resize(static_cast<std::size_t>(tpcs_), 0);
  blocks_.resize(static_cast<std::size_t>(tpcs_), 0);
}

// The higher, the sooner a client gets the TPC; 0: there is no room.
std::size_t SmShares::rank(std::size_t tpc, const Placement& room) const {
  if (blocks_[tpc] == 0) return most_blocks + 1;
  Count most = 0;
  for (std::size_t sm = tpc * sms_of_tpc_; sm < end_of(tpc); ++sm) most = std::max(most, room[sm]);
  return static_cast<std::size_t>(most);
}

void SmShares::leave_usable(std::size_t of, Placement& room) const {
  const Client& client = at(of);
  int left = client.most - client.has;
  std::array<int, most_blocks + 2> with{};  // TPCs of each rank
  for (std::size_t tpc = 0; tpc < blocks_.size(); ++tpc)
    if (client.blocks[tpc] == 0) ++with.at(rank(tpc, room));
  std::size_t all_from = with.size();  // this rank on; of the one below, the first `left`
  while (all_from > 0 && with.at(all_from - 1) <= left) left -= with.at(--all_from);
  for (std::size_t tpc = 0; tpc < blocks_.size(); ++tpc) {
    if (client.blocks[tpc] > 0) continue;
    const std::size_t here = rank(tpc, room);
    if (here >= all_from || (here + 1 == all_from && left-- > 0)) continue;
    for (std::size_t sm = tpc * sms_of_tpc_; sm < end_of(tpc); ++sm) room[sm] = 0;
  }
}

void SmShares::leave_others(std::size_t of, Placement& room) const {
  const Client& client = at(of);
  for (std::size_t tpc = 0; tpc < client.blocks.size(); ++tpc) {
    if (client.blocks[tpc] == 0) continue;
    for (std::size_t sm = tpc * sms_of_tpc_; sm < end_of(tpc); ++sm) room[sm] = 0;
  }
}

void SmShares::change(std::size_t of, const Placement& placed, int sign) {
  Client& client = clients_[of];
  for (std::size_t tpc = 0; tpc < blocks_.size(); ++tpc) {
    int here = 0;
    for (std::size_t sm = tpc * sms_of_tpc_; sm < end_of(tpc); ++sm) here += placed[sm];
    if (here == 0) continue;
    blocks_[tpc] += sign * here;
    if (client.blocks.empty()) continue;
    const bool had = client.blocks[tpc] > 0;
    client.blocks[tpc] += sign * here;
    client.has += (client.blocks[tpc] > 0 ? 1 : 0) - (had ? 1 : 0);
  }
}

}  // namespace jostle::gpu::space
