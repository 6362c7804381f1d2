// The agents as they are on disk now, for as long as a process runs. A file that was good and is broken now keeps its
// agents as they were, and says so: half an edit stops no work. Repaired, the new version is live.

import { hasErrors, type Problem } from "../config/problem.ts";
import { agentId } from "../journal/agent-id.ts";
import type { AgentEnvironment } from "./agent.ts";
import { packOf } from "./compile/names.ts";
import { namedAgents } from "./compile/references.ts";
import type { Draft, DraftFile } from "./files/draft.ts";
import { type AgentFolders, agentsStamp } from "./files/folders.ts";
import { type OwnFiles, readOwnFiles } from "./files/read.ts";
import { type AgentSet, assembleAgents } from "./load.ts";

/**
 * Looked at once for all who ask in the same moment, and read again only if a file has changed. Whoever needs one agent
 * says its name: the set may then be without the built-in ones, which cost a process more to read than most runs do.
 */
export function watchAgents(
  folders: AgentFolders,
  known: AgentEnvironment,
): (name?: string) => Promise<AgentSet> {
  const lastGood = createLastGood(known);
  let last: { stamp: string; sets: (name?: string) => Promise<AgentSet> } | undefined;
  let looked = false;
  return (name) => {
    if (last && looked) return last.sets(name);
    looked = true;
    setImmediate(() => {
      looked = false;
    });
    const stamp = agentsStamp(folders);
    if (last?.stamp !== stamp) last = { stamp, sets: setsOf(readOwnFiles(folders), lastGood) };
    return last.sets(name);
  };
}

function setsOf(files: Promise<OwnFiles>, lastGood: LastGood): (name?: string) => Promise<AgentSet> {
  let all: Promise<AgentSet> | undefined;
  let own: Promise<AgentSet | undefined> | undefined;
  const everybody = (): Promise<AgentSet> => {
    all ??= files.then(async (read) => lastGood.setOf([...read.own, ...(await read.builtin())]));
    return all;
  };
  const fewest = async (name: string): Promise<AgentSet> => {
    own ??= files.then((read) => (lastGood.suffices(read.own) ? lastGood.setOf(read.own) : undefined));
    const set = await own;
    return set?.agents.has(agentId(name)) ? set : everybody();
  };
  return (name) => (name === undefined || all ? everybody() : fewest(name));
}

interface LastGood {
  setOf(files: readonly DraftFile[]): AgentSet;
  /** Whether these files name nobody but each other, now and as they were: among others they would give the same agents. */
  suffices(files: readonly DraftFile[]): boolean;
}

/** Remembers each file as it was when all of its agents were good. */
function createLastGood(known: AgentEnvironment): LastGood {
  const good = new Map<string, DraftFile>();
  return {
    suffices(files) {
      const before = files.flatMap(({ file }) => good.get(file) ?? []);
      const drafts = [...files, ...before].flatMap((file) => file.drafts);
      const names = new Set(files.flatMap((file) => file.drafts).map(({ name }) => name));
      return drafts.every((draft) => namedAgents(draft).every((name) => names.has(wanted(name, draft))));
    },
    setOf(files) {
      const now = assembleAgents(files, known);
      const set = withOlder({ files, set: now, good }, known);
      for (const file of files) if (!isBroken(file, now)) good.set(file.file, file);
      const present = new Set(files.map(({ file }) => file));
      for (const file of good.keys()) if (!present.has(file)) good.delete(file);
      return set;
    },
  };
}

/** Whom a name means if he is there: of a pack that one, which may be among those that were not read. */
function wanted(name: string, from: Draft): string {
  const [id, pack] = [agentId(name), packOf(from.name)];
  return pack === "" || id.includes("/") ? id : `${pack}/${id}`;
}

interface Look {
  files: readonly DraftFile[];
  set: AgentSet;
  good: ReadonlyMap<string, DraftFile>;
}

/** First what cannot be read: an agent that only refers to it is whole again then. */
function withOlder({ files, set, good }: Look, known: AgentEnvironment): AgentSet {
  const reasons = new Map<string, Problem[]>();
  let found = set;
  for (const isFaulty of [isUnreadable, isBroken]) {
    const faulty = files.filter(
      (file) => !reasons.has(file.file) && isFaulty(file, found) && isOlder(good.get(file.file), file),
    );
    if (faulty.length === 0) continue;
    for (const file of faulty) reasons.set(file.file, reasonsOf(file, found));
    found = assembleAgents(
      files.map((file) => (reasons.has(file.file) ? good.get(file.file)! : file)),
      known,
    );
  }
  for (const [file, problems] of reasons) tellKept(found, file, problems);
  return found;
}

const isUnreadable = ({ drafts, skipped }: DraftFile): boolean =>
  skipped !== undefined || drafts.some(({ problems }) => hasErrors(problems));

function isBroken({ drafts, skipped, file }: DraftFile, { agents }: AgentSet): boolean {
  if (skipped) return true;
  const own = drafts.flatMap(({ name }) => agents.get(name) ?? []).filter((agent) => agent.file === file);
  return own.some(({ definition }) => definition === undefined);
}

/** A file that did not change was broken by another one: what it was like before is what it is like now. */
const isOlder = (before: DraftFile | undefined, now: DraftFile): boolean =>
  before !== undefined && before.drafts[0]?.hash !== now.drafts[0]?.hash;

function reasonsOf({ file, skipped }: DraftFile, { problems }: AgentSet): Problem[] {
  if (skipped) return [skipped];
  return problems.filter((problem) => problem.file === file && problem.severity === "error");
}

function tellKept(set: AgentSet, file: string, reasons: readonly Problem[]): void {
  const agents = [...set.agents.values()].filter((agent) => agent.file === file);
  const kept = agents.filter(({ definition }) => definition).map(({ name }) => name);
  const said = kept.length > 0 ? [...reasons, keptNote(file, kept)] : reasons;
  for (const agent of agents) agent.problems.push(...said);
  set.problems.push(...said);
}

const keptNote = (file: string, names: readonly string[]): Problem => ({
  file,
  line: 1,
  column: 1,
  code: "LAST_GOOD_KEPT",
  severity: "warning",
  message: `${names.map((name) => `\`${name}\``).join(", ")} runs as it was before the file was broken`,
});
