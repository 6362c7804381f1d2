// Masks an event before it is stored (A61).
// A thought contains provider data: signatures, encrypted reasoning, and ids. The provider rejects a thought with changed data.
// So the mask never changes provider data. This data is opaque to Cadre: it goes only to the model that wrote it, and no page or prompt shows it.

import type { EventBody } from "../events.ts";
import type { ThoughtPart } from "../message.ts";
import type { Mask } from "./mask.ts";

export function maskEvent<T extends EventBody>(event: T, mask: Mask): T {
  if (event.type !== "AGENT_THOUGHT") return mask.value(event);
  const { payload } = event;
  const masked = Object.entries(payload).map(([key, value]): [string, unknown] => [
    key,
    key === "content" ? maskThought(payload.content, mask) : mask.value(value),
  ]);
  const isClean = masked.every(([key, value]) => value === payload[key as keyof typeof payload]);
  return isClean ? event : { ...event, payload: Object.fromEntries(masked) };
}

/** A signature covers the text of its reasoning. If one text had to be masked, the thought loses all its reasoning. */
function maskThought(content: ThoughtPart[], mask: Mask): ThoughtPart[] {
  const masked = content.map((part) => maskPart(part, mask));
  const isChanged = (part: ThoughtPart, index: number): boolean => part !== content[index];
  if (!masked.some(isChanged)) return content;
  const mustDrop = masked.some((part, index) => part.type === "reasoning" && isChanged(part, index));
  return mustDrop ? masked.filter(({ type }) => type !== "reasoning") : masked;
}

function maskPart(part: ThoughtPart, mask: Mask): ThoughtPart {
  if (part.providerOptions === undefined) return mask.value(part);
  const { providerOptions, ...words } = part;
  const masked = mask.value(words);
  if (masked === words) return part;
  return { ...masked, providerOptions } as ThoughtPart;
}
