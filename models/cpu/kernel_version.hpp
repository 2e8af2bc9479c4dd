// Differences between the kernels that boards run: rules and constants of the scheduler, by version, with the
// commit that changed each.
#pragma once

#include <array>
#include <string_view>

namespace jostle::cpu {

// A row is valid from its version up to the next row's. Stable releases carry backports, hence the rows with
// a third number. Source: kernel/sched of torvalds/linux, of L4T R32's 4.9 and of L4T R36's 5.15.
struct KernelVersion {
  const char* name = "";  // the name in a profile

  // --- Load balance ---
  // Groups are compared by type first, and threads may be moved by number: 0b0695f2b34a "Rework
  // load_balance()", 5.5. Before, by load only.
  bool by_group_type = true;
  // A busy core pulls although it is above the average load of its domain: an unsigned difference wraps in
  // calculate_imbalance. From 0b0695f2b34a (5.5) to 91dcf1e8068e "Fix imbalance overflow" (6.3; stable
  // 5.10.178, 5.15.108, 6.1.25, April 2023). 4.9 has the check, in find_busiest_group.
  bool pulls_above_average = false;
  // Clusters get equal numbers of threads (SD_PREFER_SIBLING at all levels): 9c63e84db29b "Disable
  // SD_PREFER_SIBLING on asymmetric CPU capacity domains", 4.20.
  bool spreads_over_clusters = true;
  // A busy core balances less often by this factor: 6e7499135db7 "Reduce busy load balance interval", 5.10.
  int busy_factor = 16;
  // The interval of a busy core is one tick shorter, so that the periods of two levels are no multiples of
  // each other: e4d32e4d5444 "Minimize concurrent LBs between domain level", 5.10.
  bool busy_less_a_tick = true;
  // sd->imbalance_pct of the board level: 2208cdaa56c9 "Reduce minimal imbalance threshold", 5.10.
  int board_imbalance_percent = 117;
  // The load of a core includes the decaying load of its sleeping threads: series "remove runnable_load_avg
  // and improve group_classify", 5.7.
  bool counts_blocked_load = true;

  // A runnable thread counts as busy as it was when it last went to sleep, before its utilisation has grown
  // again: 7f65ea42eb00 "Add util_est on top of PELT", 4.17.
  bool estimates_utilisation = true;

  // --- Wake-ups ---
  // Next and last buddy of the completely fair scheduler, removed with it in 6.6.
  bool buddies = true;

  // --- Real-time threads ---
  // A core that has used up its runtime borrows the unused runtime of other cores, so that a single real-time
  // thread keeps a whole core. RT_RUNTIME_SHARE, off by default since 2586af1ac187 "Disable RT_RUNTIME_SHARE
  // by default", 5.10 (and 5.4.207).
  bool lends_runtime = false;
  // A deadline server gives 50 ms of every second to threads that real-time ones keep from their core:
  // a110a81c52a9 "Deferrable dl server", 6.12. Real-time threads then have no limit of their own unless the
  // kernel groups them (CONFIG_RT_GROUP_SCHED): 5f6bd380c7bd "Remove default bandwidth control", 6.12.
  bool fair_server = false;
};

inline constexpr std::array kernel_versions{
    KernelVersion{.name = "4.9",  // JetPack 4
                  .by_group_type = false,
                  .spreads_over_clusters = false,
                  .busy_factor = 32,
                  .busy_less_a_tick = false,
                  .board_imbalance_percent = 125,
                  .counts_blocked_load = false,
                  .estimates_utilisation = false,
                  .lends_runtime = true},
    KernelVersion{.name = "5.10", .pulls_above_average = true},  // JetPack 5.0 to 5.1.2 (5.10.120)
    KernelVersion{.name = "5.10.178"},                           // JetPack 5.1.3 (5.10.192)
    KernelVersion{.name = "5.15", .pulls_above_average = true},
    KernelVersion{.name = "5.15.108"},  // L4T R36, JetPack 6: 5.15.122 and later
    KernelVersion{.name = "6.8", .buddies = false},
    KernelVersion{.name = "6.12", .buddies = false, .fair_server = true},
    KernelVersion{.name = "6.18", .buddies = false, .fair_server = true},
};

// The row named `name`, or null.
[[nodiscard]] constexpr const KernelVersion* find_kernel(std::string_view name) {
  for (const KernelVersion& version : kernel_versions) {
    if (name == version.name) return &version;
  }
  return nullptr;
}

// Constants that all these kernels share.
inline constexpr int cluster_imbalance_percent = 117;  // sd->imbalance_pct of domains that share a cache
inline constexpr int cache_nice_tries =
    1;  // sd->cache_nice_tries: failed balances after which cache-hot threads are movable
inline constexpr int longest_pinned_interval_ms = 512;  // MAX_PINNED_INTERVAL

}  // namespace jostle::cpu
