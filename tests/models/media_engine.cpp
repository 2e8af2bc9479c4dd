// Engines for pictures: one at a time, first come first served.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <vector>

#include "models/media/engine.hpp"

namespace jostle::media {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::microseconds;
using sim::Time;

// What became of a job, by when.
struct Job {
  sim::Engine* engine = nullptr;
  Time submitted, begun, finished;
  bool waited = false;

  [[nodiscard]] JobListener listener() {
    return {.changed =
                [](void* self, JobState state) {
                  Job& job = *static_cast<Job*>(self);
                  if (state == JobState::waiting) job.waited = true;
                  if (state == JobState::running) job.begun = job.engine->now();
                  if (state == JobState::finished) job.finished = job.engine->now();
                },
            .context = this};
  }
};

RC_GTEST_PROP(MediaEngine, serves_one_after_the_other_in_the_order_of_submission_and_never_idles_in_between,
              ()) {
  sim::Engine engine;
  Engine decoder(engine, Kind::nvdec);
  std::deque<Job> jobs;
  std::vector<Duration> lengths;
  Duration sum;
  for (int i = *rc::gen::inRange(1, 20); i > 0; --i) {
    engine.run(engine.now() + microseconds(*rc::gen::inRange(0, 200)));
    lengths.push_back(microseconds(*rc::gen::inRange(1, 150)));
    sum += lengths.back();
    Job& job = jobs.emplace_back();
    job.engine = &engine;
    job.submitted = engine.now();
    decoder.submit(lengths.back(), job.listener());
  }
  engine.run(engine.now() + sim::seconds(1));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Time free = i == 0 ? Time::zero() : jobs[i - 1].finished;
    RC_ASSERT(jobs[i].begun == std::max(jobs[i].submitted, free));
    RC_ASSERT(jobs[i].finished == jobs[i].begun + lengths[i]);
    RC_ASSERT(jobs[i].waited == (jobs[i].begun > jobs[i].submitted));
  }
  RC_ASSERT(decoder.busy() == sum);
}

TEST(MediaEngine, is_busy_for_as_long_as_it_has_worked_by_now) {
  sim::Engine engine;
  Engine scaler(engine, Kind::vic);
  Job job;
  job.engine = &engine;
  scaler.submit(microseconds(100), job.listener());
  engine.run(Time::zero() + microseconds(30));
  EXPECT_EQ(scaler.busy(), microseconds(30));
  engine.run(Time::zero() + microseconds(300));
  EXPECT_EQ(scaler.busy(), microseconds(100));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::media
