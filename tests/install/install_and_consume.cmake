# cmake -D build=… -D consumer=… -D scratch=… -D compiler=… -D generator=… -P this: install, configure, build, run.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${scratch})
run(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix)
run(${CMAKE_COMMAND} -S ${consumer} -B ${scratch}/build -G ${generator}
  -D CMAKE_PREFIX_PATH=${scratch}/prefix -D CMAKE_CXX_COMPILER=${compiler})
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/consumer)
run(${scratch}/prefix/bin/jostle --version)
