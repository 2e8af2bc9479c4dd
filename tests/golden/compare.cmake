# Runs one scenario and compares the bytes of its JSON with the committed ones, or commits itself to new ones (UPDATE).
execute_process(COMMAND ${JOSTLE} run ${SCENARIO} --format json
  OUTPUT_FILE ${ACTUAL} ERROR_VARIABLE errors RESULT_VARIABLE code)
if(NOT code EQUAL 0 OR NOT errors STREQUAL "")
  message(FATAL_ERROR "${SCENARIO}: exit code ${code}\n${errors}")
endif()
if(UPDATE)
  file(COPY_FILE ${ACTUAL} ${GOLDEN} ONLY_IF_DIFFERENT)
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${GOLDEN} ${ACTUAL} RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${GOLDEN} is not what the scenario gives any more.\n"
    "See what changed:  git diff --no-index --word-diff=color --word-diff-regex='[^,]+' ${GOLDEN} ${ACTUAL}\n"
    "If it is meant:    cmake --build ${BUILD} --target update-goldens")
endif()
