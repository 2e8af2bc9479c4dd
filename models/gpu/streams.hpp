// Kernels of streams on the SMs, inside the turns of their process: each group of contexts that share the GPU
// at one time has a line of kernels (dispatcher.hpp), which moves while the group has the GPU.
//
// While one context has batches, and no other, its kernels are not simulated one by one either: the next
// event is the end of its batch. What happens before finds the kernel that runs by then (lone_stream.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/gpu/batches.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/readings.hpp"
#include "models/gpu/spec.hpp"
#include "models/gpu/timed_kernels.hpp"
#include "sim/engine.hpp"

namespace jostle::gpu {

// That of a context.
struct Stream {
  std::size_t context = 0, group = 0;
  space::StreamSpec spec;
  int number = 0;  // in the group's dispatcher
  sim::Duration per_launch;
  Batches batches;
  std::uint32_t kernel = 0;                   // place in the oldest batch: the one on the GPU, or the next
  bool on_gpu = false;                        // its kernel stands in the line or runs
  sim::Time launched = sim::Time::never();    // when the next kernel has been launched; never: not known
  sim::Duration front_end;                    // time of the front end for the next kernel, still to pass
  sim::Time ready = sim::Time::never();       // when it joins the line; never: not in this turn
  sim::Time free_since = sim::Time::never();  // end of its last kernel; never: it has had none
  std::shared_ptr<TimedKernels> kernels;      // of its oldest batch
  const TimedKernel* timed = nullptr;         // the kernel on the GPU
  double counted = 0;                         // fraction of it that is booked
  std::optional<sim::Time> began;             // the kernel's first block, for the observer

  // The kernel that it runs, or runs next, in its oldest batch.
  [[nodiscard]] const Kernel& kernel_in_hand() const {
    return on_gpu ? timed->kernel : batches.front().given->kernels[kernel];
  }
  void wait_for_kernel();
};

class Streams {
 public:
  using Places = space::Dispatcher::Places;

  // All must outlive this object.
  Streams(const sim::Engine& engine, const Spec& spec, SpaceOf space, Readings& readings)
      : engine_(engine), spec_(spec), space_(space), readings_(readings) {}

  // One more context, of process number `process`.
  Stream& add(const ContextSpec& spec, std::size_t process);
  void set_observer(const KernelObserver& observer) { observer_ = observer; }
  [[nodiscard]] Stream& operator[](std::size_t context) { return *streams_[context]; }
  [[nodiscard]] std::size_t size() const { return streams_.size(); }
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& contexts_of(std::size_t group) const {
    return groups_[group].contexts;
  }
  // Contexts of which no kernel ran when settle() was last called, in their order.
  [[nodiscard]] const std::vector<std::size_t>& loose() const { return loose_; }
  void settle();

  // Its next kernel has been launched: it may still pass the front end, or wait for the one before it.
  [[nodiscard]] bool has_work(std::size_t context) const {
    const Stream& stream = *streams_[context];
    return stream.on_gpu || stream.launched <= engine_.now();
  }
  [[nodiscard]] bool has_batches(std::size_t group) const;

  // The stream's first batch has been enqueued; the oldest is done.
  void note_first(Stream& stream);
  void pop(Stream& stream);
  // When the stream's next kernel is launched and, while its group runs, when it joins the line. Call it when
  // launches have changed.
  void plan(Stream& stream);

  // Turns of groups. The kernels of one run from now on, new ones not before `from`; or stand still.
  void resume(std::size_t group, sim::Time from);
  void stand(std::size_t group);
  void refill(std::size_t group);  // its caches, until resume()
  // The slice of the group, which runs, is over. Returns the cost of saving and restoring what is resident.
  [[nodiscard]] sim::Duration expire(std::size_t group);
  // The time to refill caches at the start of the group's next turn. Asked once.
  [[nodiscard]] sim::Duration refill_due(std::size_t group);
  // Nothing runs that cannot be preempted, and what may still start then.
  [[nodiscard]] bool drained() const;
  [[nodiscard]] Places places_while_draining() const;

  // Progress of the blocks up to now. Whatever ends now ends in end_kernels(). True if a kernel of a stream
  // that is alone has ended before now.
  bool catch_up();
  // Kernels of the group that runs end. Returns the contexts whose oldest batch is over: pop() and plan()
  // them.
  const std::vector<std::size_t>& end_kernels();
  // Kernels that are ready join the line, those that were ready first before others, and what fits starts.
  void start_kernels(Places places);
  void dispatch(Places places) { groups_[*running_].dispatcher.dispatch(places); }
  // When the next kernel is launched, joins the line if it may, or ends.
  [[nodiscard]] sim::Time next(Places places);

  // No kernels are simulated from now on. Returns the fraction of each context's oldest batch that is done.
  [[nodiscard]] std::vector<double> freeze();
  // They are again, each batch's from the one that it had come to.
  void thaw(const std::vector<double>& done);

  // Execution so far is unchanged; a kernel in progress keeps its fraction.
  void set_rates(const Rates& rates);
  // The account of the context up to now. Nothing is booked, so that sums do not depend on readings.
  [[nodiscard]] Running so_far(std::size_t context) const;

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
    sim::Duration refill;
  };
  // The usage since the account was booked, and the fraction of the kernel that will be booked then.
  struct Pending {
    Running running;
    double counted = 0;
  };

  [[nodiscard]] std::size_t group_of(const ContextSpec& spec);
  [[nodiscard]] std::size_t client_of(const Client& client);
  void take_oldest(Stream& stream);
  void end_kernel(Stream& stream);
  [[nodiscard]] Pending pending(const Stream& stream) const;
  void count(Stream& stream);
  void set_executing(Stream& stream, bool executing);
  // The one context that has batches, if its kernels run alone up to the end of its oldest one, unless
  // something happens before.
  [[nodiscard]] Stream* alone() const;
  [[nodiscard]] bool run_alone();
  [[nodiscard]] sim::Time pass_over(Stream& stream, sim::Time first_end);

  const sim::Engine& engine_;
  const Spec& spec_;
  SpaceOf space_;
  Readings& readings_;
  KernelObserver observer_;
  Rates rates_;
  std::vector<std::unique_ptr<Stream>> streams_;  // by context
  std::vector<Group> groups_;
  std::vector<Client> clients_;
  std::size_t with_batches_ = 0;  // number of contexts
  std::vector<std::size_t> loose_;
  TimedSequences timed_;
  std::optional<std::size_t> running_;  // group
  bool refills_ = false;
  sim::Time starts_from_;  // kernels of this turn do not start before
  bool frozen_ = false;
  std::vector<int> done_;          // streams that end in one step; kept for its storage
  std::vector<std::size_t> over_;  // contexts whose oldest batch ends in one step; the same
};

}  // namespace jostle::gpu
