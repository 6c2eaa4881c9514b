#!/bin/sh
# The report of render --doctor on the ways to draw. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"

render --doctor > doctor 2> log
status=$?
works=$(grep -c '^[a-z-]*  *yes' doctor)
check 'every way is named' same "$(grep -cE '^(egl-device|egl-surfaceless|osmesa) ' doctor)" 3
check 'the status says whether one works' same "$status" "$([ "$works" -gt 0 ] && echo 0 || echo 1)"
check 'one of those that work is used' same "$(grep -c 'yes, used' doctor)" "$([ "$works" -gt 0 ] && echo 1 || echo 0)"
check 'a package is named for each that does not' same "$(grep -c 'apt-get install' doctor)" "$((3 - works))"
check 'there is no directory to look at' gives 2 'belongs to no option' render --doctor somewhere
check 'a way that is none is named' gives 1 '' env MUJOCO_GL=vulkan "$builddir/render" --doctor
MUJOCO_GL=vulkan render --doctor > doctor 2> log
check 'with those that there are' same "$(head -n 1 doctor | cut -c 1-43)" 'MUJOCO_GL=vulkan: expected egl, egl-device,'
plan
