// Rules that one approved call speaks for, from the narrowest to the widest that may be thought of. Never all of a tool but
// a server's, never what cannot be read exactly, and nothing for programs that may do anything or take nothing back.

import type { DeclaredFacts } from "../journal/tool-facts.ts";
import { textOf } from "./call.ts";
import { quoteArgv } from "./shell/argv-pattern.ts";
import { parseShell } from "./shell/parse-shell.ts";
import { mayRunCode } from "./shell/possible-commands.ts";

export interface Candidate {
  rule: string;
  /** What of the call it leaves open: of a wildcard, several must have been seen. */
  seen: string;
  isOpen: boolean;
}

export function candidateRules(tool: string, input: unknown, facts: DeclaredFacts | undefined): Candidate[] {
  const { target, server } = facts ?? {};
  const value = textOf(target && ((input ?? {}) as Record<string, unknown>)[target.field]);
  if (target?.kind === "command") return forCommand(tool, value);
  if (target?.kind === "path") return forPath(target.use === "changes" ? "Edit" : tool, value);
  const isOfServer = server !== undefined || (facts === undefined && tool.startsWith("mcp__"));
  return isOfServer ? [{ rule: tool, seen: "", isOpen: false }] : [];
}

const LONGEST_FIXED = 4;

function forCommand(tool: string, command: string): Candidate[] {
  const { grade, commands, redirects, texts } = parseShell(command);
  const [only, ...others] = commands;
  if (grade !== "exact" || !only || others.length + redirects.length + texts.length > 0) return [];
  const argv = only.argv as readonly string[];
  if (only.assigns || only.fed || mayRunCode(argv) || isWild(argv)) return [];
  const exact: Candidate = { rule: `${tool}(${quoteArgv(argv)})`, seen: "", isOpen: false };
  const fixed = Array.from({ length: Math.min(LONGEST_FIXED, argv.length) - 1 }, (_, at) => at + 2);
  const open = fixed.filter((length) => saysWhat(argv.slice(0, length)));
  return [
    exact,
    ...open.map((length) => ({
      rule: `${tool}(${quoteArgv(argv.slice(0, length))} *)`,
      seen: argv.slice(length).join("\0"),
      isOpen: true,
    })),
  ];
}

/** A program alone, or with a flag, does not say what is done. */
const saysWhat = (words: readonly string[]): boolean => !words.at(-1)!.startsWith("-");

/** They take nothing back, reach other machines, or do what their words say: each call is for a person. */
const PROGRAMS = new Set(
  `aws az chmod chown curl dd docker doas eval exec gcloud gh helm kill killall kubectl mkfs mysql nc pkill podman psql reboot
  rm rmdir rsync scp sftp shred shutdown source ssh su sudo systemctl telnet terraform truncate wget`.split(
    /\s+/,
  ),
);
const VERBS =
  /^(apply|clean|delete|deploy|destroy|drop|prune|publish|purge|push|release|remove|reset|rm|uninstall)$/i;

function isWild([program = "", ...words]: readonly string[]): boolean {
  return PROGRAMS.has(program.slice(program.lastIndexOf("/") + 1)) || words.some((word) => VERBS.test(word));
}

function forPath(name: string, written: string): Candidate[] {
  const path = written.replace(/^\.\//, "");
  if (path === "" || path !== path.trim() || /^\/|(^|\/)\.\.?(\/|$)|[\\*?[\]{}()!]/.test(path)) return [];
  const folders = path.split("/").slice(0, -1);
  const [, ending] = /[^/](\.[\w-]+)$/.exec(path) ?? [];
  const wide = folders.flatMap((_, at) => {
    const folder = folders.slice(0, at + 1).join("/");
    return [...(ending === undefined ? [] : [`${folder}/**/*${ending}`]), `${folder}/**`];
  });
  return [
    { rule: `${name}(${path})`, seen: "", isOpen: false },
    ...wide.map((pattern) => ({ rule: `${name}(${pattern})`, seen: path, isOpen: true })),
  ];
}
