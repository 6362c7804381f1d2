// Whether an example went as it says: a sentence for each thing that did not.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunTree } from "../../src/api/client/types.ts";
import { allNodes, branches } from "../../src/cli/view/text/branches.ts";
import { baseName } from "../../src/journal/agent-id.ts";
import type { JournalEvent } from "../../src/journal/events.ts";

/** What an example left behind. */
export interface Played {
  tree: RunTree;
  /** Of the whole tree, in commit order. */
  events: JournalEvent[];
  /** By run: what its model was told, from first to last. */
  told: Map<string, string>;
}

export interface Expected {
  /** Who is started by whom and why, and with how many model calls: `└─ approver, handoff, 2`. */
  tree: string[];
  /** Whose words are the answer, and some of them. */
  answer: { by: string; says: string };
  /** What an agent is told: these, in this order. */
  reads: Record<string, string[]>;
  /** What it is not told. */
  misses?: Record<string, string[]>;
  /** Agents that are all at work before the first of them is done. */
  together?: string[];
  /** What the journals of the tree say, in commit order and among other things: `APPROVAL_DECIDED reject`. */
  journal?: string[];
  /** What stands in a file afterwards; `null`: there is no such file. */
  files?: Record<string, string | null>;
}

export function problemsOf(expected: Expected, played: Played, folder: string): string[] {
  return [
    ...unfinished(played),
    ...wrongTree(expected, played),
    ...wrongAnswer(expected, played),
    ...Object.entries(expected.reads).flatMap(([agent, parts]) => notRead(agent, parts, played)),
    ...Object.entries(expected.misses ?? {}).flatMap(([agent, parts]) => readToo(agent, parts, played)),
    ...apart(expected.together ?? [], played),
    ...notHappened(expected.journal ?? [], played),
    ...Object.entries(expected.files ?? {}).flatMap(([file, text]) => wrongFile(join(folder, file), text)),
  ];
}

export function unfinished({ tree }: Played): string[] {
  return allNodes(tree)
    .filter(({ status }) => status !== "completed")
    .map(({ agent, id, status, summary }) => `${agent} (run ${id}) is ${status}: ${summary}`);
}

function wrongTree({ tree: wanted }: Expected, { tree }: Played): string[] {
  const found = branches(tree).map(
    ({ node, branch }) => `${branch}${baseName(node.agent)}, ${node.trigger}, ${node.usage.modelCalls}`,
  );
  if (found.join("\n") === wanted.join("\n")) return [];
  return [`The tree is\n${found.join("\n")}\nwhere this was to be:\n${wanted.join("\n")}`];
}

function wrongAnswer({ answer: { by, says } }: Expected, { tree }: Played): string[] {
  const summary = tree.summary ?? "";
  if (!summary.includes(says)) return [`The answer does not say "${says}", but: ${summary}`];
  return runsOf(by, tree).some((run) => run.summary === summary)
    ? []
    : [`The answer is not in ${by}'s words.`];
}

function notRead(agent: string, parts: readonly string[], played: Played): string[] {
  return runsOf(agent, played.tree).flatMap(({ id }) => {
    const text = played.told.get(id)!;
    let from = 0;
    const missing = parts.filter((part) => {
      const at = text.indexOf(part, from);
      if (at >= 0) from = at + part.length;
      return at < 0;
    });
    return missing.map((part) => `${agent} (run ${id}) was to read "${part}" here, and did not.`);
  });
}

function readToo(agent: string, parts: readonly string[], played: Played): string[] {
  return runsOf(agent, played.tree).flatMap(({ id }) =>
    parts
      .filter((part) => played.told.get(id)!.includes(part))
      .map((part) => `${agent} (run ${id}) reads "${part}", which is not for it.`),
  );
}

/** By the order of commits: the first run of each has begun before one of these has ended. */
function apart(agents: readonly string[], { tree, events }: Played): string[] {
  const ids = new Set(agents.map((agent) => runsOf(agent, tree)[0]?.id));
  const own = events.filter(({ runId }) => ids.has(runId));
  const lastStart = own.findLastIndex(({ type }) => type === "RUN_STARTED");
  const firstEnd = own.findIndex(({ type }) => type === "RUN_COMPLETED");
  if (agents.length === 0 || (lastStart >= 0 && lastStart < firstEnd)) return [];
  return [`${agents.join(" and ")} were not at work together.`];
}

/** A type, then words that stand in the payload. */
function notHappened(wanted: readonly string[], { events }: Played): string[] {
  let at = 0;
  return wanted
    .filter((line) => {
      const [type, ...words] = line.split(" ");
      const found = events.findIndex(
        (event, index) =>
          index >= at && event.type === type && JSON.stringify(event.payload).includes(words.join(" ")),
      );
      if (found >= 0) at = found + 1;
      return found < 0;
    })
    .map((line) => `The journals were to say "${line}" here, and do not.`);
}

function wrongFile(path: string, wanted: string | null): string[] {
  if (wanted === null) return existsSync(path) ? [`${path} is there, and was not to be.`] : [];
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return text.includes(wanted) ? [] : [`${path} does not say "${wanted}".`];
}

const runsOf = (agent: string, tree: RunTree): RunTree[] =>
  allNodes(tree).filter((run) => baseName(run.agent) === agent);
