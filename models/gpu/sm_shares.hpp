// MPS clients that may use a share of the SMs (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE).
//
// A share is a number of TPCs: of all, rounded down, at least one. It limits on how many of them the client
// has blocks at one time, and does not say on which: a TPC is the client's from its first block there to the
// end of its last. It gets TPCs that nobody has first, then those with most room, so clients whose shares add
// up to at most the GPU never meet on one. Where shares add up to more, a client that wants another TPC waits
// in the line like any other (dispatcher.hpp); one that has all it may have holds up others on its own only.
// Sources: calibration/evidence/h100-shares (spin.csv: the SMs of a share; two to four clients that spin);
// NVIDIA's open-gpu-kernel-modules, ctrl9067.h (a subcontext has a number of TPCs, which the hardware assigns
// in dynamic mode).
#pragma once

#include <cstddef>
#include <vector>

#include "models/gpu/residency.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu::space {

// The SMs on which a client with this share of the threads, above 0 to 1, may have blocks at one time.
[[nodiscard]] int sms_of_share(const Spec& gpu, double share);

class SmShares {
 public:
  explicit SmShares(const Spec& gpu);

  // `client`, numbered from 0, may have blocks on so many SMs at one time.
  void limit(std::size_t client, int sms);

  [[nodiscard]] bool limited(std::size_t client) const { return at(client).most < tpcs_; }  // to some
  // It has blocks on as many TPCs as it may.
  [[nodiscard]] bool has_all(std::size_t client) const { return at(client).has >= at(client).most; }

  // Zeros the room on all SMs but those that a limited client may use: on its own TPCs, and on as many others
  // as it may still get.
  void leave_usable(std::size_t client, std::vector<Count>& room);
  // Zeros the room on the TPCs of a limited client.
  void leave_others(std::size_t client, std::vector<Count>& room) const;

  // Blocks of `client` were placed so, or are over.
  void add(std::size_t client, const Placement& placed) { change(client, placed, 1); }
  void remove(std::size_t client, const Placement& placed) { change(client, placed, -1); }

 private:
  struct Client {
    int most = 0, has = 0;    // TPCs
    std::vector<int> blocks;  // on each TPC; empty if the client is not limited
  };
  [[nodiscard]] const Client& at(std::size_t client) const { return clients_[client]; }
  void change(std::size_t client, const Placement& placed, int sign);
  void rank_others(const Client& client, const std::vector<Count>& room);
  template <typename Without>
  void clear(std::vector<Count>& room, const Without& without) const;

  std::size_t sms_, sms_of_tpc_;
  int tpcs_;
  std::vector<Client> clients_;
  std::vector<int> blocks_;   // number of blocks of all clients on each TPC; empty while no client is limited
  std::vector<Count> ranks_;  // ranks of the TPCs, for leave_usable()
};

}  // namespace jostle::gpu::space
