// The functions of the module that the page calls: memory for a question, its answer, and the address of
// that.
#include <string>

#include "playground/answers.hpp"

namespace {

std::string question;
jostle::playground::Answer kept;

}  // namespace

#define EXPORT(name) extern "C" __attribute__((export_name(#name), visibility("default")))

// Where the page puts `bytes` bytes of UTF-8.
EXPORT(room) char* room(unsigned bytes) {
  question.assign(bytes, ' ');
  return question.data();
}

// The status (answers.hpp); the text stays until the next question.
EXPORT(answer) int answer() {
  kept = jostle::playground::answer(question);
  return static_cast<int>(kept.status);
}

EXPORT(text) const char* text() {
  return kept.text.data();
}
EXPORT(size) unsigned size() {
  return static_cast<unsigned>(kept.text.size());
}
