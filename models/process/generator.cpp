#include "models/process/generator.hpp"

#include <algorithm>
#include <utility>

#include "sim/contract.hpp"

namespace jostle::process {

Generator::Generator(const Generation& generation, RequestQueue* requests, sim::RandomStream random,
                     sim::Duration answer_time)
    : generation_(generation), requests_(requests), random_(random), answer_time_(answer_time) {
  if (requests_ == nullptr)
    asking_.assign(static_cast<std::size_t>(generation.spec.users), sim::Time::zero());
}

bool Generator::runs_most() const {
  return running_.size() >= static_cast<std::size_t>(generation_.spec.max_batch);
}

bool Generator::ready(sim::Time now) const {
  if (!running_.empty() || waiting_) return true;
  return requests_ != nullptr ? requests_->may_have(now) : !asking_.empty();
}

Generator::Sequence Generator::sequence(sim::Time made) {
  const GenerationSpec& spec = generation_.spec;
  const std::int64_t prompt = spec.prompt.draw(random_, drawn_);
  const std::int64_t tokens = spec.tokens.draw(random_, drawn_);
  ++drawn_;
  Sequence sequence{
      .made = made, .last = made, .context = spec.depth, .tokens_left = spec.decodes ? tokens : 1};
  sequence.positions = spec.depth + (spec.prefills ? prompt : 0) + (spec.decodes ? tokens : 0);
  if (!spec.prefills) return sequence;
  // At least one token is computed, because its scores are needed.
  const auto reused = static_cast<std::int64_t>(spec.reuse * static_cast<double>(prompt));
  sequence.prompt_left = std::max<std::int64_t>(prompt - reused, 1);
  sequence.context += prompt - sequence.prompt_left;
  return sequence;
}

std::optional<Generator::Sequence> Generator::next(sim::Time now) {
  if (waiting_) return std::exchange(waiting_, std::nullopt);
  if (requests_ != nullptr) {
    const auto made = requests_->take(now);
    return made ? std::optional(sequence(*made)) : std::nullopt;
  }
  if (asking_.empty()) return std::nullopt;
  const sim::Time made = asking_.front();
  asking_.pop_front();
  return sequence(made);
}

void Generator::admit(sim::Time now) {
  const std::int64_t room = generation_.spec.room;
  while (!runs_most()) {
    const std::optional<Sequence> first = next(now);
    if (!first) return;
    if (room > 0 && !running_.empty() && positions_ + first->positions > room) {
      waiting_ = first;
      return;
    }
    positions_ += first->positions;
    running_.push_back(*first);
    sim::contract(room == 0 || positions_ <= room || running_.size() == 1,
                  "running sequences reserve no more of the KV cache than there is");
  }
}

const gpu::KernelSequence* Generator::choose(const StepGrid& grid, std::int64_t size, std::int64_t context) {
  const std::size_t step = grid.at(size, context);
  host_ = grid.host.empty() ? nullptr : &grid.host[step];
  return step_ = &grid.kernels[step];
}

const gpu::KernelSequence* Generator::begin(sim::Time now) {
  admit(now);
  if (running_.empty()) return nullptr;
  begun_ = now;
  const auto waiting = std::ranges::find_if(running_, [](const Sequence& it) { return it.prompt_left > 0; });
  const auto decoding =
      std::ranges::count_if(running_, [](const Sequence& it) { return it.prompt_left == 0; });
  prefilling_ = waiting != running_.end() && !(chunk_before_ && decoding > 0);
  chunk_before_ = false;
  if (prefilling_) {
    const std::int64_t chunk = generation_.spec.chunk;
    step_tokens_ = chunk > 0 ? std::min(chunk, waiting->prompt_left) : waiting->prompt_left;
    chunk_before_ = chunk > 0;
    return choose(generation_.prefill, step_tokens_, waiting->context);
  }
  std::int64_t context = 0;
  for (const Sequence& it : running_)
    if (it.prompt_left == 0) context += it.context;
  return choose(generation_.decode, decoding, context / decoding);
}

// The tokens that a decode step gives a sequence: those of the draft that are accepted, up to the first that
// is not, and one of the model's own.
std::int64_t Generator::tokens_of_step() {
  const GenerationSpec& spec = generation_.spec;
  std::int64_t tokens = 1;
  while (tokens <= spec.drafted && random_.uniform() < spec.accept) ++tokens;
  return tokens;
}

std::span<const sim::Time> Generator::finish(sim::Time now) {
  sim::contract(step_ != nullptr && !running_.empty(), "a step that ends had begun");
  complete_.clear();
  const sim::Duration took = now - begun_;
  if (prefilling_) {
    metrics_.prefilled += step_tokens_ * generation_.spec.prompts;
    metrics_.prefilling += took;
  } else {
    metrics_.decoding += took;
    ++metrics_.decode_steps;
    metrics_.decode_kernels += step_->total();
    if (!step_->used.empty()) metrics_.decode_used += step_->used.back();
  }
  const auto prompted = std::ranges::find_if(running_, [](const Sequence& it) { return it.prompt_left > 0; });
  for (auto it = running_.begin(); it != running_.end(); ++it) {
    std::int64_t decoded = 1;
    if (prefilling_) {
      if (it != prompted) continue;
      it->prompt_left -= step_tokens_;
      it->context += step_tokens_;
      if (it->prompt_left > 0) continue;
      metrics_.first.add(sim::to_seconds(now + answer_time_ - it->made));
    } else {
      if (it->prompt_left > 0) continue;
      decoded = std::min(tokens_of_step(), it->tokens_left);
      const double each = sim::to_seconds(now - it->last) / static_cast<double>(decoded);
      for (std::int64_t token = 0; token < decoded; ++token) metrics_.between.add(each);
      it->context += decoded;
      metrics_.decoded += decoded;
    }
    it->last = now;
    it->tokens_left -= decoded;
  }
  std::erase_if(running_, [&](const Sequence& it) {
    if (it.tokens_left > 0 || it.prompt_left > 0) return false;
    complete_.push_back(it.made);
    positions_ -= it.positions;
    sim::contract(it.tokens_left == 0 && it.prompt_left == 0,
                  "a sequence computes no more tokens than it has");
    return true;
  });
  sim::contract(positions_ >= 0 && (positions_ == 0 || !running_.empty()),
                "the reserved KV cache is that of the running sequences");
  if (requests_ == nullptr) asking_.insert(asking_.end(), complete_.size(), now);
  return complete_;
}

}  // namespace jostle::process
