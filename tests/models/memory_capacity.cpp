// What processes hold, and who fits.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "models/memory/admission.hpp"

namespace jostle::memory {
namespace JOSTLE_FILE {

constexpr double mb = 1e6, page = 65536;

gpu::Spec orin() {
  gpu::Spec gpu;
  gpu.cuda_cores = {.fp32 = 256, .tf32 = 0, .fp16 = 512, .int8 = 0};
  gpu.tensor_cores = {.fp32 = 0, .tf32 = 1024, .fp16 = 2048, .int8 = 4096};
  return gpu;
}
gpu::Spec nano() {
  gpu::Spec gpu;
  gpu.cuda_cores = {.fp32 = 256, .tf32 = 0, .fp16 = 512, .int8 = 0};
  return gpu;
}

Footprint of(const char* model, dnn::Precision precision, std::int64_t batch = 1,
             const gpu::Spec& gpu = orin()) {
  const dnn::Model& found = *dnn::find_model(model);
  const dnn::Network network = found.build(found.default_input);
  return footprint({.network = network, .precision = precision, .batch = batch}, gpu, page);
}

using dnn::Precision;

TEST(Engine, has_the_sizes_that_were_seen) {
  EXPECT_NEAR(of("resnet18", Precision::fp16).engine / 1048576, 22.7, 0.03 * 22.7);
  EXPECT_NEAR(of("resnet18", Precision::fp32).engine / 1048576, 45, 0.03 * 45);
  EXPECT_NEAR(of("resnet50", Precision::fp32).engine / 1048576, 98, 0.03 * 98);
}

TEST(Engine, is_in_fp32_where_the_gpu_cannot_do_better) {
  EXPECT_EQ(of("resnet50", Precision::int8, 1, nano()).engine,
            of("resnet50", Precision::fp32, 1, nano()).engine);
  EXPECT_EQ(of("resnet50", Precision::tf32, 1, nano()).engine,
            of("resnet50", Precision::fp32, 1, nano()).engine);
  EXPECT_LT(of("resnet50", Precision::fp16, 1, nano()).engine,
            of("resnet50", Precision::int8, 1, nano()).engine);
}

TEST(Engine, does_not_grow_with_the_batch) {
  EXPECT_EQ(of("resnet50", Precision::fp16, 16).engine, of("resnet50", Precision::fp16).engine);
}

TEST(InputAndOutput, are_bound_twice_a_batch) {
  const double input = 4.0 * 3 * 224 * 224, output = 4.0 * 1000;
  for (const int batch : {1, 8, 64}) {
    const double io = of("resnet50", Precision::fp16, batch).io;
    EXPECT_GE(io, 2 * batch * (input + output));
    EXPECT_LT(io, 2 * batch * (input + output) + 4 * page);
  }
}

RC_GTEST_PROP(Footprints, are_whole_pages_and_grow_with_batch_and_element, ()) {
  const auto models = dnn::models();
  const std::string model(models[*rc::gen::inRange<std::size_t>(0, models.size())].name);
  const int batch = *rc::gen::inRange(1, 64);
  const Footprint fp32 = of(model.c_str(), Precision::fp32, batch),
                  fp16 = of(model.c_str(), Precision::fp16, batch);
  for (const double bytes : {fp32.engine, fp32.arena, fp32.io, fp16.engine, fp16.arena, fp16.io})
    RC_ASSERT(std::fmod(bytes, page) == 0);
  RC_ASSERT(fp16.engine < fp32.engine);
  const Footprint more = of(model.c_str(), Precision::fp32, batch + 1);
  RC_ASSERT(more.io > fp32.io - 1);
  RC_ASSERT(more.arena >= fp32.arena);
}

// Admission
// ---------------------------------------------------------------------------------------------------

const ContextSpec lean{.process_bytes = 300 * mb, .gpu_bytes = 70 * mb, .shared_bytes = 150 * mb};
const ContextSpec large{.process_bytes = 1000 * mb, .gpu_bytes = 250 * mb, .shared_bytes = 300 * mb};

Spec board(double capacity_mb, WhenFull when_full = WhenFull::fail) {
  Spec spec;
  spec.capacity_bytes = capacity_mb * mb;
  spec.system_bytes = 1000 * mb;
  spec.page_bytes = page;
  spec.when_full = when_full;
  return spec;
}
Request asking(const ContextSpec& context, double engine_mb, double arena_mb = 0, double io_mb = 0) {
  Request request{.context = &context, .network = {}};
  request.network.engine = engine_mb * mb;
  request.network.arena = arena_mb * mb;
  request.network.io = io_mb * mb;
  return request;
}

TEST(Admission, lets_the_first_of_a_runtime_pay_for_the_libraries) {
  const std::vector<Request> requests{asking(lean, 50), asking(lean, 50), asking(large, 50),
                                      asking(lean, 50)};
  const Occupancy occupancy = admit(board(8000), requests);
  EXPECT_EQ(occupancy.places[0].held.context, 450 * mb);
  EXPECT_EQ(occupancy.places[1].held.context, 300 * mb);
  EXPECT_EQ(occupancy.places[2].held.context, 1300 * mb);
  EXPECT_EQ(occupancy.places[3].held.context, 300 * mb);
  EXPECT_EQ(occupancy.used_bytes, (1000 + 450 + 300 + 1300 + 300 + 4 * 50) * mb);
  EXPECT_EQ(occupancy.gpu_bytes, (3 * 70 + 250 + 4 * 50) * mb);
}

TEST(Admission, says_of_what_and_how_much_was_missing) {
  const auto lacking = [](double capacity) {
    return admit(board(capacity), std::vector{asking(lean, 50, 20, 10)}).places[0];
  };
  EXPECT_TRUE(lacking(1530).fits);
  EXPECT_FALSE(lacking(1529).fits);
  EXPECT_EQ(lacking(1529).lacking, Part::io);
  EXPECT_EQ(lacking(1529).missing_bytes, 1 * mb);
  EXPECT_EQ(lacking(1519).lacking, Part::arena);
  EXPECT_EQ(lacking(1499).lacking, Part::engine);
  EXPECT_EQ(lacking(1400).lacking, Part::context);
  EXPECT_EQ(lacking(1400).missing_bytes, 130 * mb);
}

TEST(Admission, holds_a_request_to_its_own_limit_whatever_is_free) {
  std::vector<Request> requests{asking(lean, 50, 20, 10), asking(lean, 50)};
  const auto admitted = [&](double limit_mb) {
    requests[0].limit_bytes = limit_mb * mb;
    return admit(board(8000), requests);
  };
  EXPECT_TRUE(admitted(80).places[0].fits);  // its context is not counted
  const Occupancy less = admitted(69);
  EXPECT_FALSE(less.places[0].fits);
  EXPECT_EQ(less.places[0].missing_bytes, 11 * mb);
  EXPECT_EQ(less.places[0].lacking, Part::arena);
  EXPECT_TRUE(less.places[1].fits);
}

TEST(Admission, lets_smaller_ones_behind_have_the_room) {
  const Occupancy occupancy =
      admit(board(2000), std::vector{asking(large, 50), asking(lean, 50), asking(lean, 50)});
  EXPECT_FALSE(occupancy.places[0].fits);
  EXPECT_TRUE(occupancy.places[1].fits);
  EXPECT_TRUE(occupancy.places[2].fits);
  EXPECT_EQ(occupancy.places[1].held.context, 450 * mb);
  EXPECT_FALSE(occupancy.rebooted);
}

TEST(Admission, takes_the_board_down_where_it_does) {
  EXPECT_TRUE(admit(board(1400, WhenFull::reboot), std::vector{asking(lean, 50)}).rebooted);
  EXPECT_FALSE(admit(board(1600, WhenFull::reboot), std::vector{asking(lean, 50)}).rebooted);
}

TEST(Admission, counts_only_what_is_for_the_gpu_on_a_card_of_its_own) {
  Spec card = board(8000);
  card.unified = false;
  const Occupancy occupancy = admit(card, std::vector{asking(lean, 50)});
  EXPECT_EQ(occupancy.places[0].held.context, 70 * mb);
  EXPECT_EQ(occupancy.used_bytes - card.system_bytes, occupancy.gpu_bytes);
}

RC_GTEST_PROP(Admission, never_gives_out_more_than_there_is_and_loses_nothing, ()) {
  std::vector<Request> requests;
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i)
    requests.push_back(asking(*rc::gen::arbitrary<bool>() ? lean : large, *rc::gen::inRange(0, 500),
                              *rc::gen::inRange(0, 500), *rc::gen::inRange(0, 500)));
  const Spec spec = board(*rc::gen::inRange(1001, 8000));
  const Occupancy occupancy = admit(spec, requests);
  RC_ASSERT(occupancy.used_bytes <= spec.capacity_bytes);
  RC_ASSERT(occupancy.places.size() == requests.size());
  double sum = spec.system_bytes;
  for (const Place& place : occupancy.places) {
    if (place.fits) {
      sum += place.held.total();
      RC_ASSERT(place.missing_bytes == 0);
    } else {
      RC_ASSERT(place.missing_bytes > 0);
      RC_ASSERT(place.missing_bytes <= place.held.total());
    }
  }
  RC_ASSERT(sum == occupancy.used_bytes);
}

// Bandwidth over the clock
// ---------------------------------------------------------------------------------------------------

TEST(RelativeBandwidth, follows_the_clock_and_what_is_reached_at_it) {
  Spec spec;
  spec.max_clock_hz = 2000;
  EXPECT_EQ(relative_bandwidth(spec, 1000), 0.5);
  spec.clock_table_hz = {500, 1000, 2000};
  spec.clock_efficiency = {0.5, 0.8, 1};
  EXPECT_EQ(relative_bandwidth(spec, 2000), 1);
  EXPECT_EQ(relative_bandwidth(spec, 1000), 0.4);
  EXPECT_EQ(relative_bandwidth(spec, 500), 0.125);
  EXPECT_EQ(relative_bandwidth(spec, 250), 0.0625);
  EXPECT_DOUBLE_EQ(relative_bandwidth(spec, 1500), 0.75 * 0.9);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::memory
