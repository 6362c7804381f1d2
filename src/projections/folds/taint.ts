// Whose words have come into a run that nobody here wrote. From then on what its model wants may be what they told it, so
// a person is asked before a call that could do harm (A46, A66, A67).
//  - It only grows: no summing-up, no later turn and no restart takes it away.
//  - It goes wherever a run's words go: up with its result, down to its children, along with its messages, and on to
//    whoever continues it.

import type { JournalEvent, Payload } from "../../journal/events.ts";
import { toolCallsOf } from "../../journal/message-parts.ts";

export interface Taint {
  /** The first of them, in the order in which they came. Empty: nothing of the kind has come in. */
  sources: string[];
  /** Hosts that the run knows by itself: a person or its task named them, or it asked for them before anything came in. */
  hosts: string[];
}

/** Enough for a person to know where to look; that there is one at all is what counts. */
const MOST_SOURCES = 10;
const MOST_HOSTS = 200;

export const emptyTaint = (): Taint => ({ sources: [], hosts: [] });

export const isTainted = ({ sources }: Taint): boolean => sources.length > 0;

/** What a run hands on with its words; nothing, where there is nothing to say. */
export const taintToPassOn = ({ sources }: Taint): { untrusted?: string[] } =>
  sources.length === 0 ? {} : { untrusted: [...sources] };

/** What a run that another one starts begins with. */
export const taintForNewRun = (taint: Taint): { untrusted?: string[]; hosts?: string[] } => ({
  ...taintToPassOn(taint),
  ...(taint.hosts.length === 0 ? {} : { hosts: [...taint.hosts] }),
});

export function trackTaint(taint: Taint, event: JournalEvent): void {
  switch (event.type) {
    case "RUN_STARTED":
      begun(taint, event.payload);
      break;
    case "CONTEXT_ADDED":
      if (event.payload.source === "person") know(taint, hostsIn(event.payload.text));
      taintBy(taint, event.payload.untrusted);
      break;
    case "AGENT_THOUGHT":
      for (const { toolName, input } of toolCallsOf(event.payload.content)) asked(taint, toolName, input);
      break;
    case "TOOL_PROPOSED":
      asked(taint, event.payload.name, event.payload.input);
      break;
    case "TOOL_RESULT":
      taintBy(taint, event.payload.untrusted === undefined ? [] : [event.payload.untrusted]);
      break;
    case "CHILD_RUN_COMPLETED":
      taintBy(taint, event.payload.untrusted);
      break;
    default:
  }
}

/** What a tainted agent wrote as a task names no host that is known. */
function begun(taint: Taint, { task, input, hosts = [], untrusted }: Payload<"RUN_STARTED">): void {
  know(taint, hosts);
  if (untrusted === undefined) know(taint, hostsIn(`${task} ${JSON.stringify(input) ?? ""}`));
  taintBy(taint, untrusted);
}

function asked(taint: Taint, tool: string, input: unknown): void {
  const host = isTainted(taint) ? undefined : requestedHost(tool, input);
  if (host) know(taint, [host]);
}

function taintBy(taint: Taint, sources: readonly string[] = []): void {
  for (const source of sources)
    if (taint.sources.length < MOST_SOURCES && !taint.sources.includes(source)) taint.sources.push(source);
}

function know(taint: Taint, hosts: readonly string[]): void {
  for (const host of hosts)
    if (taint.hosts.length < MOST_HOSTS && !taint.hosts.includes(host)) taint.hosts.push(host);
}

export const WEB_FETCH = "WebFetch";

/** The host that a call would reach, with its port; "" where the address cannot be read. Undefined: it is another tool. */
export function requestedHost(tool: string, input: unknown): string | undefined {
  if (tool !== WEB_FETCH) return undefined;
  const { url } = (input ?? {}) as { url?: unknown };
  return typeof url === "string" ? (hostOf(url) ?? "") : "";
}

const hostOf = (url: string): string | undefined => URL.parse(url)?.host || undefined;

/** Only whole addresses: `README.md` is a host as well, and may be somebody's. */
function hostsIn(text: string): string[] {
  const addresses = text.match(/\bhttps?:\/\/[^\s"'`<>()[\]{}\\|^]+/gi) ?? [];
  return addresses.flatMap((address) => hostOf(address.replace(/[.,;:!?]+$/, "")) ?? []);
}
