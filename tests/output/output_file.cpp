// A file is written whole or not at all, where its name leads, and never over an input or another output.
#include "output/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "input/file.hpp"
#include "input/file_id.hpp"
#include "input/problems.hpp"

namespace jostle::output {
namespace JOSTLE_FILE {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put(const fs::path& path, const std::string& text) {
  OutputFile file(path.string());
  write_whole(file, text);
}

class Output : public testing::Test {
 protected:
  Output() {
    std::string name = (fs::temp_directory_path() / "jostle-output-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Output() override {
    input::forget_reads();
    fs::remove_all(folder_);
  }
  static void old(const fs::path& path) { std::ofstream(path) << "old"; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  // /dev/null or /dev/full. For root one of its own: a program that errs could replace that of the machine.
  [[nodiscard]] std::string device(const std::string& name, unsigned minor) const {
    if (geteuid() != 0) return "/dev/" + name;
    const std::string path = (folder_ / name).string();
    mknod(path.c_str(), S_IFCHR | 0666, makedev(1, minor));
    return path;
  }
  static std::string refused(const fs::path& path) {
    try {
      const OutputFile file(path.string());
    } catch (const input::Refused& error) {
      return error.what();
    }
    return "accepted";
  }
  fs::path folder_;
};

TEST_F(Output, is_there_when_it_is_whole_and_not_before) {
  const fs::path path = folder_ / "a";
  old(path);
  OutputFile file(path.string());
  file.write("new, ");
  EXPECT_EQ(content(path), "old");
  file.write("and whole");
  file.commit();
  EXPECT_EQ(content(path), "new, and whole");
  EXPECT_EQ(files(), 1U);
}

TEST_F(Output, that_is_not_finished_leaves_what_was_there) {
  const fs::path path = folder_ / "a";
  old(path);
  OutputFile(path.string()).write("half");
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(Output, keeps_the_permissions_of_what_it_replaces) {
  const fs::path path = folder_ / "a";
  old(path);
  fs::permissions(path, fs::perms(0640));
  put(path, "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
}

TEST_F(Output, that_is_new_has_the_permissions_of_any_new_file) {
  std::ofstream(folder_ / "other") << "x";
  put(folder_ / "a", "new");
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), fs::status(folder_ / "other").permissions());
}

TEST_F(Output, follows_links_and_leaves_them) {
  fs::create_directory(folder_ / "there");
  old(folder_ / "there/target");
  fs::create_symlink("there/target", folder_ / "one");
  fs::create_symlink("one", folder_ / "two");
  put(folder_ / "two", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "two") && fs::is_symlink(folder_ / "one"));
  EXPECT_EQ(content(folder_ / "there/target"), "new");
  fs::create_symlink("there/later", folder_ / "to nothing yet");
  put(folder_ / "to nothing yet", "new");
  EXPECT_EQ(content(folder_ / "there/later"), "new");
}

TEST_F(Output, through_a_circle_of_links_is_refused) {
  fs::create_symlink("a", folder_ / "a");
  EXPECT_NE(refused(folder_ / "a").find("symbolic links"), std::string::npos);
}

TEST_F(Output, does_not_write_through_a_link_that_somebody_put_beside_it) {
  old(folder_ / "victim");
  for (const char* const guess : {"a.part", "a.tmp", ".a.part", "a~"})
    fs::create_symlink("victim", folder_ / guess);
  put(folder_ / "a", "new");
  EXPECT_EQ(content(folder_ / "victim"), "old");
}

TEST_F(Output, to_a_pipe_goes_to_its_reader_and_the_pipe_stays) {
  const fs::path path = folder_ / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] { return content(path); });
  put(path, std::string(1 << 20, 'x'));
  EXPECT_EQ(reader.get().size(), std::size_t{1} << 20);
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(Output, to_a_device_leaves_the_device) {
  const std::string null = device("null", 3), full_one = device("full", 7);
  if (!std::ofstream(null)) GTEST_SKIP() << "no devices can be made here";
  put(null, "x");
  EXPECT_TRUE(fs::is_character_file(null));
  const OutputFile one(null), another(null);  // unlike other outputs, two may have one device
  OutputFile full(full_one);
  full.write("x");
  EXPECT_THROW(full.commit(), WriteError);
}

TEST_F(Output, a_folder_is_there_with_all_of_its_files_or_not_at_all_and_only_where_nothing_is) {
  const fs::path path = folder_ / "made";
  {
    const OutputFolder left(path.string() + "/");
    left.add("a/b.txt", "b");
    EXPECT_FALSE(fs::exists(path)) << "nothing is there before commit()";
  }
  EXPECT_TRUE(fs::is_empty(folder_)) << "nothing is left";
  fs::create_directory(path);
  const OutputFolder whole(path.string());
  whole.add("a/b.txt", "b");
  whole.add("run.sh", "#!/bin/sh\n");
  whole.commit();
  EXPECT_EQ(content(path / "a/b.txt"), "b");
  EXPECT_EQ(access((path / "run.sh").c_str(), X_OK), 0);
  EXPECT_NE(access((path / "a/b.txt").c_str(), X_OK), 0);
  EXPECT_THROW(const OutputFolder other(path.string()), input::Refused) << "it has files";
  EXPECT_THROW(const OutputFolder file((path / "run.sh").string()), input::Refused) << "a file is no folder";
  EXPECT_THROW(const OutputFolder none((path / "no/where").string()), input::Refused);
}

TEST(TemporaryFolders, are_there_with_names_of_their_own_until_they_go_or_a_signal_comes) {
  std::string first, second;
  {
    const TemporaryFolder one, other;
    first = one.path(), second = other.path();
    EXPECT_NE(first, second);
    put(fs::path(first) / "file", "text");
    EXPECT_EQ(content(fs::path(first) / "file"), "text");
  }
  EXPECT_FALSE(fs::exists(first) || fs::exists(second));
  const TemporaryFolder left;
  put(fs::path(left.path()) / "file", "text");
  remove_temporaries();  // what a signal's handler does
  EXPECT_FALSE(fs::exists(left.path()));
}

TEST_F(Output, is_never_an_input_under_any_name) {
  const fs::path path = folder_ / "a.yaml";
  old(path);
  input::Problems problems;
  ASSERT_TRUE(input::read_text_file(path.string(), 100, problems));
  fs::create_hard_link(path, folder_ / "hard");
  fs::create_symlink("hard", folder_ / "soft");
  for (const char* const name : {"a.yaml", "hard", "soft", "./a.yaml"})
    EXPECT_NE(refused(folder_ / name).find("it is an input"), std::string::npos) << name;
  EXPECT_EQ(content(path), "old");
}

// The other name stands for a new file that got the number of the removed one.
TEST_F(Output, may_have_the_number_of_an_input_that_was_removed) {
  const fs::path path = folder_ / "a.yaml";
  old(path);
  input::Problems problems;
  ASSERT_TRUE(input::read_text_file(path.string(), 100, problems));
  fs::create_hard_link(path, folder_ / "b");
  fs::remove(path);
  EXPECT_NO_THROW(OutputFile((folder_ / "b").string()));
}

TEST_F(Output, is_not_put_over_a_file_that_was_read_meanwhile) {
  const fs::path path = folder_ / "a";
  old(path);
  OutputFile file(path.string());
  input::Problems problems;
  ASSERT_TRUE(input::read_text_file(path.string(), 100, problems));
  EXPECT_THROW(write_whole(file, "new"), input::Refused);
  EXPECT_EQ(content(path), "old");
}

TEST_F(Output, is_never_another_output) {
  fs::create_symlink("a", folder_ / "link");
  {
    const OutputFile first((folder_ / "a").string());
    EXPECT_NE(refused(folder_ / "a").find("another output"), std::string::npos);
    EXPECT_NE(refused(folder_ / "link").find("another output"), std::string::npos);
  }
  EXPECT_EQ(refused(folder_ / "a"), "accepted");
}

TEST_F(Output, is_refused_before_anything_is_run_where_it_cannot_be_written) {
  EXPECT_NE(refused(folder_ / "no/a").find("No such file or directory"), std::string::npos);
  EXPECT_NE(refused(folder_).find("is a directory"), std::string::npos);
  EXPECT_NE(refused("").find("not a valid file name"), std::string::npos);
  if (geteuid() == 0) return;  // who may write everywhere
  old(folder_ / "kept");
  fs::permissions(folder_ / "kept", fs::perms(0444));
  EXPECT_NE(refused(folder_ / "kept").find("Permission denied"), std::string::npos);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::output
