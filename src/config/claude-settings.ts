// Reads Claude Code's settings: `.claude/settings.json` and `settings.local.json` of the project, the user's own file, and the
// files that an administrator manages for the whole machine.
// Other files decide which settings Cadre uses, and which of them need a trusted folder.
// A file that cannot be read causes an error, because otherwise its deny rules would be lost.

import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { CadreError, describeSystemError, messageOf } from "../errors.ts";
import { readPlainFile } from "./plain-file.ts";
import { type Problem, problemText } from "./problem.ts";
import type { Env } from "./trust.ts";
import { type IgnoredSetting, ignoredSetting } from "./untrusted.ts";
import { type Data, type Path, readYaml } from "./yaml.ts";

export interface ClaudeSettings {
  /** Name of the file in messages: `.claude/settings.json`, `~/.claude/settings.json` for the user's own, or an absolute path. */
  file: string;
  /** The managed files and the user's own file are always trusted. A project's file is trusted if its folder is. */
  scope: "managed" | "user" | "project";
  /** All settings, as the file spells them. */
  data: Readonly<Record<string, Data>>;
  /** Position of a setting in the file. */
  at(path: Path, part?: "key" | "value"): { line: number; column: number };
}

/** The folder with the settings of an administrator. Claude Code reads the same folder. */
const MANAGED =
  {
    darwin: "/Library/Application Support/ClaudeCode",
    win32: "C:\\Program Files\\ClaudeCode",
  }[process.platform as string] ?? "/etc/claude-code";

/** Returns the settings files that exist: managed ones, the user's, the project's, and the project's local one. Throws CONFIG_INVALID for a broken file. */
export function readClaudeSettings(folder: string, env: Env, managed = MANAGED): ClaudeSettings[] {
  const home = env["CLAUDE_CONFIG_DIR"] || (env["HOME"] && join(env["HOME"], ".claude"));
  const own =
    home === undefined
      ? []
      : [{ path: join(home, "settings.json"), file: "~/.claude/settings.json", scope: "user" as const }];
  const projects = ["settings.json", "settings.local.json"].map((name) => ({
    path: join(folder, ".claude", name),
    file: `.claude/${name}`,
    scope: "project" as const,
  }));
  // If the home folder is the project, its file is read once, as the project's.
  const paths = new Set(projects.map(({ path }) => path));
  const others = own.filter(({ path }) => !paths.has(path));
  return [...managedPlaces(managed), ...others, ...projects].flatMap(readSettings);
}

function managedPlaces(folder: string): Place[] {
  const more = join(folder, "managed-settings.d");
  const paths = [join(folder, "managed-settings.json"), ...jsonFilesIn(more).map((name) => join(more, name))];
  return paths.map((path) => ({ path, file: path, scope: "managed" }));
}

function jsonFilesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json") && !name.startsWith("."))
      .sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw broken({ ...problemAt(folder, 1, 1), message: `cannot be read: ${describeSystemError(error)}` });
  }
}

/** Servers of `.mcp.json` that Claude Code must not start. */
export function disabledServers(settings: readonly ClaudeSettings[]): ReadonlySet<string> {
  const names = settings.flatMap(({ data }) => data["disabledMcpjsonServers"] ?? []);
  return new Set(names.filter((name) => typeof name === "string"));
}

/** Settings that need a trusted folder: allow rules, and the mode `acceptEdits`. Hooks are reported in `hooks.ts`. */
export function untrustedClaudeSettings(settings: readonly ClaudeSettings[]): IgnoredSetting[] {
  return settings
    .filter(({ scope }) => scope === "project")
    .flatMap(({ file, data, at }) => {
      const written = data["permissions"];
      const { allow, defaultMode } =
        typeof written === "object" && written !== null && !Array.isArray(written) ? written : {};
      const ignore = (key: string, what: string) =>
        ignoredSetting(["permissions", key], what, { file, ...at(["permissions", key], "key") });
      return [
        ...(Array.isArray(allow) && allow.length > 0 ? [ignore("allow", "allow rules")] : []),
        ...(defaultMode === "acceptEdits" ? [ignore("defaultMode", "a mode that allows more")] : []),
      ];
    });
}

const MAX_BYTES = 256_000;
const MAX_LEXEMES = 40_000;

interface Place {
  path: string;
  file: string;
  scope: ClaudeSettings["scope"];
}

function readSettings({ path, file, scope }: Place): ClaudeSettings[] {
  const text = readText(path, file);
  if (text === undefined || text.trim() === "") return [];
  checkJson(text, file);
  const { data, problems, at } = readYaml(text, file, { maxLexemes: MAX_LEXEMES });
  if (problems[0]) throw broken(problems[0]);
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw broken({ ...problemAt(file, 1, 1), message: "must be a JSON object" });
  return [{ file, scope, data, at }];
}

/** Reads a settings file. Undefined if the file does not exist. */
function readText(path: string, file: string): string | undefined {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
    // A link without an existing target is treated as a missing file.
    if (!statSync(path, { throwIfNoEntry: false })) return undefined;
    return readPlainFile(path, MAX_BYTES).replace(/^\uFEFF/, "");
  } catch (error) {
    throw broken({ ...problemAt(file, 1, 1), message: `cannot be read: ${describeSystemError(error)}` });
  }
}

/** Checks that the text is JSON. The YAML reader would accept a comment as a part of the next key, and that key would be lost. */
function checkJson(text: string, file: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const [, line = "1", column = "1"] = /\(line (\d+) column (\d+)\)/.exec(messageOf(error)) ?? [];
    const why = messageOf(error).replace(/ (in JSON )?at position.*$/s, "");
    throw broken({ ...problemAt(file, Number(line), Number(column)), message: `is no valid JSON: ${why}` });
  }
}

const problemAt = (file: string, line: number, column: number) =>
  ({ file, line, column, code: "BAD_CLAUDE_SETTINGS", severity: "error" }) as const;

/** The rules of a broken file are unknown. Nothing runs until the file is fixed. */
const broken = (problem: Problem): CadreError =>
  new CadreError(
    "CONFIG_INVALID",
    `${problemText(problem)}. Its deny rules would be lost, so nothing was started: fix the file, or remove it.`,
    { problems: [problem] },
  );
