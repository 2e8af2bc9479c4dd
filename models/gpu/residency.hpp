// Blocks on SMs: what each SM has free, and where the next blocks of a kernel go.
//
// A block needs threads, registers and shared memory of one SM, and one of its block slots; the sums over all
// resident blocks, of whatever kernel, stay within the SM's limits (CUDA programming guide, "Hardware
// Multithreading"; measured with several kernels on an H200: calibration/evidence/h200-space). The next block
// goes to the SM with room for most blocks of this kernel, the first of these if several are equal (Gilman et
// al., "Demystifying the Placement Policies of the NVIDIA GPU Thread Block Scheduler", 2021).
//
// SMs that hold equally many blocks of each kernel are one class: they have the same room and the same demand
// for their pipes. Eight streams of a network make seven classes of the 132 SMs of an H200 on average, 128
// streams thirteen, so every loop here is one over classes. Blocks that are placed or end move SMs from class
// to class.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu::space {

// A number of something on one SM: small, so that eight fit into a vector register.
using Count = std::int16_t;

// The resources of an SM that one block takes.
struct Need {
  Count threads = 32;    // whole warps
  Count registers = 32;  // sum over its threads, in units of 32: one register of a warp
  Count shared = 0;      // memory, in units of 16 bytes, the least a block gets
};

// The need of a block of `kernel`, cut to what an SM of `gpu` has, so that every kernel can run.
[[nodiscard]] Need need_of(const Spec& gpu, const Kernel& kernel);

inline constexpr Count most_blocks = 32;  // maximum of an SM, on any architecture

// A set of SMs is a row of words with a bit for each SM of the GPU, the lowest for the first.
using Word = std::uint64_t;
inline constexpr std::size_t word_bits = 64;

// All pipes of an SM, in units of demand. The sum over the blocks of an SM, 32 at most, is below 2^15.
inline constexpr double whole_pipes = 1000;

// Where blocks are that were placed at one time: sets of SMs that do not meet, with equally many blocks on
// each SM of a set.
struct Placement {
  std::vector<Count> blocks;  // on an SM of each set
  std::vector<Word> sms;      // the sets, one after the other
};

// Calls function(sm) for each SM of a set.
template <typename Function>
void for_each_sm(std::span<const Word> set, const Function& function) {
  for (std::size_t word = 0; word < set.size(); ++word)
    for (Word left = set[word]; left != 0; left &= left - 1)
      function(word * word_bits + static_cast<std::size_t>(std::countr_zero(left)));
}

// Calls function(sm, blocks) for each SM with some of the blocks.
template <typename Function>
void for_each_sm(const Placement& placed, const Function& function) {
  const std::size_t sets = placed.blocks.size();
  for (std::size_t i = 0; i < sets; ++i) {
    const std::size_t words = placed.sms.size() / sets;
    for_each_sm(std::span(placed.sms).subspan(i * words, words),
                [&](std::size_t sm) { function(sm, placed.blocks[i]); });
  }
}

class Residency {
 public:
  explicit Residency(const Spec& gpu);

  // The number of a kernel from now until it leaves; it has no block then. `pipes`: demand of a block for the
  // pipes of its SM (slowdown.hpp).
  [[nodiscard]] std::size_t enter(const Need& need, Count pipes);
  void leave(std::size_t kernel) { free_numbers_.push_back(kernel); }
  // Each of its blocks now demands so much of the pipes.
  void set_pipes(std::size_t kernel, Count pipes);

  // Sets `room` to the number of blocks of the kernel for which each SM has room.
  void find_room(std::size_t kernel, std::vector<Count>& room);
  // Places up to `most` blocks: if `room` is not empty, only on SMs for which it is not 0. Returns
  // their number and, if that is not 0, sets `placed` to where they went.
  int place(std::size_t kernel, int most, std::span<const Count> room, Placement& placed);
  void release(std::size_t kernel, const Placement& placed);
  void release_all(std::size_t kernel);  // all blocks that it has

  // The demand of all blocks for pipes where those of the kernel are, as a share of an SM's: on the fullest
  // of the SMs, as find_fullest() found it for all kernels, or the mean of its blocks.
  void find_fullest();
  [[nodiscard]] double fullest_pipes(std::size_t kernel) const { return fullest_[kernel] / whole_pipes; }
  [[nodiscard]] double mean_pipes(std::size_t kernel) const;

  [[nodiscard]] std::size_t classes() const { return classes_; }  // number of classes

 private:
  struct Resident {
    Need need;
    Count pipes = 0;  // demand of a block
    Word key = 0;     // part of a block in the key of a class
  };
  // SMs that leave a class, since each gets so many blocks more.
  struct Move {
    std::size_t from;
    int blocks, sms;
  };

  [[nodiscard]] Word* sms_of(std::size_t of_class) { return sms_.data() + of_class * words_; }
  [[nodiscard]] Count* held_in(std::size_t of_class) { return held_.data() + of_class * most_kernels_; }
  [[nodiscard]] const Count* held_in(std::size_t of_class) const {
    return held_.data() + of_class * most_kernels_;
  }
  void make_wider();
  void find_room(const Need& need);
  void limit_to(std::span<const Count> room);
  void choose_first(int level, int sms);
  void plan_placement(int level, bool one_more);
  template <typename Set>
  void plan(std::size_t from, int blocks, const Set& set);
  void plan_all(std::size_t from, int blocks);
  [[nodiscard]] int size_of(const Word* sms) const;
  void note_moves(Placement& placed) const;
  void carry_out(std::size_t kernel);
  void move(std::size_t kernel, const Move& move, const Word* sms);
  [[nodiscard]] std::size_t class_of_moved(Word key) const;
  void copy_class(std::size_t from, std::size_t to);
  void take(std::size_t kernel, std::size_t of_class, int blocks);

  std::size_t sm_count_, words_, most_classes_, classes_ = 1, most_kernels_ = 0;
  // Arrays by class:
  std::vector<Count> threads_, registers_, shared_, blocks_;  // free on an SM
  std::vector<Count> pipes_;                                  // demand of all blocks of an SM
  std::vector<Word> keys_;   // sum over the blocks of an SM: equal in equal classes, hardly ever in others
  std::vector<int> sizes_;   // number of SMs
  std::vector<Word> sms_;    // which they are
  std::vector<Count> held_;  // blocks of each kernel on an SM
  // Arrays by kernel:
  std::vector<Resident> residents_;
  std::vector<Count> fullest_;  // demand for pipes on the fullest of its SMs
  std::vector<std::size_t> free_numbers_;
  // For the placement in hand, by class or by word; members only to keep their storage.
  std::vector<Count> room_;
  bool limited_ = false;  // to `usable_`
  std::vector<int> usable_sizes_;
  std::vector<Word> usable_, first_;
  std::vector<Move> moves_;
  std::vector<Word> moving_;       // the SMs of each move
  std::vector<Count> moved_held_;  // blocks of each kernel on an SM that moves, as it will be
};

}  // namespace jostle::gpu::space
