#include "profiles/tables/trace_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "calibration/evidence/evidence_files.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/evidence_list.hpp"
#include "profiles/tables/kernel_tables.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using calibration::embedded_traces;

TEST(TraceFiles, know_every_file_of_the_evidence_by_its_header) {
  for (int i = 0; i <= static_cast<int>(TraceKind::runtime_calls); ++i) {
    const auto kind = static_cast<TraceKind>(i);
    ASSERT_TRUE(calibration::embedded_traces().has(kind)) << file_name(kind);
    EXPECT_EQ(trace_kind(calibration::embedded_traces().table(kind)), kind) << file_name(kind);
  }
}

TEST(TraceFiles, of_a_second_device_are_its_lone_runs) {
  const TraceFiles& h100 = calibration::embedded_traces("h100");
  for (const TraceKind kind : {TraceKind::solo, TraceKind::kernels, TraceKind::timeslices,
                               TraceKind::sharing_configs, TraceKind::sharing_intervals})
    EXPECT_EQ(trace_kind(h100.table(kind)), kind) << file_name(kind);
  EXPECT_FALSE(h100.has(TraceKind::contended));
  EXPECT_TRUE(calibration::embedded_traces("h300").empty());
}

TEST(TraceFiles, of_streams_and_mps_are_no_runs_of_processes_that_take_turns) {
  const TraceFiles& space = calibration::embedded_traces("h200-space");
  for (const TraceKind kind : {TraceKind::streams_networks, TraceKind::mps})
    EXPECT_EQ(trace_kind(space.table(kind)), kind) << file_name(kind);
  EXPECT_FALSE(space.has(TraceKind::contended));
}

TEST(TraceFiles, tell_streams_of_equal_kernels_from_clients_by_their_rows) {
  for (const TraceKind kind : {TraceKind::streams_synthetic, TraceKind::streams_of_readers,
                               TraceKind::streams_by_connections, TraceKind::clients_synthetic})
    EXPECT_EQ(trace_kind(calibration::embedded_traces("h200-space").table(kind)), kind) << file_name(kind);
  const TraceFiles& h100 = calibration::embedded_traces("h100");
  EXPECT_EQ(trace_kind(h100.table(TraceKind::streams_synthetic)), TraceKind::streams_synthetic);
  EXPECT_FALSE(h100.has(TraceKind::clients_synthetic));
}

TEST(TraceFiles, tell_lone_runs_from_contended_ones_by_their_rows) {
  const std::string header =
      "processes,model,precision,batch,mode,host_cores,images_per_s,enqueue_mean_ms,sync_mean_ms\n";
  const std::string lone = header + "1,resnet50,fp16,1,graph,3,1000,0.01,0.9\n";
  EXPECT_EQ(trace_kind(input::CsvTable::parse(lone, "a.csv")), TraceKind::solo);
  EXPECT_EQ(trace_kind(input::CsvTable::parse(lone + "2,resnet50,fp16,1,graph,3,500,0.01,1.9\n", "a.csv")),
            TraceKind::contended);
}

TEST(TraceFiles, are_not_what_has_another_form) {
  EXPECT_FALSE(trace_kind(input::CsvTable::parse("run,device,metric,value\n", "a.csv")).has_value());
  TraceFiles files;
  files.add(TraceKind::solo, calibration::embedded_traces().table(TraceKind::solo));
  EXPECT_THROW(files.add(TraceKind::solo, calibration::embedded_traces().table(TraceKind::solo)),
               std::invalid_argument);
}

TEST(TraceFiles, take_kernels_as_the_profiler_wrote_them) {
  const std::string header =
      "model,precision,batch,index,category,name,duration_us,grid,block,registers,shared_bytes\n";
  const input::CsvTable table = as_evidence(
      input::CsvTable::parse(header + "resnet50,fp16,1,0,kernel,\"f<a,b>\",13.44,4x98x1,128x1x1,96,4096\n"
                                      "resnet50,fp16,1,1,gpu_memset,Memset,0.8,,,,\n",
                             "a.csv"));
  EXPECT_EQ(trace_kind(table), TraceKind::kernels);
  EXPECT_EQ(table.row(0).integer(table.column("blocks")), 392);
  EXPECT_EQ(table.row(0).integer(table.column("threads_per_block")), 128);
  EXPECT_EQ(table.row(0).text(table.column("name")), "f<a,b>");
  EXPECT_EQ(table.row(1).text(table.column("kind")), "memset");
  EXPECT_THROW(
      (void)as_evidence(input::CsvTable::parse(header + "a,fp16,1,0,kernel,f,1,4y9,1,1,1\n", "a.csv")),
      input::CsvError);
}

class ProfileWithOwnKernels : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("jostle-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "traces");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::optional<Profile> read() {
    write("mine.yaml", "name: mine\ndescription: mine\nlike: nvidia-h200\nevidence: ./traces\n");
    return read_profile((folder_ / "mine.yaml").string(), problems_);
  }
  std::filesystem::path folder_;
  input::Problems problems_;
};

TEST_F(ProfileWithOwnKernels, has_them_from_a_folder_beside_it) {
  write("traces/kernels.csv", calibration::evidence_file("kernels/h200/kernels.csv").value_or(""));
  write("traces/solo.csv", calibration::evidence_file("kernels/h200/solo.csv").value_or(""));
  const auto profile = read();
  ASSERT_TRUE(profile.has_value()) << problems_.text();
  EXPECT_NE(profile->spec->evidence.find(folder_.string()), std::string::npos);
}

// One's own networks come before those that ship, which stay.
TEST_F(ProfileWithOwnKernels, has_them_before_those_that_ship) {
  write("traces/kernels.csv",
        "model,precision,batch,index,kind,name,duration_us,blocks,threads_per_block,registers,shared_bytes,"
        "input\n"
        "vit_b_16,fp16,4,0,kernel,gemm,10,84,128,90,0,224\nvit_b_16,fp16,4,1,memcpy,copy,2,0,0,0,0,224\n"
        "mine,fp16,4,0,kernel,gemm,10,84,128,90,0,0\n");
  write("traces/solo.csv", "processes,model,precision,batch,mode,images_per_s,input\n");
  write("mine.yaml", "name: mine\ndescription: mine\nlike: nvidia-h200\nevidence: [traces/, h200]\n");
  const auto profile = read_profile((folder_ / "mine.yaml").string(), problems_);
  ASSERT_TRUE(profile.has_value()) << problems_.text();
  const std::string& evidence = profile->spec->evidence;
  EXPECT_EQ(shipped_evidence(evidence), "h200");
  EXPECT_THAT(traced_networks(evidence), testing::ElementsAre("mine"));
  const auto batches_of = [&](const char* model, std::int64_t batch) {
    const auto& tables = kernel_tables_for(evidence, "", {model, dnn::Precision::fp16, batch});
    const auto* const found = tables.find(model, dnn::Precision::fp16, 224);
    return found == nullptr ? std::size_t{0} : found->batches.size();
  };
  EXPECT_EQ(batches_of("vit_base", 4), 1U);
  EXPECT_GT(batches_of("resnet50", 8), 0U);
}

TEST_F(ProfileWithOwnKernels, says_what_is_wrong_with_them) {
  EXPECT_FALSE(read().has_value());
  EXPECT_THAT(problems_.text(), testing::HasSubstr(".csv: no such file"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
