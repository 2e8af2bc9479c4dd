# Installs the headers that other projects may include, named here, and those that they include themselves. The
# others are internal. scripts/install.cmake sets `source`, the repository, and `target`, the folder to install to.
set(headers
  sim/engine.hpp sim/process.hpp sim/resource.hpp sim/time.hpp sim/random.hpp sim/batch_means.hpp sim/trace.hpp
  models/board/board.hpp models/board/spec.hpp models/dnn/model_names.hpp models/gpu/kernel.hpp
  profiles/embedded.hpp profiles/profile/profile.hpp
  scenarios/language/load.hpp scenarios/language/scenario.hpp scenarios/run/run.hpp scenarios/result/result_text.hpp
  scenarios/timeline/chrome_trace.hpp
  analyses/compare/compare.hpp analyses/explain/explain.hpp analyses/fleet/fleet.hpp analyses/interval/interval.hpp
  analyses/offload/offload.hpp analyses/plan/plan.hpp analyses/roofline/roofline.hpp analyses/study/sweep.hpp)

set(next ${headers})
while(next)
  list(POP_FRONT next header)
  file(STRINGS ${source}/${header} included REGEX "^#include \"[^\"]+\"")
  list(TRANSFORM included REPLACE "^#include \"([^\"]+)\".*" "\\1")
  list(REMOVE_ITEM included ${headers})
  list(APPEND headers ${included})
  list(APPEND next ${included})
endwhile()
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL ${source}/${header} DESTINATION ${target}/${folder})
endforeach()
