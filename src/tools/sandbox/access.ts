// Decides what a command can reach in a sandbox.
// A command can read everything except home folders, secrets, Cadre's own files and other users' temporary files.
// A command can write to the workspace and its git folder, but not to protected files, because they decide which programs run.
// A command that was judged read-only cannot write at all.

import { lstat, realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, delimiter, dirname, join, sep } from "node:path";
import { socketSecretFile } from "../../config/socket-key.ts";
import { userFolder } from "../../config/trust.ts";
import type { Effect } from "../../journal/definition.ts";
import { isInside } from "../files/workspace-path.ts";
import { type GitFolders, gitFoldersOf } from "../git/git-folders.ts";
import { isMentionedIn, type ProtectedPath, protectedPaths } from "./protected-paths.ts";
import type { Network, PathAccess, SandboxAccess } from "./sandbox.ts";

export interface AccessRequest {
  command: string;
  workspace: string;
  effect: Effect;
  /** True if a person has approved exactly this call. */
  approved: boolean;
  network: Network;
  /** Further folders that the command is allowed to write to. */
  write: readonly string[];
  /** The command's PATH variable. */
  path: string;
  /** The project's folder. `stateFolder` is the folder of Cadre's own files. */
  folder: string;
  stateFolder: string;
  isProtected: (path: string) => boolean;
  /** Files that the configuration names, relative to the workspace. */
  named?: () => readonly string[];
  /** Files with keys that the command sees empty, as absolute paths. */
  emptied?: readonly string[];
}

/** Each command gets its own, empty version of these folders. */
const PRIVATE = process.platform === "linux" ? ["/tmp", "/var/tmp", "/run"] : [];

const HOMES = ["/home", "/root", "/Users"];

const SYSTEM_SECRETS =
  "shadow gshadow sudoers ssh/ssh_host_rsa_key ssh/ssh_host_ecdsa_key ssh/ssh_host_ed25519_key"
    .split(" ")
    .map((name) => `/etc/${name}`);

/** These files stay hidden even in a visible home folder. A home folder is visible if it contains the workspace or is inside it. */
const HOME_SECRETS = (
  ".ssh .aws .azure .config .gnupg .kube .docker .netrc .npmrc .pypirc .pgpass .git-credentials .password-store .mozilla " +
  ".cargo/credentials .cargo/credentials.toml .m2/settings.xml .gem/credentials .local/share/keyrings .bash_history .zsh_history"
).split(" ");

/** Programs installed in a home folder need these files, besides their own folders. */
const HOME_SHOWN = [".gitconfig", ".config/git/config", ".rustup", ".local/lib"];

export type ResolvedAccess = SandboxAccess & { guarded: ProtectedPath[]; git: GitFolders | undefined };

export async function resolveAccess(request: AccessRequest): Promise<ResolvedAccess> {
  const workspace = await realpath(request.workspace);
  const home = await realpath(homedir()).catch(() => homedir());
  const git = await gitFoldersOf(workspace);
  const access = new Map<string, PathAccess["access"]>();
  const set = (value: PathAccess["access"], paths: readonly string[]) => {
    for (const path of paths) access.set(path, value);
  };
  set("hidden", [...PRIVATE, ...HOMES, home, ...SYSTEM_SECRETS]);
  set("read", shownPaths(request, { workspace, home, git }));
  set("hidden", stateFolders(request, workspace, git));
  // The sockets of all projects with long paths (A32). They are hidden explicitly, because TMPDIR can be outside of the private folders.
  set("hidden", [join(tmpdir(), `cadre-${process.getuid?.() ?? "user"}`)]);
  set(
    "hidden",
    HOME_SECRETS.map((name) => join(home, name)),
  );
  // XDG_CONFIG_HOME can name a folder outside of the home folder.
  set("hidden", [userFolder(process.env)]);
  const reading = request.effect === "read";
  set(reading ? "read" : "write", [...request.write, ...(git ? [git.common, git.own] : []), workspace]);
  const guarded = reading ? [] : await guardedPaths(request, workspace, git);
  // A link can lead anywhere, so its target is neither shown nor made writable.
  const pinned = guarded.filter(({ link }) => link === undefined).map(({ path }) => path);
  // The parent folders are mounted too. Otherwise a command could rename a parent folder together with the protected file in it.
  set(
    "write",
    pinned.flatMap((path) => foldersAbove(path, workspace)),
  );
  set("read", pinned);
  set("empty", request.emptied ?? []);
  // Last, because the workspace can be the user's own settings.
  set("hidden", [socketSecretFile(process.env)]);
  return {
    workspace,
    paths: await existingPaths(access),
    network: networkOf(request, reading),
    guarded,
    git,
  };
}

