// A value stored elsewhere, so that a header can have it as a member and only declare its type. A file that
// reads the value includes the type's header; all others are not compiled again when that header changes.
//
// It behaves like any other value: a copy copies the stored value. If none was stored, it is a T{}.
#pragma once

#include <memory>
#include <utility>

namespace jostle {

template <class T>
class Indirect {
 public:
  Indirect() = default;
  Indirect(T value)  // NOLINT(google-explicit-constructor): it stands for its value
      : held_(new T(std::move(value)), [](T* held) { delete held; }),
        copy_([](const T& held) { return new T(held); }) {}
  Indirect(const Indirect& other)
      : held_(other.held_ ? other.copy_(*other.held_) : nullptr, other.held_.get_deleter()),
        copy_(other.copy_) {}
  Indirect(Indirect&&) noexcept = default;
  Indirect& operator=(const Indirect& other) {
    if (this != &other) *this = Indirect(other);
    return *this;
  }
  Indirect& operator=(Indirect&&) noexcept = default;
  ~Indirect() = default;

  [[nodiscard]] const T& operator*() const {
    static const T none{};
    return held_ ? *held_ : none;
  }
  [[nodiscard]] T& operator*() {
    if (!held_) *this = Indirect(T{});
    return *held_;
  }
  [[nodiscard]] const T* operator->() const { return &**this; }
  [[nodiscard]] T* operator->() { return &**this; }

 private:
  // The deleter and the copy function are chosen when the value is stored: there its type is known.
  std::unique_ptr<T, void (*)(T*)> held_{nullptr, [](T*) {}};
  T* (*copy_)(const T&) = nullptr;
};

}  // namespace jostle
