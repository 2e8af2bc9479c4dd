#include "models/process/stream.hpp"

#include "sim/contract.hpp"

namespace jostle::process {

using sim::Time;

namespace {

// The share of a call's `work` that exceeds the work of a thread that launches alone.
double lock_wait_of(sim::Duration alone, sim::Duration work) {
  if (work <= sim::Duration::zero()) return 0;
  return static_cast<double>((work - alone).ps()) / static_cast<double>(work.ps());
}

}  // namespace

Stream::Stream(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& host,
               Accounting& accounting)
    : engine_(board.engine),
      host_(host),
      accounting_(accounting),
      copies_(board.copies),
      traffic_(board.traffic),
      all_input_bytes_(spec.input_bytes),
      all_output_bytes_(spec.output_bytes),
      input_bytes_(spec.input_bytes),
      output_bytes_(spec.output_bytes),
      context_(board, spec, costs, accounting.time(), sim::action<&Stream::gpu_done>(*this)),
      launcher_(board, spec, costs, context_,
                {.batch_done = [](void* self) { static_cast<Stream*>(self)->batch_executed(); },
                 .dla_changed =
                     [](void* self, dla::TaskState state) {
                       auto& stream = *static_cast<Stream*>(self);
                       stream.accounting_.time().set_dla(stream.context_.number(), state);
                     },
                 .context = this}) {}

// Returns the host's work in the call.
sim::Duration Stream::begin_enqueuing(std::uint64_t batch, Time made) {
  slot(batch).done.reset();
  slot(batch).made = made;
  slot(batch).output_bytes = output_bytes_;
  host_.follow({.progressed =
                    [](void* self, const gpu::HostProgress& progress) {
                      static_cast<Stream*>(self)->launcher_.host_progress(progress);
                    },
                .context = this});
  host_.set_phase(Phase::enqueuing);
  const double factor = host_.variation();
  bring_input();
  const Contention among = host_.begin_launching();
  const sim::Duration work = launcher_.begin(factor * among.call, among.launches);
  if (host_.contends()) host_.time().set_lock_wait(lock_wait_of(launcher_.work(factor, 0), work));
  return work;
}

void Stream::enqueued() {
  launcher_.end();
  host_.end_launching();
  accounting_.enqueued();
  accounting_.time().set_outstanding(context_.number(), true);
}

void Stream::size_next(const gpu::KernelSequence& kernels, double share) {
  launcher_.launch(kernels, true);
  input_bytes_ = share * all_input_bytes_;
  output_bytes_ = share * all_output_bytes_;
}

void Stream::pass(std::uint64_t batch, Time made) {
  sim::contract(executed_ == done_ && batch == done_, "a batch that passes the GPU by overtakes none");
  slot(batch).made = made;
  ++executed_;
  batch_done();
}

void Stream::bring_input() {
  if (!copies_.takes_time(input_bytes_)) {
    launcher_.input_arrived();
    return;
  }
  note_copies(+1);
  copies_.copy(input_bytes_, sim::action<&Stream::input_copied>(*this));
}

void Stream::input_copied() {
  note_copies(-1);
  launcher_.input_arrived();
}

void Stream::batch_executed() {
  accounting_.time().set_outstanding(context_.number(), launcher_.unfinished() > 0);
  const double bytes = slot(executed_++).output_bytes;
  if (copies_.takes_time(bytes)) {
    note_copies(+1);
    copies_.copy(bytes, sim::action<&Stream::output_copied>(*this));
  } else {
    batch_done();
  }
}

void Stream::batch_done() {
  slot(done_++).done.set();
  if (also_ != nullptr) also_->set();
}

void Stream::output_copied() {
  note_copies(-1);
  batch_done();
}

void Stream::note_copies(int change) {
  if (traffic_) traffic_->copies_change(change);
  accounting_.time().change_copying(change);
}

}  // namespace jostle::process