/** The folders from the path's parent up to the workspace. Only the parent, if the path is outside of the workspace. */
function foldersAbove(path: string, workspace: string): string[] {
  if (path === workspace) return [];
  const folders = [dirname(path)];
  if (isInside(workspace, path))
    for (let at = dirname(path); at !== workspace && at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}

/** The protected files that the command is not allowed to change. */
export async function guardedPaths(
  request: Pick<AccessRequest, "command" | "approved" | "isProtected" | "named">,
  workspace: string,
  git: GitFolders | undefined,
): Promise<ProtectedPath[]> {
  const { isProtected, named } = request;
  const all = await protectedPaths({ workspace, git, isProtected, named: named?.() ?? [] });
  return all.filter((file) => !isLifted(request, file));
}

/** If a person approves a command that names a protected file, the approval also covers changing that file. */
const isLifted = (
  { command, approved }: Pick<AccessRequest, "command" | "approved">,
  file: ProtectedPath,
): boolean => approved && isMentionedIn(command, file);

function networkOf({ network, approved }: AccessRequest, reading: boolean): SandboxAccess["network"] {
  if (reading) return "off";
  return network === "approved" ? (approved ? "on" : "off") : network;
}

interface Places {
  workspace: string;
  home: string;
  git: GitFolders | undefined;
}

function shownPaths({ path, folder }: AccessRequest, { workspace, home, git }: Places): string[] {
  const programs = path.split(delimiter).flatMap((place) => programFolders(place, home));
  // A worktree uses the project's `node_modules`, which is above the worktree. A home folder stays hidden even if it is a repository.
  const around = [folder, ...(git ? [git.top, dirname(git.common)] : [])].filter(
    (one) => !isInside(one, home),
  );
  const inHome = HOME_SHOWN.map((name) => join(home, name));
  // /etc/resolv.conf is often a link into /run, which is hidden.
  return [...programs, ...inHome, ...around, "/etc/resolv.conf"].filter((one) => !isInside(workspace, one));
}

/** Folders beside `bin` that programs load code and data from: `~/.nvm/versions/node/v24/bin` needs its `lib`. */
const BESIDE_BIN = ["lib", "lib64", "libexec", "share", "include", "conf", "jmods", "pyvenv.cfg"];

/**
 * The folders that the programs of this folder need. The whole parent of a `bin` folder is never among them, because it can hold secrets: `~/.fly`
 * holds a token.
 */
function programFolders(folder: string, home: string): string[] {
  const whole = dirname(folder);
  const isWide = whole === home || whole === join(home, ".local") || !isInside(home, whole);
  if (basename(folder) !== "bin" || isWide) return [folder];
  return [folder, ...BESIDE_BIN.map((name) => join(whole, name))];
}

/** Cadre's own folders: the journal, the token, and the worktrees of other runs. */
const stateFolders = (
  { folder, stateFolder }: AccessRequest,
  workspace: string,
  git: GitFolders | undefined,
) => [
  stateFolder,
  ...[folder, workspace, ...(git ? [git.top, dirname(git.common)] : [])].map((place) =>
    join(place, ".cadre"),
  ),
];

async function existingPaths(access: ReadonlyMap<string, PathAccess["access"]>): Promise<PathAccess[]> {
  const found = new Map<string, PathAccess>();
  for (const [path, value] of access) {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || real === sep) continue;
    found.set(real, { path: real, access: value, isFolder: (await lstat(real)).isDirectory() });
  }
  const enclosingAccess = (path: string): PathAccess["access"] =>
    path === sep ? "read" : (found.get(path)?.access ?? enclosingAccess(dirname(path)));
  return [...found.values()].filter(
    ({ path, access: own }) => own === "write" || own !== enclosingAccess(dirname(path)),
  );
}
