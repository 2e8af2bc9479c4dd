# ctest starts the slowest tests first, so that none runs alone at the end. Seconds are those of a full run; without
# these, a clean checkout knows of none.
foreach(cost
    95:Boards.come_as_near_to_what_was_measured_as_was_asked
    66:LeftOut.laboratories_are_predicted_as_well_as_they_were
    55:Ranges.cover_what_is_assumed_and_moves_contention
    46:Stability.of_requests_that_gather_is_whether_full_batches_would_keep_up
    45:Changed.random_scenarios_serve_nobody_more/5
    35:Thousands.random_scenarios_obey_all_laws/9
    35:Thousands.random_scenarios_obey_all_laws/19
    32:Thousands.random_scenarios_obey_all_laws/1
    29:Steadiness.noise_is_no_drift)
  string(REPLACE ":" ";" cost "${cost}")
  list(GET cost 0 seconds)
  list(GET cost 1 name)
  set_tests_properties(${name} PROPERTIES COST ${seconds})
endforeach()
