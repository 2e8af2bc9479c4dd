# cmake -D jostle=COMMAND -D to=FOLDER -P this: writes the files for shells and man, from the output of the command itself.
#   man1/jostle*.1(.gz), completion/{jostle,_jostle,jostle.fish}
find_program(gzip gzip)
file(REMOVE_RECURSE ${to})
file(MAKE_DIRECTORY ${to}/man1 ${to}/completion)

function(tell file)  # FILE ARGUMENT...: writes the output of the command
  execute_process(COMMAND ${jostle} ${ARGN} OUTPUT_FILE ${file} RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " arguments)
    message(FATAL_ERROR "jostle ${arguments}: ${errors}")
  endif()
endfunction()

# The subcommands of `ARGN`, a command, as completion lists them.
function(subcommands result)
  execute_process(COMMAND ${jostle} __complete ${ARGN} "" OUTPUT_VARIABLE lines)
  string(REGEX MATCHALL "(^|\n)[a-z]+" words "${lines}")
  string(REGEX REPLACE "\n" "" words "${words}")
  set(${result} ${words} PARENT_SCOPE)
endfunction()

function(manual_page)
  list(JOIN ARGN "-" name)
  set(page ${to}/man1/jostle)
  if(name)
    string(APPEND page -${name})
  endif()
  tell(${page}.1 help ${ARGN} --manual)
  if(gzip)
    execute_process(COMMAND ${gzip} -9nf ${page}.1)
  endif()
endfunction()

manual_page()
subcommands(commands)
foreach(command IN LISTS commands)
  manual_page(${command})
endforeach()
foreach(group list show)
  subcommands(inner ${group})
  foreach(command IN LISTS inner)
    manual_page(${group} ${command})
  endforeach()
endforeach()

tell(${to}/completion/jostle completion bash)
tell(${to}/completion/_jostle completion zsh)
tell(${to}/completion/jostle.fish completion fish)
