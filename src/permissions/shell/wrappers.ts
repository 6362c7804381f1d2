// Programs that run other programs or code. They get the code from their words or their input.

import type { ShellWord } from "./parse-shell.ts";

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Programs whose words can be commands. Any suffix of the word list might be a command, and any word might be a script. */
const WRAPPERS = list(`
  env sudo doas su runuser gosu su-exec setpriv capsh pkexec nohup nice ionice chrt taskset numactl setarch timeout time
  xargs parallel setsid stdbuf unbuffer rlwrap script expect command builtin exec eval trap source . find fd watch entr
  chroot unshare nsenter bwrap firejail proot fakeroot systemd-run dbus-run-session xvfb-run flock lockf strace ltrace
  valgrind perf gdb catchsegv faketime chronic ssh sshpass torsocks proxychains proxychains4 caffeinate tini dumb-init
  chpst runcon prlimit choom uclampset sg rsh cgexec aa-exec newgrp fakechroot dbus-launch ssh-agent start-stop-daemon ld.so
  dotenv direnv hyperfine xterm at batch crontab nc ncat ansible fzf bpftrace mapfile readarray complete compgen
  npx pnpx bunx uvx pipx concurrently nodemon screen tmux busybox toybox ld-linux-x86-64.so ld-linux-aarch64.so
  sh bash dash ash zsh ksh mksh fish rbash csh tcsh xonsh nu pwsh`);

/** Programs that are wrappers only with certain subcommands. */
const WRAPPING_VERBS: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: list("exec x"),
  pnpm: list("exec dlx"),
  yarn: list("exec dlx run"),
  bun: list("x"),
  git: list("bisect submodule rebase filter-branch difftool mergetool"),
  docker: list("run exec"),
  podman: list("run exec"),
  kubectl: list("run exec"),
  uv: list("run tool"),
  poetry: list("run"),
  pipenv: list("run"),
  conda: list("run"),
  ...Object.fromEntries(
    list("pdm hatch rye volta")
      .values()
      .map((name) => [name, list("run")]),
  ),
  ...Object.fromEntries(
    list("mise asdf bundle lerna")
      .values()
      .map((name) => [name, list("exec x")]),
  ),
  cmake: list("-E"),
  corepack: list("npm pnpm yarn npx pnpx"),
  cargo: list("watch"),
  "nix-shell": list("--run --command"),
};

/** Shells. A shell can also run commands from a file or from its input, which its words do not show. */
const SHELLS = list("sh bash dash ash zsh ksh mksh fish rbash csh tcsh xonsh nu pwsh");

/** Programs whose words can be code in another language. Such code can run commands and open files. */
const INTERPRETERS = list(`
  python pypy node nodejs deno bun tsx ts-node perl ruby php lua luajit awk gawk mawk nawk sed tclsh osascript
  powershell Rscript julia groovy sqlite psql mysql vi vim nvim ex ed emacs make gmake tar rsync m4 jshell socat gdb zip less`);

export const isWrapper = (name: string): boolean => WRAPPERS.has(name);

export const runsOthers = (name: string, words: readonly ShellWord[]): boolean =>
  WRAPPERS.has(name) || words.some((word) => word !== undefined && WRAPPING_VERBS[name]?.has(word));

export const isShell = (name: string): boolean => SHELLS.has(name);

/** True for an interpreter in any version: `python3.12` is recognised as python. */
export const isInterpreter = (name: string): boolean => INTERPRETERS.has(name.replace(/[\d.]+$/, ""));
