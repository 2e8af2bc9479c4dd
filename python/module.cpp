// The module jostle._jostle, on which the package python/jostle is built. Its functions and their arguments
// are documented there.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "input/interruption.hpp"
#include "python/answers.hpp"
#include "python/call.hpp"
#include "python/many.hpp"
#include "scenarios/run/run.hpp"

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using jostle::python::Answer;
using jostle::python::ScenarioChanges;
using jostle::python::Source;

// The problems in the form that the package's ScenarioError takes.
py::list problems_list(const jostle::input::Problems& problems) {
  py::list list;
  for (const jostle::input::Problem& problem : problems.list()) {
    const auto& origin = problem.location.origin;
    list.append(py::dict("file"_a = origin ? py::object(py::str(*origin)) : py::object(py::none()),
                         "line"_a = problem.location.line > 0 ? py::object(py::int_(problem.location.line))
                                                              : py::object(py::none()),
                         "key"_a = problem.path, "message"_a = problem.message, "hint"_a = problem.hint,
                         "text"_a = problem.text()));
  }
  return list;
}

// The error classes are Python's (errors.py), so that their attributes are plain ones.
void set_error(const char* name, const py::object& argument) {
  const py::object type = py::module_::import("jostle.errors").attr(name);
  PyErr_SetObject(type.ptr(), py::object(type(argument)).ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const jostle::python::Invalid& invalid) {
    set_error("ScenarioError", problems_list(invalid.problems));
  } catch (const jostle::scenarios::RunError& error) {
    set_error("RunError", py::str(error.what()));
  } catch (const jostle::input::Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const py::builtin_exception&) {
    throw;
  } catch (
      const std::runtime_error& error) {  // Refused, WriteError, DatabaseError, CsvError, CalibrationError
    set_error("Error", py::str(error.what()));
  }
}

py::tuple pair_of(Answer answer) {
  return py::make_tuple(std::move(answer.json), std::move(answer.warnings));
}

}  // namespace

PYBIND11_MODULE(_jostle, module) {
  namespace python = jostle::python;
  module.attr("__version__") = JOSTLE_VERSION;
  py::register_exception_translator(translate);

  py::class_<Source>(module, "Source")
      .def(py::init<std::optional<std::string>, std::string>(), "text"_a, "name"_a)
      .def_readonly("name", &Source::name);
  py::class_<ScenarioChanges>(module, "Changes")
      .def(py::init<std::vector<std::string>, std::optional<std::uint64_t>>(), "set"_a, "seed"_a);

  module.def("run", [](const Source& source, const ScenarioChanges& changes, bool interval,
                       const std::string& trace, py::object progress) {
    return pair_of(python::run(source, changes, interval, trace, std::move(progress)));
  });
  module.def("explain", [](const Source& source, const ScenarioChanges& changes,
                           const std::vector<std::string>& what_ifs, bool interval, py::object progress) {
    return pair_of(python::explain(source, changes, {what_ifs, interval}, std::move(progress)));
  });
  module.def("compare", [](const Source& a, const ScenarioChanges& changes_a, const std::string& name_a,
                           const Source& b, const ScenarioChanges& changes_b, const std::string& name_b,
                           std::optional<std::size_t> most, std::optional<double> until, bool interval,
                           py::object progress) {
    return pair_of(python::compare({a, changes_a, name_a}, {b, changes_b, name_b},
                                   {{.most = most, .until = until}, interval}, std::move(progress)));
  });
  module.def("offload", [](const Source& source, unsigned threads, bool interval, py::object progress) {
    return pair_of(python::offload(source, threads, interval, std::move(progress)));
  });
  module.def("check", [](const Source& source, const ScenarioChanges& changes, py::object progress) {
    return pair_of(python::check(source, changes, std::move(progress)));
  });
  module.def("run_many",
             [](std::vector<std::pair<Source, ScenarioChanges>> scenarios, std::vector<std::uint64_t> seeds,
                bool interval, unsigned threads, py::object progress) {
               return python::run_many({std::move(scenarios), std::move(seeds)}, {interval, threads},
                                       std::move(progress));
             });
  module.def("query", &python::query);
  module.def("command", [](const std::vector<std::string>& arguments, py::object progress) {
    python::CommandEnd end = python::command(arguments, std::move(progress));
    return py::make_tuple(end.code, py::bytes(end.output).attr("decode")("utf-8", "replace"),
                          py::bytes(end.messages).attr("decode")("utf-8", "replace"));
  });
  module.def("command_line", &python::command_line);
  module.def("plan", [](const Source& source, const std::string& output, unsigned threads, bool exhaustive,
                        bool intervals, std::size_t simulations, py::object progress) {
    return pair_of(
        python::plan(source, {output, threads, exhaustive, intervals, simulations}, std::move(progress)));
  });
  module.def("sweep", [](const Source& source, const std::string& output, unsigned threads, bool interval,
                         bool replace, py::object progress) {
    return python::sweep(source, {output, threads, interval, replace}, std::move(progress));
  });
  module.def("calibrate", [](const std::string& device, std::vector<std::string> evidence,
                             std::vector<std::string> onnx, const std::string& name,
                             const std::string& output, bool fresh, bool quick, py::object progress) {
    return pair_of(python::calibrate(
        device, {{std::move(evidence), output, name, fresh, quick}, std::move(onnx)}, std::move(progress)));
  });
  module.def("schema", &python::schema);
  module.def("devices", &python::devices);
  module.def("networks", &python::networks);
}
