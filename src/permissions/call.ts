// Splits a call into the units that permission rules judge. Most calls are a single unit.
// A shell command has one unit for each simple command, each file that a redirection opens, and each text that might be executed.
// Everything in a command that the parser cannot understand forms one more unit.
// A call is allowed if every unit is allowed, and denied if any unit is denied.

import { relative } from "node:path";
import { lengthProblem, type NamedTool, type ToolTarget, targetText } from "../journal/tool-facts.ts";
import { holdsKeys } from "../key-files.ts";
import type { CheckDeadline } from "./deadline.ts";
import {
  type InspectedPath,
  type InspectPath,
  type NamedPath,
  type PathNames,
  pathNames,
  type WorkspaceView,
} from "./path-names.ts";
import type { PermissionRequest } from "./permission.ts";
import { isCadreState, isProtectedPath } from "./protected-files.ts";
import { isInside, isReadOnlyCommand } from "./shell/judge-shell.ts";
import {
  type Folders,
  type MentionedPaths,
  mentionedPaths,
  possibleFolders,
} from "./shell/mentioned-paths.ts";
import {
  type ParsedShell,
  parseShell,
  type ShellCommand,
  type ShellRedirect,
  type ShellWord,
} from "./shell/parse-shell.ts";
import { mayRunCode, type PossibleCommands, possibleCommands } from "./shell/possible-commands.ts";
import { filesShown, rewritesText, shownContent, showsPieces } from "./shell/shown-content.ts";
import { isWrapper } from "./shell/wrappers.ts";

export interface CommandUnit {
  kind: "command";
  protected?: string | undefined;
  command: ShellCommand;
  exact: boolean;
  /** True if an earlier command might have changed the folder. In that case the paths in this command might mean other files. */
  elsewhere: boolean;
  readOnly: boolean;
  /** The commands that might run. They are computed only when a rule needs them. */
  reach(): PossibleCommands;
  named(): MentionedPaths;
}

export type Unit = {
  protected?: string | undefined;
} /** `hostname` is the host that the call contacts, if its target is an address. Empty if the address cannot be parsed. */ & (
  | { kind: "plain"; strings: readonly string[]; hostname?: string }
  | { kind: "path"; change: boolean; places: PathNames }
  | CommandUnit
  /** Paths that a redirection might open. If `unknown` is true, the redirection might open another path, known only at run time. */
  | { kind: "redirect"; change: boolean; readOnly: boolean; places: readonly PathNames[]; unknown: boolean }
  | { kind: "text"; reach(): PossibleCommands; named(): MentionedPaths }
  /** Text that could not be judged. If `unseen` is true, nothing at all is known about it, so every pattern of an ask or deny rule might match. */
  | { kind: "unread"; broken: boolean; why: string; unseen?: boolean }
);

export interface Call {
  tool: NamedTool;
  units: readonly Unit[];
  /** Throws if judging has taken too long. */
  checkDeadline: CheckDeadline;
}

export function describeCall(
  request: Pick<PermissionRequest, "tool" | "input"> & WorkspaceView,
  target: ToolTarget | undefined,
  checkDeadline: CheckDeadline,
): Call {
  const call = { tool: { name: request.tool, target }, checkDeadline };
  const workplace = {
    ...request,
    inspectPath: request.inspectPath && inTime(request.inspectPath, checkDeadline),
  };
  const written = targetText(target, request.input);
  if (target?.kind === "command") {
    const units = shellUnits(parseShell(written), workplace);
    return { ...call, units: target.typed ? typedUnits(units) : units };
  }
  const tooLong = target && lengthProblem(target, written);
  if (tooLong !== undefined) return { ...call, units: [unseenUnit(tooLong)] };
  if (target?.kind === "path") return { ...call, units: [pathUnit(written || ".", target.use, workplace)] };
  const strings = Object.values(request.input ?? {}).filter((value) => typeof value === "string");
  const address = target?.kind === "url" ? { hostname: URL.parse(written)?.hostname ?? "" } : {};
  return { ...call, units: [{ kind: "plain", strings, ...address }] };
}

/** The unit for an unknown call, because judging it would take too long. */
export const unseenUnit = (why: string): Unit => ({ kind: "unread", broken: true, why, unseen: true });

const inTime =
  (inspect: InspectPath, checkDeadline: CheckDeadline): InspectPath =>
  (path) => {
    checkDeadline();
    return inspect(path);
  };

/** Text that is typed into a running program. Ask and deny rules treat it as a command. It is never read-only. */
const typedUnits = (units: readonly Unit[]): Unit[] => [
  ...units.map((unit): Unit => (unit.kind === "command" ? { ...unit, exact: false, readOnly: false } : unit)),
  { kind: "unread", broken: false, why: "it is typed into a running program" },
];

