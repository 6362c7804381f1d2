# Runs a command in its own process group and kills every process that it leaves behind. See supervise.ts.
#  $1 the command   $2 the mark in its environment   $3 Cadre's PID namespace, if the system has namespaces
# Descriptor 3 is a pipe to Cadre. When Cadre writes a line, the command gets SIGTERM. When the pipe closes, also because Cadre
# died, the command is killed. The script writes to the same pipe which processes the command had left, and which of them it could not kill.
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

# In a PID namespace of its own, every other process belongs to the command or its sandbox. Cadre's own namespace is excluded.
in_own_namespace() {
  own=$(readlink /proc/self/ns/pid)
  [ -n "$own" ] && [ -n "$1" ] && [ "$own" != "$1" ]
}

# Tells Cadre which processes the command has left running, because they are about to be killed.
report_left() {
  read -r me _ </proc/self/stat
  if [ -n "$me" ] && [ "$me" != "$$" ]; then
    # The sandbox shows the pids of another namespace, so processes are known only by their mark.
    left=()
    for file in $(grep -lszx "CADRE_CALL_ID=$1" /proc/[0-9]*/environ); do
      file=${file#/proc/}
      left+=("${file%/environ}")
    done
  elif in_own_namespace "$2"; then
    # The sandbox has processes of its own. They are older than the command, or come from one that is.
    left=()
    for file in /proc/[0-9]*/stat; do
      read -r line <"$file" || continue
      pid=${line%% *}
      set -- ${line##*) }
      [ "$1" = Z ] || [ "$pid" -le "$group" ] || [ "$pid" = "$watcher" ] && continue
      if [ "$2" = 1 ] || [ "$2" = "$$" ] || [ "$2" -ge "$group" ]; then left+=("$pid"); fi
    done
  elif [ -r /proc/self/stat ]; then
    find_left "$1"
  else
    left=($(ps -A -o pgid=,pid= | while read -r of pid; do [ "$of" = "$group" ] && echo "$pid"; done))
  fi
  for pid in "${left[@]:0:10}"; do
    words=$(tr '\0\n' '  ' <"/proc/$pid/cmdline") || words=$(ps -o args= -p "$pid")
    [ -n "$words" ] && echo "ended $pid ${words:0:100}" >&3
  done
}

sweep() {
  kill -KILL -- "-$group" "$group"
  [ -r /proc/self/stat ] || return
  if in_own_namespace "$2"; then
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
report_left "$2" "$3"
sweep "$2" "$3"
kill -KILL "$watcher"
exit "$code"
