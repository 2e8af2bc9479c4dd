#include "models/process/batch_steps.hpp"

#include <algorithm>

namespace jostle::process {
namespace {

BatchSteps::Executor executor_of(const BoardParts& board, const Spec& spec, const Costs& costs,
                                 HostThread& host, Accounting& accounting) {
  using Executor = BatchSteps::Executor;
  if (spec.on_cores())
    return Executor(std::in_place_type<ThreadTeam>, board, spec, costs, host, accounting.time());
  return Executor(std::in_place_type<Stream>, board, spec, costs, host, accounting);
}

}  // namespace

BatchSteps::BatchSteps(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& host,
                       Accounting& accounting)
    : engine_(board.engine),
      engines_(board.engines),
      spec_(spec),
      host_(host),
      accounting_(accounting),
      executor_(executor_of(board, spec, costs, host, accounting)) {
  if (spec.pool.threads > 0) pool_.emplace(board, spec, costs);
}

bool BatchSteps::one_by_one() const {
  return std::holds_alternative<ThreadTeam>(executor_) || !spec_.before.empty() || !spec_.after.empty() ||
         (traits_of(spec_.runtime).kind == RuntimeKind::session && !spec_.pace);
}

sim::Task<> BatchSteps::serve(std::uint64_t batch, sim::Time made) {
  serving(true);
  if (!spec_.before.empty()) co_await before(spec_.batch);
  if (auto* team = std::get_if<ThreadTeam>(&executor_)) {
    co_await team->compute(spec_.host.layers);
  } else {
    co_await enqueue(batch, made);
    co_await synchronise(batch);
  }
  if (!spec_.after.empty()) co_await after(spec_.batch);
  record_made_at(made);
}

sim::Task<> BatchSteps::work_on(const std::vector<HostStage>& stages, std::size_t first,
                                std::int64_t images) {
  const double share = static_cast<double>(images) / static_cast<double>(spec_.batch);
  const double factor = share * host_.variation();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const sim::Time begun = engine_.now();
    if (stages[i].engine) {
      co_await on_engine(*stages[i].engine, sim::work_in(stages[i].work, share));
    } else {
      host_.set_phase(Phase::computing);
      co_await host_.run(sim::work_in(stages[i].work, factor));
    }
    accounting_.stage_done(first + i, begun);
  }
}

// The thread sleeps in the call that hands the pictures over, until the engine's interrupt.
sim::Task<> BatchSteps::on_engine(media::Kind kind, sim::Duration time) {
  host_.set_phase(Phase::synchronising);
  const auto engine = std::ranges::find(engines_, kind, &media::Engine::kind);
  engine_done_.reset();
  engine->submit(time, {.changed =
                            [](void* self, media::JobState state) {
                              BatchSteps& steps = *static_cast<BatchSteps*>(self);
                              steps.accounting_.time().set_engine(state);
                              if (state == media::JobState::finished) steps.engine_done_.set();
                            },
                        .context = this});
  co_await host_.sleep_in_call(engine_done_);
}

void BatchSteps::serving(bool full) {
  accounting_.serving(full);
  if (instance_ != nullptr) instance_->serving(full);
}

void BatchSteps::record_made_at(sim::Time made) {
  record(std::span(&made, 1), spec_.batch);
}

void BatchSteps::record(std::span<const sim::Time> made, std::int64_t images) {
  host_.set_phase(Phase::idle);
  if (line_ != nullptr)
    line_->put({.made = {made.begin(), made.end()}, .images = images, .of = this});
  else
    answered(made, images);
}

void BatchSteps::answered(std::span<const sim::Time> made, std::int64_t images) {
  accounting_.batch_done(made, images);
  if (instance_ != nullptr) instance_->answered(made, images);
  const std::int64_t each = images / static_cast<std::int64_t>(made.size());
  for (const Feed& feed : feeds_)
    for (const sim::Time request : made)
      for (std::int64_t i = 0; i < each; ++i) feed.served(feed.context, request);
}

}  // namespace jostle::process