function pathUnit(path: string, use: PathUse, workspace: WorkspaceView): Unit {
  const names = pathNames(path, workspace);
  const change = use === "changes";
  const kept = change ? protectedAmong([names], workspace) : use === "reads" ? ownAmong([names]) : undefined;
  return { kind: "path", change, places: names, protected: kept };
}

type PathUse = Extract<ToolTarget, { kind: "path" }>["use"];

function shellUnits(parsed: ParsedShell, given: WorkspaceView): Unit[] {
  const broken = parsed.grade === "broken";
  // The paths of an unreadable command are not inspected. The command needs approval anyway, and might mention very many paths.
  const inspectPath = broken ? undefined : given.inspectPath && inspectOnce(given.inspectPath);
  const workplace = { ...given, inspectPath };
  const exact = parsed.grade === "exact";
  const reaches = once(() => parsed.commands.map(possibleCommands));
  const folders = once(() => possibleFolders(reaches(), workplace.workspace));
  const leavesAt = parsed.commands.findIndex(({ argv }) => mayGoElsewhere(argv[0]));
  const stays = leavesAt < 0;
  const rewriters = parsed.commands.map(
    ({ argv }, index) =>
      () =>
        rewritersIn(argv, () => reaches()[index]!),
  );
  const inPieces =
    parsed.commands.some(({ argv }) => showsPieces(argv)) || rewriters.some((find) => find().length > 0);
  const commands = parsed.commands.map((command, index): CommandUnit => {
    const onlyReads =
      exact && stays && !command.assigns && isReadOnlyCommand(command.argv, workplace).readOnly;
    const keys = (onlyReads ? [command] : rewriters[index]!().map((argv) => ({ ...command, argv })))
      .map(
        (one) =>
          keyFileRead(one, workplace) ?? (inPieces ? keysInPieces(one, folders, workplace) : undefined),
      )
      .find((found) => found !== undefined);
    const readOnly = onlyReads && keys === undefined;
    const reach = () => reaches()[index]!;
    const named = once(() => mentionedPaths(reach(), folders(), workplace));
    const kept = keys ?? (readOnly ? undefined : protectedIn(named(), workplace));
    const elsewhere = !stays && index > leavesAt;
    return { kind: "command", command, exact, elsewhere, readOnly, reach, named, protected: kept };
  });
  const here: Folders = { known: [workplace.workspace], unknown: false };
  // A read-only command is also allowed to read a file through `<`.
  const harmless = commands.every((unit) => unit.readOnly);
  const redirects = parsed.redirects.map((redirect) =>
    redirectUnit(redirect, { harmless, inPieces, folders: stays ? here : folders() }, workplace),
  );
  const runsCode = once(() => parsed.commands.some(({ argv }) => mayRunCode(argv)));
  const texts = parsed.texts.flatMap(({ text, isInput }) =>
    isInput && !runsCode() ? [] : [textUnit(text, folders, workplace)],
  );
  const unseen = parsed.isUnread ?? false;
  const rest: Unit[] = exact ? [] : [{ kind: "unread", broken, why: parsed.why, unseen }];
  return [...commands, ...redirects, ...texts, ...rest];
}

/** True if the program is a shell builtin that can change the current folder. */
const mayGoElsewhere = (program: ShellWord): boolean =>
  program === undefined || /^(cd|pushd|popd|eval|source|\.|command|builtin|trap)$/.test(program);

/** The unit for a redirection. Inside the workspace, `< file` is like `cat file`. All other operators, such as `<>`, might change the file. */
function redirectUnit(
  { operator, target }: ShellRedirect,
  { harmless, inPieces, folders }: { harmless: boolean; inPieces: boolean; folders: Folders },
  workplace: WorkspaceView,
): Unit {
  const change = operator !== "<";
  const reach = { argvs: [], redirects: [{ operator, target }], code: [] };
  const { certain: places, unknown } = mentionedPaths(reach, folders, workplace);
  const isHere = folders.known.length === 1 && !unknown;
  const keys = change
    ? undefined
    : (keysAmong(places) ?? (inPieces ? secretIn(absolutesOf(places), false, workplace) : undefined));
  return {
    kind: "redirect",
    change,
    readOnly: harmless && !change && isHere && isInside(target!, workplace) && keys === undefined,
    places,
    unknown,
    protected: change ? protectedAmong(places, workplace) : (ownAmong(places) ?? keys),
  };
}

/** The first file with keys that a read-only command shows. The mask does not recognise a part of a key, and a command can print any part. */
function keyFileRead({ argv }: ShellCommand, workplace: WorkspaceView): string | undefined {
  const reach = { argvs: [["cat", ...filesShown(argv)]], redirects: [], code: [] };
  return keysAmong(
    mentionedPaths(reach, { known: [workplace.workspace], unknown: false }, workplace).certain,
  );
}

