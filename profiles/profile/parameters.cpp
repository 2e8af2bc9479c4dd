#include "profiles/profile/parameters.hpp"

#include "input/readers.hpp"

namespace jostle::profiles {
namespace {

const input::Choice<ParameterGrade>& grade_reader() {
  static const input::Choice<ParameterGrade> reader{"a grade",
                                                    {{"measured", ParameterGrade::measured},
                                                     {"fitted", ParameterGrade::fitted},
                                                     {"datasheet", ParameterGrade::datasheet},
                                                     {"assumed", ParameterGrade::assumed}}};
  return reader;
}

std::optional<Provenance> read_provenance(input::Mapping& mapping) {
  Provenance from;
  const bool grade = mapping.required("grade", from.grade, grade_reader());
  const bool source = mapping.required("source", from.source, input::Text{1000});
  return grade && source ? std::optional(std::move(from)) : std::nullopt;
}

std::string written(const input::Value& value) {
  if (value.kind != input::Kind::sequence) return value.text;
  std::string result;
  for (const input::Node& child : value.children) result += (result.empty() ? "" : ", ") + written(*child);
  return "[" + result + "]";
}

}  // namespace

const char* to_string(ParameterGrade grade) {
  for (const auto& [name, value] : grade_reader().names) {
    if (value == grade) return name.c_str();
  }
  return "?";
}

Block::Block(const input::Cursor& at, const std::string& what, std::vector<ProfileParameter>& parameters,
             const std::optional<Provenance>& outer)
    : mapping_(at, what), parameters_(&parameters), from_(outer) {
  if (const auto from_at = mapping_.find("from")) {
    input::Mapping from(*from_at, "a mapping: grade, source");
    from_ = read_provenance(from);
  }
}

std::optional<input::Cursor> Block::with_provenance(const input::Cursor& at) {
  if (!at.is(input::Kind::mapping)) {
    if (!from_) {
      at.problem(
          "the parameter has no grade and source",
          "write {value: ..., grade: ..., source: ...}, or add `from: {grade, source}` to the mapping");
      return std::nullopt;
    }
    parameters_->push_back({at.path(), written(at.value()), *from_});
    return at;
  }
  input::Mapping mapping(at, "a parameter: value, grade, source");
  std::optional<input::Cursor> value = mapping.require("value");
  std::optional<Provenance> from = read_provenance(mapping);
  if (!value || !from) return std::nullopt;
  parameters_->push_back({at.path(), written(value->value()), std::move(*from)});
  return value;
}

}  // namespace jostle::profiles
