# Toolchain of the playground: WebAssembly by Debian's clang 16 with its libc++ and wasi-libc (scripts/setup playground).
set(CMAKE_SYSTEM_NAME Generic)  # CMake knows no WASI
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-16)
set(CMAKE_CXX_COMPILER clang++-16)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # an executable would want what is built here first

set(libcxx /usr/lib/llvm-16/include/wasm32-wasi/c++/v1)
# Boost and Eigen use what C++17 removed, unless told not to.
string(JOIN " " CMAKE_CXX_FLAGS_INIT
  -nostdinc++ -isystem ${CMAKE_CURRENT_LIST_DIR}/lacking -isystem ${libcxx} -fwasm-exceptions
  -DBOOST_NO_CXX98_FUNCTION_BASE -D_LIBCPP_ENABLE_CXX17_REMOVED_FEATURES)
