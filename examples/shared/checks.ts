// Compares the result of an example with the expected result. Returns one sentence for each difference.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunTree } from "../../src/api/client/types.ts";
import { allNodes, branches } from "../../src/cli/view/text/branches.ts";
import { baseName } from "../../src/journal/agent-id.ts";
import type { JournalEvent } from "../../src/journal/events.ts";

/** The result of an example. */
export interface Played {
  tree: RunTree;
  /** The events of the whole tree, in commit order. */
  events: JournalEvent[];
  /** All texts that each run's model read, in order. The key is the run id. */
  told: Map<string, string>;
}

export interface Expected {
  /** One line for each run, with the agent, the trigger and the number of model calls: `└─ approver, handoff, 2`. */
  tree: string[];
  /** The agent that gives the final answer, and a part of that answer. */
  answer: { by: string; says: string };
  /** Texts that an agent must read, in this order. The key is the agent. */
  reads: Record<string, string[]>;
  /** Texts that an agent must not read. The key is the agent. */
  misses?: Record<string, string[]>;
  /** Agents that must work at the same time: all of them must start before the first of them ends. */
  together?: string[];
  /** Events that the journals must contain, in commit order. Each line has a type and a part of the payload: `APPROVAL_DECIDED reject`. */
  journal?: string[];
  /** Text that each file must contain at the end, or `null` if the file must not exist. */
  files?: Record<string, string | null>;
}

export function problemsOf(expected: Expected, played: Played, folder: string): string[] {
  return [
    ...unfinishedRuns(played),
    ...wrongTree(expected, played),
    ...wrongAnswer(expected, played),
    ...Object.entries(expected.reads).flatMap(([agent, parts]) => notRead(agent, parts, played)),
    ...Object.entries(expected.misses ?? {}).flatMap(([agent, parts]) => readToo(agent, parts, played)),
    ...notParallel(expected.together ?? [], played),
    ...missingEvents(expected.journal ?? [], played),
    ...Object.entries(expected.files ?? {}).flatMap(([file, text]) => wrongFile(join(folder, file), text)),
  ];
}

export function unfinishedRuns({ tree }: Played): string[] {
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

/** Checks that these agents worked in parallel: the first run of each agent started before any of these runs ended. */
function notParallel(agents: readonly string[], { tree, events }: Played): string[] {
  const ids = new Set(agents.map((agent) => runsOf(agent, tree)[0]?.id));
  const own = events.filter(({ runId }) => ids.has(runId));
  const lastStart = own.findLastIndex(({ type }) => type === "RUN_STARTED");
  const firstEnd = own.findIndex(({ type }) => type === "RUN_COMPLETED");
  if (agents.length === 0 || (lastStart >= 0 && lastStart < firstEnd)) return [];
  return [`${agents.join(" and ")} were not at work together.`];
}

/** Each expected line has an event type, followed by a part of the event's payload. */
function missingEvents(wanted: readonly string[], { events }: Played): string[] {
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
