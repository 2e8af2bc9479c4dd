#include "python/command.hpp"

#include <utility>

#include "cli/command_line.hpp"
#include "cli/laboratory/laboratory.hpp"
#include "python/call.hpp"

namespace jostle::python {
namespace {

int run_command(const std::vector<std::string>& arguments, const cli::Terminal::Settings& settings,
                const std::atomic<bool>* interrupted) {
  std::vector<const char*> words{"jostle"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  words.push_back(nullptr);
  return cli::command_line(static_cast<int>(words.size()) - 1, words.data(), settings, cli::laboratory(),
                           interrupted);
}

}  // namespace

CommandEnd command(const std::vector<std::string>& arguments, pybind11::object progress) {
  Call call(std::move(progress));
  return call.run([&] {
    CommandEnd end;
    cli::Terminal::Settings settings;
    settings.output = &end.output;
    settings.messages = &end.messages;
    settings.told = [&call](double done) { call.tell(done); };
    end.code = run_command(arguments, settings, call.interrupt());
    return end;
  });
}

int command_line(const std::vector<std::string>& arguments) {
  const pybind11::gil_scoped_release release;
  return run_command(arguments, cli::Terminal::detect(), nullptr);
}

}  // namespace jostle::python
