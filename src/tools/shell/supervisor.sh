# Runs a command in its own process group and kills every process that it leaves behind. See supervise.ts.
#  $1 the command   $2 the mark in its environment   $3 Cadre's PID namespace, if the system has namespaces
# Descriptor 3 is a pipe to Cadre. When Cadre writes a line, the command gets SIGTERM. When the pipe closes, also because Cadre
# died, the command is killed. The script writes the pids of processes that it could not kill to the same pipe.
# It must also work in bash 3.2.

exec 4>&1 >/dev/null 2>&1
# Close descriptors inherited from the program that started Cadre: through them a command could get around the sandbox.
for file in /dev/fd/*; do
  case ${file##*/} in [0-4] | *[!0-9]*) ;; *) eval "exec ${file##*/}>&-" ;; esac
done
set -m
CADRE_CALL_ID="$2" bash --norc --noprofile -c "$1" >&4 2>&1 3<&- 4>&- &
group=$!
set +m
exec 4>&-

# Sets `left` to the processes that the command left behind: those with the mark in their environment, those in this session, and
# orphans that this process adopted as a subreaper.
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
  # In a PID namespace of its own, every other process belongs to the command. Cadre's own namespace is excluded.
  own=$(readlink /proc/self/ns/pid)
  if [ -n "$own" ] && [ -n "$2" ] && [ "$own" != "$2" ]; then
    kill -KILL -1
    return
  fi
  # A killed process leaves its children to this one, so repeat until no process is left or the rest cannot be killed.
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
