// Packs a profile's YAML while jostle is built, so that a run need not parse it:
//
//   jostle_compile_profile FROM.yaml TO
#include <cstdio>
#include <exception>
#include <fstream>

#include "input/packed.hpp"
#include "input/parse.hpp"

namespace {

int compile(const char* from, const char* to) {
  jostle::input::Problems problems;
  const jostle::input::Node document = jostle::input::parse_yaml_file(from, problems);
  if (!document) {
    std::fputs(problems.text().c_str(), stderr);
    return 1;
  }
  std::ofstream file(to, std::ios::binary);
  file << jostle::input::packed(*document);
  file.close();
  return file ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return argc == 3 ? compile(argv[1], argv[2]) : 2;
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
}
