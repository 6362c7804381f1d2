// Matches the pattern of a rule such as `Edit(src/**)` or `Read(.env)` against the paths of a call.
//  - An allow rule must cover the path itself and the target of its links.
//  - An ask or deny rule covers a path by any of its names: copies, links, words of a shell command, and equivalent spellings.
//    The answer is "maybe" if a command might reach the path through a parent folder, or by a word that is known only at run time.

import { compileGlob, type GlobOptions } from "../glob-pattern.ts";
import { foldPath } from "../key-files.ts";
import type { CommandUnit, Unit } from "./call.ts";
import type { NamedPath, PathNames } from "./path-names.ts";
import type { Match } from "./shell/argv-pattern.ts";
import { knowsOptions, type ShownContent, shownContent, walkedContent } from "./shell/shown-content.ts";

export interface PathRule {
  exact: boolean;
  /** Number of literal characters in the pattern. */
  weight: number;
  matches(unit: Unit): Match;
}

export interface PathRuleOptions {
  pattern: string;
  reading: "strict" | "wide";
  /** Whether the rule is about changing the path, as in `Write(x)`, or about reading it, as in `Read(x)`. */
  speaksOf: "change" | "read";
}

export function pathRule({ pattern, reading, speaksOf }: PathRuleOptions): PathRule {
  const clean = pattern.replace(/^\.\//, "");
  const exact = !/(?<!\\)[*?[{(]|^!/.test(clean);
  const base = { exact, weight: clean.replace(/[*?]/g, "").length };
  if (reading === "strict") return { ...base, matches: strictMatcher(clean, exact, speaksOf) };
  return { ...base, matches: wideMatcher(clean, exact, speaksOf) };
}

function strictMatcher(pattern: string, exact: boolean, speaksOf: "change" | "read"): (unit: Unit) => Match {
  const literal = pattern.replace(/\\(.)/g, "$1");
  const test = exact ? (path: string) => path === literal : globTest(pattern);
  const isCovered = ({ path, absolute }: NamedPath): boolean => {
    if (pattern.startsWith("/")) return test(absolute);
    // A wildcard matches nothing above the workspace: `**` means everything in the workspace.
    return !/^\.\.(\/|$)/.test(path) && test(path);
  };
  const covers = ([own]: PathNames): boolean => isCovered(own) && (!own.real || isCovered(own.real));
  return (unit) => {
    if (unit.protected !== undefined && !exact) return "no";
    if (unit.kind === "path") return covers(unit.places) ? "yes" : "no";
    if (unit.kind !== "redirect" || unit.unknown || unit.change !== (speaksOf === "change")) return "no";
    return unit.places.length > 0 && unit.places.every(covers) ? "yes" : "no";
  };
}

function wideMatcher(pattern: string, exact: boolean, speaksOf: "change" | "read"): (unit: Unit) => Match {
  const test = exact ? literalPath(pattern.replace(/\\(.)/g, "$1")) : widePattern(pattern);
  const isTouched = (place: NamedPath): boolean =>
    test(pattern.startsWith("/") ? place.absolute : place.path) ||
    (place.real !== undefined && isTouched(place.real));
  const touches = (places: PathNames): boolean => places.some(isTouched);
  const mayHold = folderAbove(pattern);
  return (unit) => {
    if (unit.kind === "path") return touches(unit.places) ? "yes" : "no";
    if (unit.kind === "redirect") {
      if (!unit.change && speaksOf === "change") return "no";
      return unit.places.some(touches) ? "yes" : unit.unknown ? "maybe" : "no";
    }
    if (unit.kind === "text")
      return [...unit.named().certain, ...unit.named().possible].some(touches) ? "maybe" : "no";
    if (unit.kind !== "command" || cannotDo(speaksOf, unit)) return "no";
    const { certain, possible, unknown } = unit.named();
    if (certain.some(touches)) return "yes";
    if (unknown || possible.some(touches)) return "maybe";
    if (namesOnly(unit)) return "no";
    const { argvs, shortened } = unit.reach();
    const shown = argvs
      .filter((argv) => speaksOf === "change" || !(shortened?.has(argv) && knowsOptions(argv)))
      .map(speaksOf === "read" ? shownContent : walkedContent)
      .filter(({ scope }) => scope !== "none");
    const isHidden = /^(\*\*\/)?\.[^./]/.test(pattern);
    const reaches = (roots: readonly PathNames[], goesDown: "deep" | "shallow"): boolean =>
      roots.some((places) => places.some((place) => mayHold(place, goesDown)));
    const isShown = ({ scope, skipsHidden }: ShownContent): boolean =>
      !(isHidden && skipsHidden && !certain.flat().some(({ path }) => /(^|\/)\.[^./]/.test(path))) &&
      reaches(scope === "workspace" ? [WORKSPACE, ...certain] : certain, "deep");
    return shown.some(isShown) || reaches(certain, "shallow") ? "maybe" : "no";
  };
}

const WORKSPACE: PathNames = [{ path: "", absolute: "" }];

function widePattern(pattern: string): (path: string) => boolean {
  const test = globTest(pattern, { ignoreCase: true });
  const folded = globTest(pattern.normalize("NFKC"), { ignoreCase: true });
  return (path) => test(path) || folded(foldPath(path));
}

/** The caller has checked the pattern with `ruleGlobProblem`, so every pattern can be compiled. */
function globTest(pattern: string, options: GlobOptions = {}): (path: string) => boolean {
  const glob = compileGlob(pattern, { ...options, isRule: true });
  return glob.ok ? glob.matches : () => false;
}

/** Matches a literal path. A rule for a folder also covers everything in it. */
function literalPath(literal: string): (path: string) => boolean {
  const folder = foldPath(literal.replace(/\/$/, ""));
  return (path) => {
    const folded = foldPath(path);
    return folded === folder || folded.startsWith(`${folder}/`);
  };
}

/** True if a folder might contain files that the pattern matches. */
function folderAbove(pattern: string): (place: NamedPath, goesDown: "deep" | "shallow") => boolean {
  const fixed = pattern.split("/");
  const wild = fixed.findIndex((part) => /[*?[{(!]/.test(part));
  const top = foldPath((wild < 0 ? fixed : fixed.slice(0, wild)).join("/"));
  return ({ path, absolute }, goesDown) => {
    if (pattern.startsWith("/")) return `${top}/`.startsWith(`${foldPath(absolute).replace(/\/$/, "")}/`);
    if (path === "" || /^(\.\.\/)*\.\.$/.test(path)) return true;
    return top === "" ? goesDown === "deep" : `${top}/`.startsWith(`${foldPath(path)}/`);
  };
}

/** True if the rule does not concern the command, because the command never changes files, or uses its words only as text. */
function cannotDo(speaksOf: "change" | "read", { readOnly, command, reach }: CommandUnit): boolean {
  if (speaksOf === "change" && readOnly) return true;
  if (command.assigns || reach().argvs.some(([name]) => name === undefined)) return false;
  const [program = "", verb = ""] = command.argv;
  if (TEXT_ONLY.has(program)) return true;
  return speaksOf === "change" && (NEVER_CHANGES.has(program) || (program === "git" && RECORDS.has(verb)));
}

const TEXT_ONLY = new Set("echo true false basename dirname tr which type".split(" "));
const NEVER_CHANGES = new Set(
  "cat head tail wc nl ls stat cut grep cmp readlink realpath pwd id uname whoami test [".split(" "),
);

/** Subcommands of git that store files in the repository without changing them. */
const RECORDS = new Set(["add", "commit"]);

/** True if the command shows only the names of files, never their content. */
const namesOnly = ({ command: { argv }, readOnly }: CommandUnit): boolean =>
  /^(ls|stat|du|cd|pushd|pwd|realpath|readlink|mkdir|test|\[)$/.test(argv[0] ?? "") ||
  (readOnly && (argv[0] === "find" || (argv[0] === "git" && shownContent(argv).scope === "none")));
