// The reading of numbers, units, names and trees, apart from any format.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "input/hash.hpp"
#include "input/interruption.hpp"
#include "input/override.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"
#include "input/units.hpp"

namespace jostle::input {
namespace JOSTLE_FILE {

std::optional<double> quantity(const std::string& text, const Dimension& dimension) {
  return parse_quantity(text, dimension).value;
}

TEST(Quantities, are_a_number_however_it_is_written_and_what_follows) {
  EXPECT_EQ(leading_number("1.8e+03 s")->number, 1800);
  EXPECT_EQ(leading_number("1.8e+03 s")->rest, " s");
  EXPECT_EQ(leading_number("15W")->rest, "W");
  EXPECT_EQ(amount("1.8e+03 s")->unit, "s");
  for (const char* const none : {"", "s", "inf s", "nan", "1e999 s", " 1", "+1"})
    EXPECT_FALSE(leading_number(none)) << none;
}

TEST(Decimals, are_written_as_people_write_them) {
  EXPECT_EQ(decimal(1834, 2), "1800");
  EXPECT_EQ(decimal(999.6, 3), "1000");
  EXPECT_EQ(decimal(8.800, 2), "8.8");
  EXPECT_EQ(decimal(8, 2), "8");
  EXPECT_EQ(decimal(0, 4), "0");
  EXPECT_EQ(decimal(-12345.6, 4), "-12350");
  EXPECT_EQ(decimal(0.000123456, 2), "0.00012");
}

RC_GTEST_PROP(Decimals, read_back_within_their_digits, (double value)) {
  const auto read = parse_real(decimal(value, 4));
  RC_ASSERT(read.has_value());
  RC_ASSERT(std::abs(*read - value) <= 0.5001e-3 * std::abs(value));
}

TEST(Interruption, of_a_thread_is_that_of_its_innermost_call) {
  const std::atomic<bool> yes{true}, no{false};
  EXPECT_FALSE(interruption());
  {
    const InterruptedBy outer(no);
    {
      const InterruptedBy inner(yes);
      EXPECT_THROW(throw_if_interrupted(), Interrupted);
      std::thread([] { EXPECT_FALSE(interruption()); }).join();
    }
    EXPECT_NO_THROW(throw_if_interrupted());
    interruption_by_signal() = true;
    EXPECT_FALSE(interruption());
  }
  EXPECT_TRUE(interruption());
  interruption_by_signal() = false;
}

// As sha256sum prints them; the lengths are those around the ends of blocks.
TEST(Sha256, is_what_sha256sum_says) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(55, 'a')), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(sha256(std::string(56, 'a')), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(sha256(std::string(64, 'a')), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(Units, cover_every_dimension_of_the_design) {
  EXPECT_EQ(quantity("4 s", time_dimension()), 4e12);
  EXPECT_DOUBLE_EQ(*quantity("2.091 ms", time_dimension()), 2.091e9);
  EXPECT_EQ(quantity("5us", time_dimension()), 5e6);
  EXPECT_EQ(quantity("5 \xC2\xB5s", time_dimension()), 5e6);
  EXPECT_EQ(quantity("7 ns", time_dimension()), 7e3);
  EXPECT_EQ(quantity("1 ps", time_dimension()), 1);
  EXPECT_EQ(quantity("624.75 MHz", frequency_dimension()), 624.75e6);
  EXPECT_EQ(quantity("3 GHz", frequency_dimension()), 3e9);
  EXPECT_EQ(quantity("256 KiB", size_dimension()), 262144);
  EXPECT_EQ(quantity("141 GB", size_dimension()), 141e9);
  EXPECT_EQ(quantity("50 Mbit/s", bandwidth_dimension()), 6.25e6);
  EXPECT_EQ(quantity("68.3 GB/s", bandwidth_dimension()), 68.3e9);
  EXPECT_EQ(quantity("500 mW", power_dimension()), 0.5);
  EXPECT_EQ(quantity("30 /s", rate_dimension()), 30);
  EXPECT_EQ(quantity("2 kHz", rate_dimension()), 2000);
  EXPECT_EQ(quantity("1 %", share_dimension()), 0.01);
  EXPECT_EQ(quantity("-5 degC", temperature_dimension()), -5);
  EXPECT_EQ(quantity("1.8e+03 s", time_dimension()), 1800e12);
  EXPECT_EQ(quantity("1E-3 s", time_dimension()), 1e9);
}

TEST(Units, are_chosen_by_size) {
  EXPECT_EQ(format_quantity(1e-6, rate_dimension()), "1e-06 /s");
  EXPECT_EQ(format_quantity(30, rate_dimension()), "30 /s");
  EXPECT_EQ(format_quantity(1e6, rate_dimension()), "1000 kHz");
  EXPECT_EQ(format_quantity(0.0625, bandwidth_dimension()), "0.5 bit/s");
}

TEST(Units, refuse_what_is_no_quantity) {
  for (const char* text : {"",        " ",     "ms",     "5",          "5 m s",  "5 MS",    "5 ms ms",
                           "0x10 ms", "+5 ms", "5,3 ms", "1_000 ms",   "inf ms", "nan ms",  "-inf ms",
                           "--5 ms",  "5e ms", "e5 ms",  "5 \xC2\xB5", "5\tms",  "1e999 s", "-"}) {
    const QuantityResult result = parse_quantity(text, time_dimension());
    EXPECT_FALSE(result.value) << text;
    EXPECT_FALSE(result.message.empty()) << text;
  }
}

RC_GTEST_PROP(Units, read_back_what_they_wrote, (std::uint32_t mantissa)) {
  const int exponent = *rc::gen::inRange(-6, 12);
  const double value = mantissa * std::pow(10.0, exponent);
  for (const Dimension* dimension : {&time_dimension(), &frequency_dimension(), &size_dimension(),
                                     &bandwidth_dimension(), &power_dimension(), &share_dimension()}) {
    const auto read = quantity(format_quantity(value, *dimension), *dimension);
    RC_ASSERT(read.has_value());
    RC_ASSERT(std::abs(*read - value) <= 1e-14 * value);
  }
}

TEST(Numbers, are_decimal_and_whole) {
  bool overflow = false;
  EXPECT_EQ(parse_integer("-12", overflow), -12);
  EXPECT_EQ(parse_integer("0", overflow), 0);
  for (const char* text : {"", "-", "010", "0x10", "1.0", "1e3", " 1", "1 ", "+1", "--1", "1a"}) {
    EXPECT_FALSE(parse_integer(text, overflow)) << text;
    EXPECT_FALSE(overflow) << text;
  }
  EXPECT_FALSE(parse_integer("9223372036854775808", overflow));
  EXPECT_TRUE(overflow);
}

TEST(Spelling, prefers_beginnings_and_words_to_few_edits_and_falls_back_on_parts) {
  const std::vector<std::string> names{"jetson-agx-orin-64gb", "jetson-agx-xavier",   "jetson-nano",
                                       "jetson-orin-nano",     "jetson-orin-nx-16gb", "jetson-tx2",
                                       "jetson-xavier-nx",     "nvidia-a40",          "nvidia-h200"};
  EXPECT_EQ(nearest("jetson-orin-nx", names), "jetson-orin-nx-16gb");
  EXPECT_EQ(nearest("Jetson-Orin-NX", names), "jetson-orin-nx-16gb");
  EXPECT_EQ(nearest("orin nano", names), "jetson-orin-nano");
  EXPECT_EQ(nearest("nano_orin", names), "jetson-orin-nano");
  EXPECT_EQ(nearest("jetson-tx1", names), "jetson-tx2");
  EXPECT_THAT(similar("jetson-xavier", names), testing::ElementsAre("jetson-xavier-nx", "jetson-agx-xavier"));
  EXPECT_THAT(similar("nano", names), testing::ElementsAre("jetson-nano", "jetson-orin-nano"));
  EXPECT_THAT(similar("AGX", names), testing::ElementsAre("jetson-agx-xavier", "jetson-agx-orin-64gb"));
  EXPECT_EQ(nearest("nvidia h20", names), "nvidia-h200");
  EXPECT_EQ(nearest("xaviernx", names), "jetson-xavier-nx");
  EXPECT_THAT(similar("rtx", names), testing::IsEmpty());
  EXPECT_EQ(spelling_hint("nano", names), "did you mean 'jetson-nano' or 'jetson-orin-nano'?");
}

TEST(Spelling, counts_edits_and_swaps) {
  EXPECT_EQ(edit_distance("batch", "batch"), 0U);
  EXPECT_EQ(edit_distance("batch", "bacth"), 1U);
  EXPECT_EQ(edit_distance("batch", "batches"), 2U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("FP16", "fp16"), 0U);
}

TEST(Spelling, suggests_only_what_is_near) {
  const std::vector<std::string> names{"jetson-orin-nano", "jetson-nano", "nvidia-h200"};
  EXPECT_EQ(nearest("jetson-orin-nan", names), "jetson-orin-nano");
  EXPECT_EQ(nearest("h200", names), "nvidia-h200");
  EXPECT_EQ(nearest("raspberry", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), names), "");
}

RC_GTEST_PROP(Spelling, distance_is_a_symmetric_bound, (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT(edit_distance(a, b) <= std::max(a.size(), b.size()));
}

TEST(Messages, show_what_a_terminal_could_not) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31m\xff\xc3\xa9"), "a\\nb\\tc\\x1B[31m\\xFF\xc3\xa9");
  EXPECT_EQ(printable(std::string(100, 'x'), 5), "xxxxx...");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "\\u009B2J");                                                            // C1
  EXPECT_EQ(printable("\u202E\u2066\u200F\u061C"), "\\u202E\\u2066\\u200F\\u061C");  // direction of writing
  EXPECT_EQ(printable("\u200B\u200D\u2060\uFEFF"), "\\u200B\\u200D\\u2060\\uFEFF");  // no width
  EXPECT_EQ(printable("\u2028\u2029\r\x7F"), "\\u2028\\u2029\\x0D\\x7F");
  EXPECT_EQ(printable("\xE0\x80\x8A \xED\xA0\x80 \xF4\x90\x80\x80 \xC3"),
            "\\xE0\\x80\\x8A \\xED\\xA0\\x80 \\xF4\\x90\\x80\\x80 \\xC3");  // malformed
  EXPECT_EQ(printable("µ ±95 % … é 日本 😀", 100), "µ ±95 % … é 日本 😀");
  EXPECT_EQ(printable_lines("a\nb\x1b\r\n"), "a\nb\\x1B\\x0D\n");
}

TEST(Messages, are_lines_that_can_be_shown_whatever_an_input_holds) {
  Problems problems;
  problems.add({}, "sweep.a\x01", "found '\n\x7f'", "not \xff");
  problems.add_file("a\nb", "line\rfeed");
  EXPECT_EQ(problems.text(), "sweep.a\\x01: found '\\n\\x7F' (not \\xFF)\na\\nb: line\\x0Dfeed\n");
}

TEST(Messages, of_a_garbage_file_are_counted_beyond_the_first_fifty) {
  Problems problems;
  for (int i = 0; i < 60; ++i) problems.add({}, {}, "wrong");
  EXPECT_EQ(problems.count(), 60U);
  EXPECT_EQ(problems.list().size(), 50U);
  EXPECT_THAT(problems.text(), ::testing::EndsWith("... and 10 more\n"));
}

TEST(Tree, remembers_lines_and_columns) {
  Problems problems;
  const Node root = parse_yaml("a: 1\nb:\n  - x\n  - {c: y}\n", "t.yaml", problems);
  ASSERT_TRUE(root) << problems.text();
  const Cursor c = Cursor(root, {}, problems).descend("b.1.c");
  EXPECT_EQ(c.value().text, "y");
  EXPECT_EQ(c.path(), "b.1.c");
  EXPECT_EQ(c.location().line, 4);
  EXPECT_EQ(c.location().column, 9);
}

TEST(Tree, begins_behind_a_byte_order_mark) {
  Problems problems;
  const Node root = parse_yaml(
      "\xEF\xBB\xBF"
      "a: 1\n",
      "t.yaml", problems);
  ASSERT_TRUE(root) << problems.text();
  EXPECT_EQ(root->find("a")->text, "1");
}

TEST(Tree, counts_what_aliases_stand_for) {
  Problems problems;
  const Node root = parse_yaml("a: &a [1, 2, 3]\nb: [*a, *a]\n", "t.yaml", problems);
  ASSERT_TRUE(root) << problems.text();
  EXPECT_EQ(root->expanded, 1U + 4U + 1U + 8U);
}

TEST(Tree, tells_text_in_quotes_from_numbers) {
  Problems problems;
  const Node root = parse_yaml("a: '1'\nb: 1\nc: \"\"\n", "t.yaml", problems);
  EXPECT_TRUE(root->find("a")->quoted);
  EXPECT_FALSE(root->find("b")->quoted);
  EXPECT_EQ(root->find("c")->kind, Kind::scalar);
}

TEST(Override, leaves_the_tree_it_came_from_as_it_was) {
  Problems problems;
  const Node root = parse_yaml("a: [1, {b: 2}]\n", "t.yaml", problems);
  const Node changed = with_override(root, "a.1.b=3", problems);
  ASSERT_TRUE(changed) << problems.text();
  EXPECT_EQ(root->find("a")->children[1]->find("b")->text, "2");
  EXPECT_EQ(changed->find("a")->children[1]->find("b")->text, "3");
}

TEST(Override, changes_one_of_two_that_share_an_alias) {
  Problems problems;
  const Node root = parse_yaml("a: &a {x: 1}\nb: *a\n", "t.yaml", problems);
  const Node changed = with_override(root, "b.x=2", problems);
  EXPECT_EQ(changed->find("a")->find("x")->text, "1");
  EXPECT_EQ(changed->find("b")->find("x")->text, "2");
}

TEST(Override, takes_away_what_is_set_to_null) {
  Problems problems;
  const Node root = parse_yaml("a: [1, {b: 2, c: 3}]\nd: 4\n", "t.yaml", problems);
  const Node without_key = with_override(root, "a.1.b=null", problems);
  ASSERT_TRUE(without_key) << problems.text();
  EXPECT_EQ(without_key->find("a")->children[1]->find("b"), nullptr);
  EXPECT_EQ(without_key->find("a")->children[1]->find("c")->text, "3");
  const Node without_entry = with_override(root, "a.0=~", problems);
  ASSERT_TRUE(without_entry) << problems.text();
  EXPECT_EQ(without_entry->find("a")->children.size(), 1U);
  EXPECT_TRUE(problems.empty());
}

TEST(Override, cannot_take_away_what_is_not_there) {
  Problems problems;
  const Node root = parse_yaml("a: [1, {b: 2}]\n", "t.yaml", problems);
  EXPECT_FALSE(with_override(root, "a.1.bb=null", problems));
  EXPECT_FALSE(with_override(root, "a.2=null", problems));
  EXPECT_EQ(problems.text(),
            "--set a.1.bb=null: a.1: there is no 'bb' to remove\n"
            "--set a.2=null: a: there is no entry 2 to remove\n");
}

TEST(Keys, that_do_not_go_together_are_told_at_the_one_to_leave_out) {
  Problems problems;
  const Node root = parse_yaml("a: 1\nb: 2\nc: 3\n", "t.yaml", problems);
  {
    Mapping mapping(Cursor(root, "", problems), "a mapping");
    mapping.keep_one("a", {"b", "d"});
    mapping.needs("c", {"d", "e"}, "d: 4");
    mapping.needs("c", {"a", "e"});
    EXPECT_FALSE(mapping.exactly_one({"a", "b", "e"}));
    EXPECT_TRUE(mapping.exactly_one({"a", "e"}) && mapping.find("a"));
  }
  EXPECT_EQ(problems.text(),
            "t.yaml:2: b: cannot be combined with a (keep one of the two)\n"
            "t.yaml:3: c: `c` needs `d` or `e` (d: 4)\n"
            "t.yaml:1: exactly one of a, b and e is needed\n");
}

TEST(Keys, that_are_refused_are_absent_from_then_on) {
  Problems problems;
  const Node root = parse_yaml("a: 1\nb: 2\n", "t.yaml", problems);
  {
    Mapping mapping(Cursor(root, "", problems), "a mapping");
    mapping.refuse("a", "a has no use here");
    mapping.refuse("a", "and is told once");
    mapping.refuse("absent", "and is not told");
    EXPECT_FALSE(mapping.has("a") || mapping.find("a"));
    EXPECT_TRUE(mapping.find("b"));
  }
  EXPECT_EQ(problems.text(), "t.yaml:1: a: a has no use here\n");
}

TEST(Hash, is_fnv1a_of_64_bits) {
  EXPECT_EQ(hex(fnv1a("")), "cbf29ce484222325");
  EXPECT_EQ(hex(fnv1a("a")), "af63dc4c8601ec8c");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::input
