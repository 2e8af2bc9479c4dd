// The built-in networks: the texts *.inc describe them, in the language of description.hpp.
#pragma once

#include <string_view>
#include <vector>

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

struct DescribedNetwork {
  std::string_view name, family;
  int input;  // side of the usual image or cube, tokens, or frames of a spectrogram
  std::string_view source, description;
};
[[nodiscard]] std::vector<DescribedNetwork> described_networks();  // sorted by name

// Throws std::invalid_argument if the network does not take this input.
[[nodiscard]] Network described_network(std::string_view name, int input);
struct Book;
[[nodiscard]] Network described_network(const Book& book, std::string_view name, int input);

}  // namespace jostle::dnn
