#include "models/process/generator.hpp"

#include <algorithm>
#include <utility>

#include "sim/contract.hpp"

namespace jostle::process {

Generator::Generator(const Generation& generation, RequestQueue* requests, sim::RandomStream random,
                     sim::Duration answer_time)
    : generation_(generation), requests_(requests), random_(random), answer_time_(answer_time) {
  const bool talks = generation.spec.sessions.turns > 1;
  if (talks) sessions_.resize(static_cast<std::size_t>(generation.spec.sessions.count));
  if (requests_ != nullptr) return;
  for (std::int64_t user = 0; user < generation.spec.users; ++user)
    asking_.push_back({sim::Time::zero(), talks ? static_cast<std::size_t>(user) : no_session});
}

bool Generator::runs_most() const {
  return running_.size() >= static_cast<std::size_t>(generation_.spec.max_batch);
}

bool Generator::ready(sim::Time now) const {
  if (!running_.empty() || waiting_) return true;
  return requests_ != nullptr ? requests_->may_have(now) : next_ask() <= now;
}

Generator::Sequence Generator::sequence(const Ask& ask) {
  const GenerationSpec& spec = generation_.spec;
  const std::int64_t asked = spec.prompt.draw(random_, drawn_);
  const std::int64_t tokens = spec.tokens.draw(random_, drawn_);
  ++drawn_;
  Session* const session = ask.session != no_session ? &sessions_[ask.session] : nullptr;
  const std::int64_t prompt = asked + (session != nullptr ? session->said : 0);
  Sequence sequence{.made = ask.at,
                    .last = ask.at,
                    .context = spec.depth,
                    .tokens_left = spec.decodes ? tokens : 1,
                    .session = ask.session};
  sequence.positions = spec.depth + (spec.prefills ? prompt : 0) + (spec.decodes ? tokens : 0);
  if (!spec.prefills) return sequence;
  // At least one token is computed, because its scores are needed.
  const auto reused = static_cast<std::int64_t>(spec.reuse * static_cast<double>(prompt));
  sequence.prompt_left = std::max<std::int64_t>(prompt - reused, 1);
  if (session != nullptr) {
    session->busy = true;
    if (spec.sessions.kept) sequence.prompt_left = prompt - session->kept;
  }
  sequence.prompt = prompt;
  sequence.reused = prompt - sequence.prompt_left;
  sequence.context += sequence.reused;
  return sequence;
}

// One of the conversations that wait for a request, drawn evenly. If none does, the request is one of its
// own.
std::size_t Generator::waiting_session() {
  const auto waits = [](const Session& it) { return !it.busy; };
  const auto waiting = std::ranges::count_if(sessions_, waits);
  if (waiting == 0) return no_session;
  auto left = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(waiting)));
  const auto found =
      std::ranges::find_if(sessions_, [&](const Session& it) { return waits(it) && left-- == 0; });
  return static_cast<std::size_t>(found - sessions_.begin());
}

std::optional<Generator::Sequence> Generator::next(sim::Time now) {
  if (waiting_) return std::exchange(waiting_, std::nullopt);
  if (requests_ != nullptr) {
    const auto made = requests_->take(now);
    if (!made) return std::nullopt;
    return sequence({*made, sessions_.empty() ? no_session : waiting_session()});
  }
  if (next_ask() > now) return std::nullopt;
  const Ask ask = asking_.front();
  asking_.pop_front();
  return sequence(ask);
}

// True if there is room for the sequence beside those that run. Conversations that wait leave the memory,
// those unused for longest first, as far as it needs their room.
bool Generator::make_room(const Sequence& next) {
  const std::int64_t room = generation_.spec.room;
  if (room == 0) return true;
  if (!running_.empty() && positions_ + next.positions > room) return false;
  const std::int64_t own = next.session != no_session ? sessions_[next.session].kept : 0;
  while (kept_ > own && positions_ + next.positions + kept_ - own > room) {
    Session* oldest = nullptr;
    for (Session& it : sessions_)
      if (!it.busy && it.kept > 0 && (oldest == nullptr || it.used < oldest->used)) oldest = &it;
    sim::contract(oldest != nullptr, "what is kept of conversations is that of those that wait");
    kept_ -= std::exchange(oldest->kept, 0);
  }
  return true;
}

void Generator::admit(sim::Time now) {
  const std::int64_t room = generation_.spec.room;
  while (!runs_most()) {
    const std::optional<Sequence> first = next(now);
    if (!first) return;
    if (!make_room(*first)) {
      waiting_ = first;
      return;
    }
    if (first->session != no_session) kept_ -= std::exchange(sessions_[first->session].kept, 0);
    positions_ += first->positions;
    running_.push_back(*first);
    sim::contract(room == 0 || positions_ + kept_ <= room || running_.size() == 1,
                  "running sequences reserve no more of the KV cache than there is");
  }
}

// The conversation of a complete sequence goes on, or ends.
void Generator::answer(const Sequence& sequence, sim::Time now) {
  if (sequence.session != no_session) {
    const Sessions& spec = generation_.spec.sessions;
    Session& session = sessions_[sequence.session];
    const std::int64_t turn = session.turn + 1;
    session = {.used = ++answered_};
    if (turn < spec.turns) {
      session.turn = turn;
      session.said = sequence.positions - generation_.spec.depth;
      session.kept = spec.kept ? sequence.context - generation_.spec.depth : 0;
      kept_ += session.kept;
    }
  }
  if (requests_ == nullptr) ask_again(sequence.session, now);
}

void Generator::ask_again(std::size_t session, sim::Time now) {
  const Sessions& spec = generation_.spec.sessions;
  const Ask ask{now + think_time(spec.think, spec.think_at_random, random_), session};
  asking_.insert(std::ranges::upper_bound(asking_, ask.at, {}, &Ask::at), ask);
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

void Generator::note_decoded(const gpu::KernelSequence& kernels) {
  metrics_.decode_kernels += kernels.total();
  if (!kernels.used.empty()) metrics_.decode_used += kernels.used.back();
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
    note_decoded(*step_);
    if (host_ != nullptr)
      for (const CoreVisit& visit : host_->visits) note_decoded(visit.kernels);
  }
  const auto prompted = std::ranges::find_if(running_, [](const Sequence& it) { return it.prompt_left > 0; });
  for (auto it = running_.begin(); it != running_.end(); ++it) {
    std::int64_t decoded = 1;
    if (prefilling_) {
      if (it != prompted) continue;
      it->prompt_left -= step_tokens_;
      it->context += step_tokens_;
      if (it->prompt_left > 0) continue;
      metrics_.prompted += it->prompt;
      metrics_.reused += it->reused;
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
    answer(it, now);
    sim::contract(it.tokens_left == 0 && it.prompt_left == 0,
                  "a sequence computes no more tokens than it has");
    return true;
  });
  sim::contract(positions_ >= 0 && (positions_ == 0 || !running_.empty()),
                "the reserved KV cache is that of the running sequences");
  return complete_;
}

}  // namespace jostle::process
