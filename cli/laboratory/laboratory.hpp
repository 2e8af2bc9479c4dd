// The subcommands of the laboratory: what measures, reads logs, fits, and judges. They are a program of their
// own, `jostle-laboratory`, which `jostle` becomes when it is asked for one of them or for all.
#pragma once

#include <span>

#include "cli/subcommand.hpp"

namespace jostle::cli {

void add_validate(CLI::App& app, Task& task);
void add_calibrate(CLI::App& app, Task& task);
void add_reproduce(CLI::App& app, Task& task);
void add_import(CLI::App& app, Task& task);
void add_probe(CLI::App& app, Task& task);
void add_record(CLI::App& app, Task& task);

[[nodiscard]] std::span<const Subcommand> laboratory();

}  // namespace jostle::cli
