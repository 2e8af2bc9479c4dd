// Streams on the SMs, inside the turns of their process: each group of contexts that share the GPU at one
// time has a line of kernels (dispatcher.hpp), which moves while the group has the GPU.
//
// While one context has batches, and no other, its kernels are not simulated one by one: the next event is
// the end of its batch. What happens before finds the kernel that runs by then (lone_stream.cpp). While
// batches are repeated (repeats.hpp), no kernels are simulated at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/gpu/activity.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/repeats.hpp"
#include "models/gpu/spec.hpp"
#include "models/gpu/stream.hpp"
#include "models/gpu/timed_kernels.hpp"
#include "sim/engine.hpp"

namespace jostle::gpu {

class Streams {
 public:
  using Places = space::Dispatcher::Places;

  // Engine and specification must outlive this object. `loops`: see SpaceSharedGpu.
  Streams(const sim::Engine& engine, const Spec& spec, SpaceOf space, std::optional<LoopPrecision> loops);

  // One more context; returns its number.
  std::size_t add(const ContextSpec& spec);
  void set_observer(const KernelObserver& observer);
  [[nodiscard]] Stream& operator[](std::size_t context) { return streams_[context]; }
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  // Contexts of which no kernel ran when settle() was last called, in their order.
  [[nodiscard]] const std::vector<std::size_t>& loose() const { return loose_; }
  void settle();
  [[nodiscard]] const Repeats& repeats() const { return repeats_; }

  // Its next kernel has been launched: it may still pass the front end, or wait for the one before it.
  [[nodiscard]] bool has_work(const Stream& stream) const {
    if (repeats_.on()) return repeats_.in_batch(stream.context);
    return stream.on_gpu || stream.launched <= engine_.now();
  }
  [[nodiscard]] bool group_has_work(std::size_t group) const;
  [[nodiscard]] bool has_batches(std::size_t group) const;

  // The stream has an oldest batch which could start, or its input has been copied; launches have changed, or
  // the host is through with its only batch.
  void note_batch(Stream& stream);
  void note_launched(Stream& stream) {
    stream.launched_all = engine_.now();
    repeats_.note_launched(stream.context);
  }
  void plan(Stream& stream);

  // Turns of groups: one has the GPU, and starts kernels after `wake`. Returns the time to refill its caches,
  // which passes before resume().
  sim::Duration begin_turn(std::size_t group, sim::Duration wake);
  void resume(std::size_t group);
  void end_turn(std::size_t group);
  // The slice of the group is over. Returns the cost of saving and restoring what is resident.
  [[nodiscard]] sim::Duration expire(std::size_t group);
  // The group's turn ends because its slice is over, or for want of work.
  void note_turn(std::size_t group, bool without_work) { repeats_.end_turn(group, without_work); }
  // Nothing runs that cannot be preempted, and what may still start then.
  [[nodiscard]] bool drained() const;
  [[nodiscard]] Places places_while_draining() const;

  // Progress of the blocks up to now. Whatever ends now ends in step(). True if a kernel of a stream that is
  // alone has ended before now.
  bool catch_up();
  // Kernels, or repeated batches, end now. Kernels that are ready join the line, those that were ready first
  // before others, and what fits starts.
  void step(Places places);
  void dispatch(Places places) { groups_[*running_].dispatcher.dispatch(places); }
  // When the next kernel is launched, joins the line if it may, or ends; or a repeated batch does.
  [[nodiscard]] sim::Time next(Places places);

  // Repeats batches from now on if their loops are steady. See Repeats::steady().
  void repeat_if_steady(bool turn_began, bool may) {
    if (repeats_.steady(turn_began, may)) repeats_.begin(freeze());
  }
  void distrust_repeats();
  // Execution so far is unchanged; a kernel in progress keeps its fraction.
  void set_rates(const Rates& rates);

  // Readings up to now. Nothing is booked, so that sums do not depend on them.
  [[nodiscard]] sim::Duration running_time(std::size_t context) const { return so_far(context).total; }
  [[nodiscard]] Running running(std::size_t context) const;
  [[nodiscard]] Usage used() const;
  [[nodiscard]] ActiveTimes active_in_process(std::size_t context) const {
    return activities_.of(streams_[context].process, engine_.now());
  }
  [[nodiscard]] ActiveTimes active() const { return activities_.of_all(engine_.now()); }
  [[nodiscard]] std::uint64_t unseen() const { return unseen_; }  // sum over all streams
  void see(Stream& stream) {
    --stream.unseen;
    --unseen_;
  }

 private:
  struct Client {
    std::size_t process = 0;
    std::optional<std::uint32_t> partition;  // SmPartition::id
    bool operator==(const Client&) const = default;
  };
  // Contexts that share the GPU at one time.
  struct Group {
    space::Longer longer;
    space::Dispatcher dispatcher;
    std::vector<std::size_t> contexts;
    std::optional<std::uint32_t> id;  // ContextSpec::group
    sim::Duration refill;             // at the start of its next turn
  };
  // The usage since the account was booked, and the fraction of the kernel that will be booked then.
  struct Pending {
    Running running;
    double counted = 0;
  };

  [[nodiscard]] std::size_t group_of(const ContextSpec& spec);
  [[nodiscard]] std::size_t client_of(const Client& client);
  void end_batch(Stream& stream);
  void end_kernels();
  void end_kernel(Stream& stream);
  void start_kernels(Places places);
  void end_repeats();
  void stop_repeating();
  [[nodiscard]] std::vector<double> freeze();
  void note_could(const Group& group, int change);
  [[nodiscard]] Pending pending(const Stream& stream) const;
  [[nodiscard]] Running so_far(std::size_t context) const;
  void count(Stream& stream);
  void execute(Stream& stream, bool executing, Resident resident, sim::Time at);
  void set_executing(Stream& stream, bool executing);
  // The one context that has batches, if its kernels run alone up to the end of its oldest one, unless
  // something happens before.
  [[nodiscard]] std::optional<std::size_t> alone() const;
  [[nodiscard]] sim::Duration rest_alone(const Stream& stream);
  [[nodiscard]] bool run_alone();
  [[nodiscard]] sim::Time pass_over(Stream& stream, sim::Time end);

  const sim::Engine& engine_;
  const Spec& spec_;
  SpaceOf space_;
  KernelObserver observer_;
  Rates rates_;
  std::vector<Stream> streams_;  // by context
  Activities activities_;
  Repeats repeats_;
  std::vector<Group> groups_;
  std::vector<Client> clients_;
  std::size_t with_batches_ = 0;  // number of contexts
  std::uint64_t unseen_ = 0;
  std::vector<std::size_t> loose_;
  TimedSequences timed_;
  std::optional<std::size_t> running_;  // group
  bool refills_ = false;
  sim::Time starts_from_;  // kernels of this turn do not start before
  std::vector<int> done_;  // streams that end in one step; kept for its storage
};

}  // namespace jostle::gpu
