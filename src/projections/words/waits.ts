// Describes why a run waits, in every form that the terminal and the page need. There is one entry per kind of wait.

import { approvalId } from "../../ids.ts";
import type { Payload, WaitingOn } from "../../journal/events.ts";

/** The recorded detail of a wait. If there is none, a description of the kind of wait. */
export const waitText = (waitingOn: WaitingOn | undefined): string | undefined =>
  waitingOn && (waitingOn.detail ?? describeWait(waitingOn).subject);

export interface WaitDescription {
  /** A separate line, for the timeline and the header of a run. */
  title: string;
  /** Completes "waits for …", for columns and fields. */
  subject: string;
  /** Completes "waits because …", for the answer to `cadre why`. */
  reason: string;
  /** Actions that a person can take now, with commands in backticks. Absent if the run continues without a person. */
  next?: (runId: string, items: readonly string[]) => string[];
}

export function describeWait(waitingOn: WaitingOn): WaitDescription {
  const { kind, detail, frozen: [top] = [] } = waitingOn;
  if (isAgentUnusable(waitingOn))
    return detail === undefined ? UNUSABLE : { ...UNUSABLE, reason: detail.replace(/\.$/, "") };
  return top === undefined ? WAITS[kind] : frozenWith(top);
}

/** The title of a wait, with its recorded detail. */
export function waitDetail({ blockers, ...waitingOn }: WaitingOn): string {
  const { kind, detail } = waitingOn;
  const why = detail === undefined || kind === "handoff" ? "" : ` (${detail})`;
  return waitTitle({ waitingOn, blockers }) + why;
}

/** The title of a wait in the timeline. A parent is suspended again for each run that needs a person, so the title shows how many runs do. */
export function waitTitle({
  waitingOn,
  blockers = [],
}: Pick<Payload<"RUN_SUSPENDED">, "waitingOn" | "blockers">): string {
  if (blockers.length > 1) return `Waiting: ${blockers.length} runs below need a person`;
  return describeWait(waitingOn).title;
}

/**
 * M5: the agent's module or program cannot run at all: it is missing, broken or not trusted.
 * If a module has only changed, a person can accept it. The item to accept is the module's hash.
 */
export const isAgentUnusable = ({ kind, items = [] }: WaitingOn): boolean =>
  kind === "definition_changed" && items.length === 0;

type Next = NonNullable<WaitDescription["next"]>;

const decide: Next = (runId, items) =>
  items.map((item) => {
    const id = approvalId(runId, item);
    return `\`cadre approve ${id}\` lets it happen, \`cadre reject ${id} --note "why"\` refuses it.`;
  });
const resume: Next = (runId) => [`\`cadre resume ${runId}\` resumes it.`];
/** The id of an outcome item is the attempt's id with a prefix. The command takes the id without the prefix. */
const outcomeCommand = (runId: string, item: string): string =>
  `cadre outcome ${runId} ${item.replace(/^outcome\//, "")}`;

const WAITS: Record<WaitingOn["kind"], WaitDescription> = {
  child: {
    title: "Waiting for its children",
    subject: "its children",
    reason: "runs below it are at work",
  },
  handoff: {
    title: "Waiting for the agent that took over",
    subject: "the agent that took over",
    reason: "the agent that took over is at work",
  },
  timer: {
    title: "Waiting for its timer",
    subject: "its timer",
    reason: "its timer has not fired",
  },
  provider: {
    title: "Waiting for the provider",
    subject: "the provider",
    reason: "the provider accepts no requests right now",
  },
  slot: {
    title: "Queued: all slots are taken",
    subject: "a free slot",
    reason: "as many agents are at work as the limit allows",
  },
  approval: {
    title: "Waiting for an approval",
    subject: "an approval",
    reason: "a call needs your decision",
    next: decide,
  },
  child_hitl: {
    title: "Waiting: a child needs a person",
    subject: "a person, in a run below",
    reason: "a run below it needs your decision",
    next: decide,
  },
  question: {
    title: "Waiting for an answer",
    subject: "an answer",
    reason: "it asked you a question",
    next: (runId, items) =>
      items.map((item) => `\`cadre approve ${approvalId(runId, item)} --answer "…"\` answers it.`),
  },
  outcome_unknown: {
    title: "Outcome unknown: a person must say what happened",
    subject: "the outcome of a call",
    reason: "a process died in the middle of a call, so it is not known whether the call took effect",
    next: (runId, items) =>
      items.map((item) => {
        const command = outcomeCommand(runId, item);
        return `Check whether it took effect (\`${command}\` probes for it), then say so: \`${command} happened\`, \`run_again\` or \`fail\`.`;
      }),
  },
  budget: {
    title: "Stopped at its budget: a person may raise it",
    subject: "a larger budget",
    reason: "its budget is used up",
    next: (runId, items) =>
      items.map((item) => {
        const id = approvalId(runId, item);
        return `\`cadre approve ${id} --max-cost 5\` raises it (or \`--max-tokens\`), \`cadre reject ${id}\` ends the run.`;
      }),
  },
  loop: {
    title: "Stopped: it repeats itself",
    subject: "a decision about its loop",
    reason: "it did the same thing over and over",
    next: decide,
  },
  storage: {
    title: "Waiting for space in the store",
    subject: "space in the store",
    reason: "the disk is full",
    next: () => ["Free some space on the disk; the run then continues by itself."],
  },
  definition_changed: {
    title: "Waiting: its agent's module has changed",
    subject: "a decision on its changed module",
    reason: "its agent's module has changed since the run began",
    next: resume,
  },
  quarantine: {
    title: "Quarantined: it could not be driven",
    subject: "release from quarantine",
    reason: "it could not be driven and was quarantined",
    next: resume,
  },
  paused: {
    title: "Paused",
    subject: "being resumed",
    reason: "a person paused it",
    next: resume,
  },
};

const UNUSABLE: WaitDescription = {
  title: "Waiting: its agent cannot run as it is",
  subject: "its agent to be fixed",
  reason: "its agent cannot run as it is",
  next: (runId) => [`Nothing is lost: fix the cause, then \`cadre resume ${runId}\` resumes it.`],
};

const frozenWith = (top: string): WaitDescription => ({
  title: "Frozen: nothing new starts in its branch until it is thawed",
  subject: "its branch to be thawed",
  reason: "its branch is frozen",
  next: () => [`\`cadre thaw ${top}\` resumes the branch.`],
});
