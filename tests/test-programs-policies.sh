#!/bin/sh
# Policies of collect: those that repeat what is known. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"

check 'a run is recorded' gives 0 . collect CartPole --num-envs 3 --seed 4 --frames 90 --out run --quiet
check 'its actions are repeated, as many steps in as many environments' gives 0 . collect CartPole --seed 4 --actions run --out again --quiet
check 'to the same rows' gives 0 'the same 90 rows' replay diff run again
check 'fewer are as good' gives 0 . collect CartPole --seed 4 --actions run --frames 30 --capacity 93 --out part --quiet
check 'and continue' gives 0 . collect --resume part --frames 90 --quiet
check 'to the same rows, too' gives 0 'the same 90 rows' replay diff run part
check 'of another seed they end in other rows' gives 0 . collect CartPole --seed 5 --actions run --out other --quiet
check 'beyond their end is an error' gives 1 'the actions in .*/run end after 30 steps of each environment: --frames 90 is the most' collect CartPole --actions run --frames 99 --out long
check 'that keeps the rows before' gives 0 '90' replay info long
check 'as many environments as were recorded' gives 2 'contains the actions of 3 environments at once, and there are 2: num-envs must be 3' collect CartPole --actions run --num-envs 2 --out no
check 'one of two says how to act' gives 2 'cannot use both --actions and --policy' collect CartPole --actions run --policy constant --out no
check 'nothing is there' gives 1 'nowhere' collect CartPole --actions nowhere --out no
check 'a run of before stays what it is' gives 2 'cannot use --actions with --resume' collect --resume run --actions run
check 'one action is repeated' gives 0 . collect Pendulum --policy constant:0.5 --frames 20 --out torque --quiet
check 'in every row' gives 0 '0.5' replay rows torque --keys action
check 'it must be one of the environment' gives 2 'element \[0\] is 7, not at most 2' collect Pendulum --policy constant:7 --frames 20 --out no
check 'a class is its number' gives 0 . collect CartPole --policy constant:1 --frames 20 --out right --quiet
check 'of those that there are' gives 2 'cannot set "action" to 2' collect CartPole --policy constant:2 --frames 20 --out no
check 'nothing that is no network acts' gives 1 '^collect: nowhere: there is no such file or directory' collect Pendulum --policy mlp:weights=nowhere --frames 20 --out no
check 'nor what is damaged' gives 3 'empty.tdz' sh -c '> empty.tdz; collect Pendulum --policy mlp:weights=empty.tdz --frames 20 --out no'
check 'a network needs weights' gives 2 'needs weights=FILE' collect Pendulum --policy mlp --frames 20 --out no
check 'refusals leave nothing' test ! -e no
plan
