// Runs git for Cadre itself: without a shell, hooks, signatures, transports or prompts, with a time limit. Unless a caller names a person, Cadre is the author.
//  - Nothing that a repository contains starts a program: `repository-settings.ts` decides which of its settings git may use (A30).
//    The settings are read before every call. If they cannot be read, git is not run.
//  - If another process holds a lock, git is retried for a while. If git fails, `tryGit` returns the failure and `git` throws it.

import { spawn, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { CadreError, messageOf } from "../../errors.ts";
import { cleanEnvironment, type GitSetting, gitSettingVariables } from "../shell/clean-environment.ts";
import { FIXED_SETTINGS, NO_TRANSPORT, overridesOf, type RepositorySetting } from "./repository-settings.ts";

export const GIT_TIME_LIMIT = 120_000;
const MAX_OUTPUT = 256 * 1024 * 1024;
/** The pause doubles after each try. All pauses together last three seconds. */
const FIRST_PAUSE = 50;
const LAST_PAUSE = 1_600;

export interface GitLocation {
  /** This folder is removed from PATH, so that no program in it can pretend to be git. */
  folder: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Time limit in milliseconds. The default is two minutes. */
  timeout?: number;
  /** git writes its entry in /proc to this file before it starts, so that another process can tell whether git is still alive. */
  pidFile?: string | undefined;
}

export interface GitAnswer {
  ok: boolean;
  /** The exit code, or -1 if git could not be started or was stopped. */
  code: number;
  output: string;
  complaint: string;
}

/** Runs git in a folder, on the repository that contains the folder. */
export const inFolder = (folder: string): GitLocation => ({ folder, args: ["-C", folder] });

/** Returns the output without its last line break. Throws an error with git's message if git fails. */
export async function git(at: GitLocation, args: readonly string[], input = ""): Promise<string> {
  const said = await tryGit(at, args, input);
  if (!said.ok) throw gitError(args[0]!, said);
  return said.output.replace(/\n$/, "");
}

export async function gitList(at: GitLocation, args: readonly string[]): Promise<string[]> {
  return (await git(at, args)).split("\0").filter((entry) => entry !== "");
}

export async function tryGit(at: GitLocation, args: readonly string[], input = ""): Promise<GitAnswer> {
  const settings = await readRepositorySettings(at);
  if (!Array.isArray(settings)) return settings;
  const env = hardenedEnvironment(overridesOf(settings));
  for (let next = FIRST_PAUSE; ; next *= 2) {
    const answer = await runOnce({ ...at, env: { ...at.env, ...env } }, args, input);
    if (answer.ok || next > LAST_PAUSE || !isLocked(answer)) return answer;
    await pause(next);
  }
}

/** Environment in which git starts no program that a repository names. The settings in `more` are added to the fixed settings. */
export const hardenedEnvironment = (more: readonly GitSetting[]): NodeJS.ProcessEnv => ({
  ...gitSettingVariables([...more, ...FIXED_SETTINGS]),
  ...NO_TRANSPORT,
});

/** Settings from the repository's configuration and the files it includes, without the settings of the user and the system. */
export async function readRepositorySettings(at: GitLocation): Promise<RepositorySetting[] | GitAnswer> {
  // Without arguments, git does not look for a repository.
  if (at.args.length === 0) return [];
  const listing = ["config", "--list", "--show-scope", "-z"];
  const said = await runOnce(
    { ...at, pidFile: undefined, env: { ...at.env, ...hardenedEnvironment([]) } },
    listing,
    "",
  );
  return said.ok ? ownSettingsIn(said.output) : said;
}

/** Settings of the repository itself, from the output of `git config --list --show-scope -z`. */
function ownSettingsIn(output: string): RepositorySetting[] {
  const words = output.split("\0");
  const found: RepositorySetting[] = [];
  for (let i = 0; i + 1 < words.length; i += 2)
    if (words[i] === "local" || words[i] === "worktree") found.push(settingIn(words[i + 1]!));
  return found;
}

function settingIn(text: string): RepositorySetting {
  const end = text.indexOf("\n");
  // A key without `=` is true.
  return end < 0 ? { key: text, value: "true" } : { key: text.slice(0, end), value: text.slice(end + 1) };
}

/** Synchronous `readRepositorySettings`, for judging a command. Undefined if git cannot read them. `gitFolder` is the folder that git must find. */
export function readRepositorySettingsNow(
  folder: string,
  gitFolder: string,
): RepositorySetting[] | undefined {
  const output = gitNow(folder, ["--git-dir", gitFolder, "config", "--list", "--show-scope", "-z"]);
  return output === undefined ? undefined : ownSettingsIn(output);
}

/** The settings of one file, without those that it includes. */
export function readFileSettingsNow(file: string): RepositorySetting[] | undefined {
  const output = gitNow(dirname(file), ["config", "--file", file, "--list", "-z"]);
  return output?.split("\0").flatMap((text) => (text === "" ? [] : [settingIn(text)]));
}

/** Time limits of the two attempts. On a machine under load, git can need more than the first one. */
const NOW_MS = [2_000, 8_000];

function gitNow(folder: string, args: readonly string[]): string | undefined {
  const { CADRE_RUN_ID: _, ...env } = cleanEnvironment(folder, "");
  for (const timeout of NOW_MS) {
    const { status, stdout } = spawnSync("git", args, {
      cwd: "/",
      env: { ...env, ...hardenedEnvironment([]), LC_ALL: "C" },
      timeout,
      encoding: "utf8",
      maxBuffer: 10_000_000,
    });
    if (status === 0) return stdout;
    if (status !== null) return undefined;
  }
  return undefined;
}

/** The commit that a name refers to. Undefined if there is no such commit. */
export async function commitAt(at: GitLocation, name: string): Promise<string | undefined> {
  const said = await tryGit(at, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
  if (!said.ok && said.code !== 1) throw gitError("rev-parse", said);
  return said.ok ? said.output.trim() : undefined;
}

/** True if `commit` is `other` or an ancestor of `other`. */
export async function isAncestor(at: GitLocation, commit: string, other: string): Promise<boolean> {
  const said = await tryGit(at, ["merge-base", "--is-ancestor", commit, other]);
  if (!said.ok && said.code !== 1) throw gitError("merge-base", said);
  return said.ok;
}

export const gitError = (command: string, { complaint }: GitAnswer): CadreError =>
  new CadreError("UNPROCESSABLE", `git ${command} failed: ${complaint}`);

const isLocked = ({ complaint }: GitAnswer): boolean =>
  /Unable to create '.*\.lock': File exists/.test(complaint);

/** Settings that change what git writes or prints. */
const OUTPUT_SETTINGS = ["core.safecrlf=false", "core.quotePath=false"].flatMap((setting) => ["-c", setting]);

/** Cadre's own name in commits. */
export const CADRE = { name: "Cadre", email: "cadre@localhost" };

const AUTHOR = {
  GIT_AUTHOR_NAME: CADRE.name,
  GIT_AUTHOR_EMAIL: CADRE.email,
  GIT_COMMITTER_NAME: CADRE.name,
  GIT_COMMITTER_EMAIL: CADRE.email,
};

/** `exec` keeps the process id, so the entry describes git. If the system has no /proc, the file contains only the process id. */
const WRITE_PID = `{ read -r line </proc/$$/stat || line=$$; } 2>/dev/null; printf '%s\\n' "$line" >"$0" && exec "$@"`;

function runOnce(at: GitLocation, args: readonly string[], input: string): Promise<GitAnswer> {
  const { CADRE_RUN_ID: _, ...env } = cleanEnvironment(at.folder, "");
  const argv = ["git", ...at.args, ...OUTPUT_SETTINGS, ...args];
  const [program = "", ...rest] =
    at.pidFile === undefined ? argv : ["/bin/sh", "-c", WRITE_PID, at.pidFile, ...argv];
  const child = spawn(program, rest, {
    // git itself changes to the folder (`-C`). So Cadre can distinguish a missing folder from a missing git program.
    cwd: "/",
    // Cadre parses some of git's messages, so they must not be translated.
    env: { ...env, ...AUTHOR, ...at.env, LC_ALL: "C" },
    // Ctrl-C must not reach git: if git stopped halfway, the folder would contain a mixture of old and new files.
    detached: true,
    timeout: at.timeout ?? GIT_TIME_LIMIT,
  });
  return new Promise((done) => {
    const fail = (complaint: string) => done({ ok: false, code: -1, output: "", complaint });
    child.once("error", (error) => fail(messageOf(error)));
    // If the system has no free descriptors or processes, Node returns a child without streams and emits the error later.
    if (!child.stdout) return;
    const output = gather(child.stdout, MAX_OUTPUT, () => child.kill());
    const words = gather(child.stderr, MAX_OUTPUT, () => child.kill());
    child.once("close", (code) => {
      if (code === null)
        return fail(`stopped: more than ${(at.timeout ?? GIT_TIME_LIMIT) / 1000} s, or too much output`);
      const complaint = code === 0 ? "" : words().trim().slice(0, 2_000) || `it ended with ${code}`;
      done({ ok: code === 0, code, output: output(), complaint });
    });
    // git might have exited before it read its input. Its output says why.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function gather(stream: Readable, most: number, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > most) onTooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString();
}
