# Runs a command in a process group of its own and leaves nothing of it behind. See supervised.ts.
#  $1 the command   $2 its mark   $3 Cadre's PID namespace, where the system has such
# Descriptor 3 is Cadre's leash: a line asks the command to stop; its end, which Cadre's death is too, kills it. What could not be
# killed is written to it. Works in bash 3.2 as well.

exec 4>&1 >/dev/null 2>&1
# Whoever started Cadre may have left files open: they lead around every wall.
for file in /dev/fd/*; do
  case ${file##*/} in [0-4] | *[!0-9]*) ;; *) eval "exec ${file##*/}>&-" ;; esac
done
set -m
CADRE_CALL_ID="$2" bash --norc --noprofile -c "$1" >&4 2>&1 3<&- 4>&- &
group=$!
set +m
exec 4>&-

# What is left of the command: in its session, marked by its environment, or ours since its parent ended (a subreaper's).
find_left() {
  left=()
  for file in $(grep -lszx "CADRE_CALL_ID=$1" /proc/[0-9]*/environ); do
    file=${file#/proc/}
    left+=("${file%/environ}")
  done
  for file in /proc/[0-9]*/stat; do
    read -r line <"$file" || continue
    pid=${line%% *}
    set -- ${line##*) }
    [ "$1" = Z ] && continue
    [ "$pid" = "$$" ] || [ "$pid" = "$watcher" ] && continue
    if [ "$2" = "$$" ] || [ "$4" = "$$" ]; then left+=("$pid"); fi
  done
}

sweep() {
  kill -KILL -- "-$group" "$group"
  [ -r /proc/self/stat ] || return
  # In a PID namespace of our own everybody else in it is a leftover. Never true in Cadre's own.
  own=$(readlink /proc/self/ns/pid)
  if [ -n "$own" ] && [ -n "$2" ] && [ "$own" != "$2" ]; then
    kill -KILL -1
    return
  fi
  # Whoever is killed hands its children on: until nobody is left, or nobody who can be killed.
  for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    find_left "$1"
    [ ${#left[@]} = 0 ] && return
    kill -KILL "${left[@]}"
    [ "$round" -gt 10 ] && sleep 0.05
  done
  echo "left ${left[*]}" >&3
}

{
  watcher=$BASHPID
  while read -r _ <&3; do kill -TERM -- "-$group"; done
  sweep "$2" "$3"
} &
watcher=$!
wait "$group"
code=$?
sweep "$2" "$3"
kill -KILL "$watcher"
exit "$code"
