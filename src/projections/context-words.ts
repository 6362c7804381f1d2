// What a run was given besides its task, in a line of its timeline.

import type { Payload } from "../journal/events.ts";
import { stripUntrustedMarks } from "../journal/untrusted.ts";

/** `isQuiet`: nobody outside has just spoken to it. */
export function describeContext({ source, from, text, opening }: Payload<"CONTEXT_ADDED">): {
  title: string;
  isQuiet: boolean;
} {
  const quiet = (title: string) => ({ title, isQuiet: true });
  if (opening) {
    const headings = [...text.matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading).join(", ");
    return quiet(`Reads in its task's place: ${headings || text}`);
  }
  if (source === "system") return quiet(`Told the agent: ${text}`);
  // A coordinator is told all of it at once; a member hears each word of each other one.
  if (source === "team")
    return quiet(
      from === undefined ? "Hears what was said in the team" : `Hears: ${stripUntrustedMarks(text)}`,
    );
  return { title: `${from ?? SOURCES[source]} says: ${text}`, isQuiet: false };
}

const SOURCES = {
  person: "A person",
  parent: "Its parent",
  agent: "Another agent",
  advice: "An advisor",
  steps: "Its module",
};
