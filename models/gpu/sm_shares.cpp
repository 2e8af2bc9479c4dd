#include "models/gpu/sm_shares.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

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

void SmShares::limit(std::size_t client, int sms) {
  clients_.resize(std::max(clients_.size(), client + 1));
  const int of_tpc = static_cast<int>(sms_of_tpc_);
  const int most = std::clamp((sms + of_tpc - 1) / of_tpc, 1, tpcs_);
  clients_[client].most = most;
  if (!limited(client)) return;
  clients_[client].blocks.resize(static_cast<std::size_t>(tpcs_), 0);
  blocks_.resize(static_cast<std::size_t>(tpcs_), 0);
}

// Zeros the room on all SMs of the TPCs for which `without(tpc)` holds.
template <typename Without>
void SmShares::clear(std::vector<Count>& room, const Without& without) const {
  for (std::size_t tpc = 0, sm = 0; tpc < blocks_.size(); ++tpc) {
    const std::size_t end = std::min(sm + sms_of_tpc_, sms_);
    if (!without(tpc)) {
      sm = end;
      continue;
    }
    for (; sm < end; ++sm) room[sm] = 0;
  }
}

// Ranks the TPCs that the client has no block on: the higher, the sooner it gets one. A TPC of nobody comes
// first, then the one with most room; a rank of 0 means that there is none.
void SmShares::rank_others(const Client& client, const std::vector<Count>& room) {
  ranks_.assign(blocks_.size(), 0);
  for (std::size_t tpc = 0, sm = 0; tpc < blocks_.size(); ++tpc) {
    const std::size_t end = std::min(sm + sms_of_tpc_, sms_);
    Count most = 0;
    for (; sm < end; ++sm) most = std::max(most, room[sm]);
    if (client.blocks[tpc] == 0) ranks_[tpc] = blocks_[tpc] == 0 ? most_blocks + 1 : most;
  }
}

void SmShares::leave_usable(std::size_t of, std::vector<Count>& room) {
  const Client& client = at(of);
  int left = client.most - client.has;
  if (left <= 0) {
    clear(room, [&](std::size_t tpc) { return client.blocks[tpc] == 0; });
    return;
  }
  rank_others(client, room);
  std::array<int, most_blocks + 2> with{};  // number of TPCs of each rank
  for (std::size_t tpc = 0; tpc < blocks_.size(); ++tpc)
    if (client.blocks[tpc] == 0) ++with.at(static_cast<std::size_t>(ranks_[tpc]));
  int all_from =
      static_cast<int>(with.size());  // it may use this rank and higher ones, and `left` of the next
  while (all_from > 0 && with.at(static_cast<std::size_t>(all_from) - 1) <= left)
    left -= with.at(static_cast<std::size_t>(--all_from));
  clear(room, [&](std::size_t tpc) {
    if (client.blocks[tpc] > 0 || ranks_[tpc] >= all_from) return false;
    return ranks_[tpc] + 1 != all_from || left-- <= 0;
  });
}

void SmShares::leave_others(std::size_t of, std::vector<Count>& room) const {
  const Client& client = at(of);
  if (!client.blocks.empty()) clear(room, [&](std::size_t tpc) { return client.blocks[tpc] > 0; });
}

void SmShares::change(std::size_t of, const Placement& placed, int sign) {
  if (blocks_.empty()) return;
  Client& client = clients_[of];
  int* const all = blocks_.data();
  int* const own = client.blocks.empty() ? nullptr : client.blocks.data();
  const auto sms_of_tpc = static_cast<std::uint32_t>(sms_of_tpc_);  // 64 bits take twice as long to divide
  int has = client.has;
  for_each_sm(placed, [&](std::size_t sm, int blocks) {
    const std::uint32_t tpc = static_cast<std::uint32_t>(sm) / sms_of_tpc;
    all[tpc] += sign * blocks;
    if (own == nullptr) return;
    const int had = own[tpc];
    own[tpc] = had + sign * blocks;
    has += (own[tpc] > 0 ? 1 : 0) - (had > 0 ? 1 : 0);
  });
  client.has = has;
}

}  // namespace jostle::gpu::space
