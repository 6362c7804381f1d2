// Keeps the set of agents up to date with the files on disk.
// If an edit breaks a file, its agents keep their last good version, and a note says so. So a half-finished edit stops no work.
// After the file is repaired, its new version is used.
// If files cannot be read at all for a moment, the last complete set is kept. An incomplete set is never used.

import { hasErrors, type Problem } from "../config/problem.ts";
import { isTemporary } from "../errors.ts";
import { agentId } from "../journal/agent-id.ts";
import type { AgentEnvironment } from "./agent.ts";
import { packOf } from "./compile/names.ts";
import { namedAgents } from "./compile/references.ts";
import type { Draft, DraftFile } from "./files/draft.ts";
import { type AgentFolders, agentsStamp } from "./files/folders.ts";
import { type OwnFiles, readOwnFiles } from "./files/read.ts";
import { type AgentSet, assembleAgents } from "./load.ts";

/** Reads the files again only after a change. If the caller passes the name of one agent, the set can be smaller. */
export function watchAgents(
  folders: AgentFolders,
  known: AgentEnvironment,
): (name?: string) => Promise<AgentSet> {
  const lastGood = createLastGood(known);
  let last: { stamp: string; sets: Sets } | undefined;
  let complete: Sets | undefined;
  let looked = false;
  const current = (): Sets => {
    if (last && looked) return last.sets;
    looked = true;
    setImmediate(() => {
      looked = false;
    });
    const stamp = agentsStamp(folders);
    if (last?.stamp !== stamp) last = { stamp, sets: createSets(readOwnFiles(folders), lastGood) };
    return last.sets;
  };
  const keepLast = (error: unknown, name?: string): Promise<AgentSet> => {
    if (!isTemporary(error)) throw error;
    last = undefined;
    if (!complete) throw error;
    return complete(name);
  };
  const asked = new WeakMap<Promise<AgentSet>, Promise<AgentSet>>();
  return (name) => {
    try {
      const sets = current();
      const found = sets(name);
      const answer =
        asked.get(found) ??
        found.then(
          (set) => {
            complete = sets;
            return set;
          },
          (error: unknown) => keepLast(error, name),
        );
      asked.set(found, answer);
      return answer;
    } catch (error) {
      return Promise.resolve().then(() => keepLast(error, name));
    }
  };
}

/** The set of agents, or the part of it that the named agent needs. */
type Sets = (name?: string) => Promise<AgentSet>;

function createSets(files: Promise<OwnFiles>, lastGood: LastGood): Sets {
  let all: Promise<AgentSet> | undefined;
  let own: Promise<AgentSet | undefined> | undefined;
  const everybody = (): Promise<AgentSet> => {
    all ??= files.then(async (read) => lastGood.setOf([...read.own, ...(await read.builtin())]));
    all.catch(() => {
      all = undefined;
    });
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
  /** True if the agents of these files, in their current and last good versions, name only each other. Then no other file must be read. */
  suffices(files: readonly DraftFile[]): boolean;
}

/** Remembers the last good version of each file: the last one in which no agent was broken. */
function createLastGood(known: AgentEnvironment): LastGood {
  const good = new Map<string, DraftFile>();
  return {
    suffices(files) {
      const before = files.flatMap(({ file }) => good.get(file) ?? []);
      const drafts = [...files, ...before].flatMap((file) => file.drafts);
      const names = new Set(files.flatMap((file) => file.drafts).map(({ name }) => name));
      return drafts.every((draft) =>
        namedAgents(draft).every((name) => names.has(fullNameMeant(name, draft))),
      );
    },
    setOf(files) {
      const now = assembleAgents(files, known);
      const set = withLastGood({ files, set: now, good }, known);
      for (const file of files) if (!isBroken(file, now)) good.set(file.file, file);
      const present = new Set(files.map(({ file }) => file));
      for (const file of good.keys()) if (!present.has(file)) good.delete(file);
      return set;
    },
  };
}

/** Full name of the agent that a name means. In a file of a pack, a short name means an agent of the same pack. */
function fullNameMeant(name: string, from: Draft): string {
  const [id, pack] = [agentId(name), packOf(from.name)];
  return pack === "" || id.includes("/") ? id : `${pack}/${id}`;
}

interface Look {
  files: readonly DraftFile[];
  set: AgentSet;
  good: ReadonlyMap<string, DraftFile>;
}

/** Replaces unreadable files first and other broken files second: some files are broken only because they refer to an unreadable file. */
function withLastGood({ files, set, good }: Look, known: AgentEnvironment): AgentSet {
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
  for (const [file, problems] of reasons) reportKept(found, file, problems);
  return found;
}

const isUnreadable = ({ drafts, skipped }: DraftFile): boolean =>
  skipped !== undefined || drafts.some(({ problems }) => hasErrors(problems));

function isBroken({ drafts, skipped, file }: DraftFile, { agents }: AgentSet): boolean {
  if (skipped) return true;
  const own = drafts.flatMap(({ name }) => agents.get(name) ?? []).filter((agent) => agent.file === file);
  return own.some(({ definition }) => definition === undefined);
}

/** Whether the file has changed since its last good version. If not, this file's agents are broken because another file changed. */
const isOlder = (before: DraftFile | undefined, now: DraftFile): boolean =>
  before !== undefined && before.drafts[0]?.hash !== now.drafts[0]?.hash;

function reasonsOf({ file, skipped }: DraftFile, { problems }: AgentSet): Problem[] {
  if (skipped) return [skipped];
  return problems.filter((problem) => problem.file === file && problem.severity === "error");
}

function reportKept(set: AgentSet, file: string, reasons: readonly Problem[]): void {
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
