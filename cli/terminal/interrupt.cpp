#include "cli/terminal/interrupt.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "input/interruption.hpp"
#include "output/temporaries.hpp"

namespace jostle::cli {
namespace {

// Until the program ends, blocking system calls are interrupted at every tick, because the first signal may
// have come just before one of them.
constexpr suseconds_t tick_us = 50'000;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int last_tick = 200;
#else
constexpr int last_tick = 18;
#endif

std::atomic<int> received{0}, timer_ticks{0};

void set_ticking(suseconds_t every_us) {
  const itimerval timer{{0, every_us}, {0, every_us}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void on_signal(int signal) {
  if (received.load() != 0) {
    output::remove_temporaries();
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  received = signal;
  input::interruption_by_signal() = true;
  set_ticking(tick_us);
}

void on_tick(int) {
  ++timer_ticks;
  if (timer_ticks < last_tick || (output::Committing::any() && timer_ticks < 10 * last_tick))
    return;  // a slow disk
  constexpr std::string_view line = "jostle: interrupted\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0)
    timer_ticks = last_tick;  // nobody can be notified
  output::remove_temporaries();
  _exit(128 + received.load());
}

void install(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // no SA_RESTART: a blocked read or write returns
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

const std::atomic<bool>& handle_signals() {
  set_ticking(0);
  received = 0;
  timer_ticks = 0;
  input::interruption_by_signal() = false;
  install(SIGALRM, on_tick);
  install(SIGINT, on_signal);
  install(SIGTERM, on_signal);
  struct sigaction now {};
  sigaction(SIGHUP, nullptr, &now);
  if (now.sa_handler != SIG_IGN) install(SIGHUP, on_signal);  // ignored under nohup
  install(SIGPIPE, SIG_IGN);
  install(SIGXFSZ, SIG_IGN);
  return input::interruption_by_signal();
}

int ending_signal() {
  return received;
}

}  // namespace jostle::cli
