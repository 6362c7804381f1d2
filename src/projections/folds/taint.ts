// Taint: the untrusted sources whose text has entered a run.
// The model of a tainted run might follow instructions in untrusted text, so a harmful call needs a person's approval (A46, A66, A67).
//  - Taint only grows. A summary, a later turn or a restart does not remove it.
//  - Taint follows the run's text: to its parent, its children, the receivers of its messages, and the runs that continue this run.

import type { JournalEvent, Payload } from "../../journal/events.ts";
import { hostOf } from "../../journal/tool-facts.ts";

export interface Taint {
  /** The first sources in order of arrival. Empty if the run is not tainted. */
  sources: string[];
  /** Hosts that a person or the task of a person named. A host that only a model named is never in this list. */
  hosts: string[];
  /** Tools whose calls need approval, because a tainted run above does not have them. */
  asks: string[];
}

/** Maximum number of sources to keep. They are enough to tell a person where to look. */
const MOST_SOURCES = 10;
const MOST_HOSTS = 200;

export const emptyTaint = (): Taint => ({ sources: [], hosts: [], asks: [] });

export const isTainted = ({ sources }: Taint): boolean => sources.length > 0;

/** The field `untrusted` that a run adds to its result and messages. Empty if the run is not tainted. */
export const taintToPassOn = ({ sources }: Pick<Taint, "sources">): { untrusted?: string[] } =>
  sources.length === 0 ? {} : { untrusted: [...sources] };

/**
 * The fields about taint that a run adds when it starts a child.
 * `files` are the untrusted files in the child's own prompt. `more` are the child's tools that this run does not have.
 */
export function taintForNewRun(
  { sources, hosts, asks }: Taint,
  files: readonly string[] = [],
  more: readonly string[] = [],
): { untrusted?: string[]; hosts?: string[]; asks?: string[] } {
  const asked = [...new Set([...asks, ...more])];
  return {
    ...taintToPassOn({ sources: [...new Set([...sources, ...files])] }),
    ...(hosts.length === 0 ? {} : { hosts: [...hosts] }),
    ...(asked.length === 0 ? {} : { asks: asked }),
  };
}

export function trackTaint(taint: Taint, event: JournalEvent): void {
  switch (event.type) {
    case "RUN_STARTED":
      applyStart(taint, event.payload);
      break;
    case "CONTEXT_ADDED":
      if (event.payload.source === "person")
        addHosts(taint, hostsIn(event.payload.typed ?? event.payload.text));
      addSources(taint, event.payload.untrusted);
      break;
    case "APPROVAL_DECIDED":
      if (!event.payload.picked) addHosts(taint, hostsIn(event.payload.answer ?? ""));
      break;
    case "TOOL_RESULT":
      addSources(taint, event.payload.untrusted === undefined ? [] : [event.payload.untrusted]);
      break;
    case "CHILD_RUN_COMPLETED":
      addSources(taint, event.payload.untrusted);
      break;
    default:
  }
}

function applyStart(taint: Taint, start: Payload<"RUN_STARTED">): void {
  taint.asks = start.asks ?? [];
  addHosts(taint, hostsOfPerson(start));
  addSources(taint, start.untrusted);
}

/** The hosts that a person named when the run was started. The task counts only if a person wrote it, so not for a child, a message, a fork or a retry. */
export function hostsOfPerson({
  task,
  typed,
  input,
  hosts = [],
  untrusted,
  parentRunId,
  trigger,
}: Pick<
  Payload<"RUN_STARTED">,
  "task" | "typed" | "input" | "hosts" | "untrusted" | "parentRunId" | "trigger"
>): string[] {
  const isOfPerson = parentRunId === undefined && !NOT_OF_PERSON.has(trigger) && untrusted === undefined;
  return [...hosts, ...(isOfPerson ? hostsIn(`${typed ?? task} ${JSON.stringify(input) ?? ""}`) : [])];
}

/** A fork and a retry lose the parent of the first run. So the hosts that a person named for the first run are in `hosts`. */
const NOT_OF_PERSON: ReadonlySet<Payload<"RUN_STARTED">["trigger"]> = new Set(["message", "fork", "retry"]);

function addSources(taint: Taint, sources: readonly string[] = []): void {
  for (const source of sources)
    if (taint.sources.length < MOST_SOURCES && !taint.sources.includes(source)) taint.sources.push(source);
}

function addHosts(taint: Taint, hosts: readonly string[]): void {
  for (const host of hosts)
    if (taint.hosts.length < MOST_HOSTS && !taint.hosts.includes(host)) taint.hosts.push(host);
}

/** The field `hosts` of a run's start. */
export const hostsField = (hosts: readonly string[]): { hosts?: string[] } =>
  hosts.length === 0 ? {} : { hosts: [...new Set(hosts)] };

/** Finds the hosts of full URLs only, because `README.md` would also be a valid host name. */
export function hostsIn(text: string): string[] {
  const addresses = text.match(/\bhttps?:\/\/[^\s"'`<>()[\]{}\\|^]+/gi) ?? [];
  return addresses.map((address) => hostOf(address.replace(/[.,;:!?]+$/, ""))).filter(Boolean);
}
