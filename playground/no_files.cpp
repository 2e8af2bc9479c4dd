// The twins of what reads and writes files other than text: a page has none, and says so where one is named.
#include "input/input_file.hpp"
#include "input/problems.hpp"
#include "output/output_file.hpp"
#include "profiles/onnx/onnx.hpp"
#include "profiles/readers/nvpmodel.hpp"

namespace jostle {

std::optional<profiles::OnnxNetwork> profiles::read_onnx(const std::string& path,
                                                         std::optional<std::int64_t> /*input*/,
                                                         input::Problems& problems) {
  problems.add_file(path, "a page reads no ONNX file", "the command `jostle` does");
  return std::nullopt;
}

std::unique_ptr<input::InputFile> input::InputFile::open(const std::string& /*path*/, std::string& problem) {
  problem = "no such file: a page has none";
  return nullptr;
}
input::InputFile::~InputFile() = default;
std::size_t input::InputFile::read(char* /*to*/, std::size_t /*most*/) {
  return 0;
}

namespace output {

Claim::Claim(const std::string& path) : path_(path) {
  throw input::Refused(path + ": a page writes no files");
}
Claim::~Claim() = default;
Temporary::~Temporary() = default;
OutputFile::OutputFile(const std::string& path) : claim_(path), direct_(false) {}
OutputFile::~OutputFile() = default;
void OutputFile::write(std::string_view /*bytes*/) noexcept {}
void OutputFile::commit() {}

}  // namespace output
}  // namespace jostle
