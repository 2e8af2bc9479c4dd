// Shipped profiles are compiled when jostle is built: what is unpacked is what its YAML says.
#include <gtest/gtest.h>

#include "input/packed.hpp"
#include "input/parse.hpp"
#include "profiles/embedded.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

void expect_same(const input::Value& read, const input::Value& parsed) {
  ASSERT_EQ(read.kind, parsed.kind);
  EXPECT_EQ(read.text, parsed.text);
  EXPECT_EQ(read.quoted, parsed.quoted);
  EXPECT_EQ(read.expanded, parsed.expanded);
  EXPECT_EQ(*read.location.origin, *parsed.location.origin);
  EXPECT_EQ(read.location.line, parsed.location.line);
  EXPECT_EQ(read.location.column, parsed.location.column);
  ASSERT_EQ(read.keys.size(), parsed.keys.size());
  for (std::size_t i = 0; i < read.keys.size(); ++i) {
    EXPECT_EQ(read.keys[i].name, parsed.keys[i].name);
    EXPECT_EQ(read.keys[i].location.line, parsed.keys[i].location.line);
    EXPECT_EQ(read.keys[i].location.column, parsed.keys[i].location.column);
  }
  ASSERT_EQ(read.children.size(), parsed.children.size());
  for (std::size_t i = 0; i < read.children.size(); ++i) expect_same(*read.children[i], *parsed.children[i]);
}

TEST(CompiledProfiles, are_what_their_yaml_says) {
  for (const std::string& device : device_names()) {
    SCOPED_TRACE(device);
    const auto packed = embedded_file("packed/" + device);
    ASSERT_TRUE(packed);
    input::Problems problems;
    const input::Node parsed = input::parse_yaml(device_text(device).value(), device + ".yaml", problems);
    ASSERT_TRUE(parsed) << problems.text();
    expect_same(*input::unpacked(*packed, device + ".yaml"), *parsed);
  }
}

TEST(CompiledProfiles, keep_what_yaml_can_say) {
  input::Problems problems;
  const input::Node parsed = input::parse_yaml(
      "a:\n  b: [1, 'two', ~, \"\"]\n  c: |\n    lines\n    of text\nd: " + std::string(300, 'x') + "\n",
      "test.yaml", problems);
  ASSERT_TRUE(parsed) << problems.text();
  expect_same(*input::unpacked(input::packed(*parsed), "test.yaml"), *parsed);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
