// Programs that run other programs or code, which they get from their arguments or their input.

import type { ShellWord } from "./parse-shell.ts";

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Programs whose arguments can be commands. A command might begin at any argument, and any argument might be a script. */
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

/** Shells. A shell can also run commands from a file or from its input. Its arguments do not show these commands. */
const SHELLS = list("sh bash dash ash zsh ksh mksh fish rbash csh tcsh xonsh nu pwsh");

/** Programs whose arguments can be code in another language. Such code can run commands and open files. */
const INTERPRETERS = list(`
  python pypy node nodejs deno bun tsx ts-node perl ruby php lua luajit awk gawk mawk nawk sed tclsh osascript
  powershell Rscript julia groovy sqlite psql mysql vi vim nvim ex ed emacs make gmake tar rsync m4 jshell socat gdb zip less`);

/** Subcommands that every git has. An alias cannot replace one of them, but any other subcommand can be an alias for any command. */
const GIT_VERBS = list(`
  add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout
  checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects credential describe diff
  diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch for-each-ref format-patch fsck gc grep
  hash-object help index-pack init interpret-trailers log ls-files ls-remote ls-tree merge merge-base merge-file merge-tree mergetool mktag
  mktree mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase receive-pack reflog remote repack
  replace rerere reset restore rev-list rev-parse revert rm send-pack shortlog show show-branch show-index show-ref sparse-checkout stash
  status stripspace submodule switch symbolic-ref tag unpack-objects update-index update-ref upload-archive upload-pack var verify-commit
  verify-pack verify-tag version worktree write-tree`);

/** Options that come before the subcommand of git, and whose value is the next argument. */
const GIT_VALUES = list("-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source");

/** True if the subcommand of a git command might be an alias, which can come from the configuration, the environment or an option. */
export function mayBeAlias(argv: readonly ShellWord[]): boolean {
  let at = 1;
  while (argv[at]?.startsWith("-")) at += GIT_VALUES.has(argv[at]!) ? 2 : 1;
  const verb = argv[at];
  return verb !== undefined && !GIT_VERBS.has(verb);
}

export const isWrapper = (name: string): boolean => WRAPPERS.has(name);

export const runsOthers = (name: string, words: readonly ShellWord[]): boolean =>
  WRAPPERS.has(name) || words.some((word) => word !== undefined && WRAPPING_VERBS[name]?.has(word));

export const isShell = (name: string): boolean => SHELLS.has(name);

/** True for an interpreter in any version: `python3.12` is recognised as python. */
export const isInterpreter = (name: string): boolean => INTERPRETERS.has(name.replace(/[\d.]+$/, ""));
