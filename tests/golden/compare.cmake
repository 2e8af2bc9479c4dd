# Compares the bytes that a command prints with the committed ones, or commits itself to new ones (UPDATE).
string(REPLACE "|" ";" ARGUMENTS "${ARGUMENTS}")
execute_process(COMMAND ${CMAKE_COMMAND} -E env COLUMNS=60 ${JOSTLE} ${ARGUMENTS}
  OUTPUT_FILE ${ACTUAL} ERROR_VARIABLE errors RESULT_VARIABLE code)
if(NOT code EQUAL 0 OR NOT errors STREQUAL "")
  message(FATAL_ERROR "jostle ${ARGUMENTS}: exit code ${code}\n${errors}")
endif()
if(UPDATE)
  file(COPY_FILE ${ACTUAL} ${GOLDEN} ONLY_IF_DIFFERENT)
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${GOLDEN} ${ACTUAL} RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${GOLDEN} is not what the command prints any more.\n"
    "See what changed:  git diff --no-index --word-diff=color --word-diff-regex='[^,]+' ${GOLDEN} ${ACTUAL}\n"
    "If it is meant:    cmake --build ${BUILD} --target update-goldens")
endif()