/** The commands among those that a command might run which rewrite or send texts: `timeout 5 base64 x`, `sh -c "sed p x"`. */
function rewritersIn(
  argv: readonly ShellWord[],
  reach: () => PossibleCommands,
): readonly (readonly ShellWord[])[] {
  if (rewritesText(argv[0])) return [argv];
  const program = argv[0] ?? "";
  const mayRunOthers = isWrapper(program) || /(^|\/)(sh|bash|dash|zsh|ksh|busybox|find|xargs)$/.test(program);
  return mayRunOthers ? reach().argvs.filter(([name]) => rewritesText(name)) : [];
}

/** The first file with keys, or with a known secret, of which a command shows pieces. */
function keysInPieces(
  command: ShellCommand,
  folders: () => Folders,
  workplace: WorkspaceView,
): string | undefined {
  const below = keyFileBelow(command, workplace);
  if (below !== undefined) return below;
  const { scope, skipsHidden = false } = shownContent(command.argv);
  const files = filesShown(command.argv);
  if (scope === "none" && files.length === 0) return undefined;
  const reach = { argvs: [["cat", ...files]], redirects: [], code: [] };
  const named = absolutesOf(mentionedPaths(reach, folders(), workplace).certain);
  return secretIn(scope === "workspace" ? [workplace.workspace] : named, skipsHidden, workplace);
}

const absolutesOf = (named: readonly PathNames[]): string[] => [
  ...new Set(placesOf(named).map(({ absolute }) => absolute)),
];

function secretIn(
  paths: readonly string[],
  skipsHidden: boolean,
  { workspace, findSecretIn }: WorkspaceView,
): string | undefined {
  const found = paths.length > 0 ? findSecretIn?.(paths, skipsHidden) : undefined;
  return found && `${relative(workspace, found) || found}, which holds a known secret`;
}

/** The first file with secrets in the folders whose files the command prints. Secrets in whole lines are masked, so this matters only if the call prints parts of lines. */
function keyFileBelow({ argv }: ShellCommand, workplace: WorkspaceView): string | undefined {
  const { scope, skipsHidden } = shownContent(argv);
  if (scope === "none") return undefined;
  const reach = { argvs: [["cat", ...filesShown(argv)]], redirects: [], code: [] };
  const named = mentionedPaths(reach, { known: [workplace.workspace], unknown: false }, workplace).certain;
  const roots = scope === "workspace" ? [workplace.workspace] : named.flat().map(({ absolute }) => absolute);
  const isBelow = (file: string): boolean =>
    roots.some((root) => {
      const inside = relative(root, file);
      return !/^\.\.(\/|$)/.test(inside) && !(skipsHidden && /(^|\/)\./.test(inside));
    });
  const found = workplace.findKeyFiles?.(workplace.workspace).find(isBelow);
  return found && relative(workplace.workspace, found);
}

const keysAmong = (named: readonly PathNames[]): string | undefined =>
  pathsOf(named).find((path) => holdsKeys(path));

/** The unit for a text that is piped into a shell or assigned to a variable. It might be a script or the name of a program. */
function textUnit(text: string, folders: () => Folders, workplace: WorkspaceView): Unit {
  const script = possibleCommands({ argv: ["eval", text], assigns: false, fed: false });
  const reach = { ...script, code: [...script.code, text] };
  const named = mentionedPaths(reach, folders(), workplace);
  const kept = protectedIn(named, workplace);
  return { kind: "text", reach: () => reach, named: () => named, protected: kept };
}

const protectedIn = (
  { certain, possible, cut }: MentionedPaths,
  workspace: WorkspaceView,
): string | undefined =>
  protectedAmong([...certain, ...possible], workspace) ??
  (cut ? "files, perhaps, among very many" : undefined);

const protectedAmong = (named: readonly PathNames[], { isNamed }: WorkspaceView): string | undefined =>
  placesOf(named).find(({ path, absolute }) => isProtectedPath(path) || isNamed?.(path, absolute))?.path;

const ownAmong = (named: readonly PathNames[]): string | undefined =>
  pathsOf(named).find((path) => isCadreState(path));

const placesOf = (named: readonly PathNames[]): NamedPath[] =>
  named.flat().flatMap((place) => (place.real ? [place, place.real] : [place]));

const pathsOf = (named: readonly PathNames[]): string[] => placesOf(named).map(({ path }) => path);

/** Caches lookups, because the same paths occur many times in one call. */
function inspectOnce(inspect: InspectPath): InspectPath {
  const seen = new Map<string, InspectedPath>();
  return (path) => {
    const found = seen.get(path) ?? inspect(path);
    seen.set(path, found);
    return found;
  };
}

function once<T>(compute: () => T): () => T {
  let done: { value: T } | undefined;
  return () => {
    done ??= { value: compute() };
    return done.value;
  };
}

export const isReadOnlyUnit = (unit: Unit): boolean =>
  (unit.kind === "command" || unit.kind === "redirect") && unit.readOnly;
