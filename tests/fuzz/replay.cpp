// Runs a fuzz target over the files of a folder and a fixed number of mutations of each, without libFuzzer.
//
//   replay_x MUTATIONS FOLDER
//
// The mutations are drawn from a fixed seed: the same inputs every time, on every machine.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using jostle::sim::RandomStream;

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::size_t below(RandomStream& random, std::size_t n) {
  return static_cast<std::size_t>(random.uniform() * static_cast<double>(n));
}

// One to four edits: a byte changed, a piece cut out, doubled, or taken from elsewhere, or a word of YAML put
// in.
std::string mutated(std::string text, RandomStream& random) {
  static const std::vector<std::string> words{":",
                                              "- ",
                                              "{",
                                              "}",
                                              "[",
                                              "]",
                                              "&a ",
                                              "*a",
                                              "\n",
                                              "\t",
                                              "  ",
                                              "#",
                                              "\"",
                                              "'",
                                              "|\n",
                                              ">\n",
                                              "---\n",
                                              "...\n",
                                              "? ",
                                              "!!int ",
                                              "~",
                                              "-",
                                              "1e999",
                                              "0x1",
                                              "nan",
                                              "%",
                                              "\xff",
                                              "\xC2\xB5s",
                                              ",",
                                              "<<: *a",
                                              "99999999999999999999"};
  const std::size_t edits = 1 + below(random, 4);
  for (std::size_t i = 0; i < edits; ++i) {
    const std::size_t at = below(random, text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(random, 20));
    switch (below(random, 5)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(random, 256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, text.substr(below(random, text.size() + 1), length));
        break;
      default:
        text.insert(at, words[below(random, words.size())]);
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int mutations = std::atoi(argv[1]);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) return 2;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    run(text);
    RandomStream random(1, file.filename().string());
    for (int i = 0; i < mutations; ++i) run(mutated(text, random));
  }
  std::printf("%zu files, %d mutations each\n", files.size(), mutations);
  return 0;
}
