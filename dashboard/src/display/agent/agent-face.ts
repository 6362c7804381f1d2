// Checks `icon`, `color` and `title` of an agent file, because the file might come from an untrusted source.
// The page accepts only one emoji, a plain colour, and one line of text.

import { revealHidden } from "../../../../src/journal/visible.ts";

const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const COLOR = /^(?:#[\da-f]{3}|#[\da-f]{6}|[a-z]{3,20})$/i;

export function parseEmoji(icon: string | undefined): string | undefined {
  const text = icon?.trim() ?? "";
  const graphemes = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)];
  return graphemes.length === 1 && PICTURE.test(text) && revealHidden(text) === text ? text : undefined;
}

export const parseColor = (color: string | undefined): string | undefined =>
  color !== undefined && COLOR.test(color.trim()) ? color.trim() : undefined;

interface Titled {
  name: string;
  title?: string | undefined;
}

export interface AgentFace {
  icon?: string | undefined;
  color?: string | undefined;
  title?: string | undefined;
  /** Whether another agent has the same title. */
  isShared?: boolean;
}

const LONGEST = 80;

/** The title to show; undefined if the agent has no title or its title equals its name. */
export function agentTitle({ name, title = "" }: Titled): string | undefined {
  const line = revealHidden(title.replaceAll(/\s+/g, " ").trim());
  if (line === "" || line === name) return undefined;
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`;
}

/** The agent as plain text, for example `Billing and invoices (billing)`. */
export function nameWithTitle(agent: Titled): string {
  const title = agentTitle(agent);
  return title === undefined ? agent.name : `${title} (${agent.name})`;
}

export function agentFace(agents: readonly (Titled & AgentFace)[], name: string): AgentFace {
  const agent = agents.find((each) => each.name === name);
  if (!agent) return {};
  const title = agentTitle(agent);
  const isShared = title !== undefined && agents.some((each) => each.name !== name && isCalled(each, title));
  return { icon: agent.icon, color: agent.color, title, isShared };
}

/** Whether the agent's title or name equals `title`. */
const isCalled = (agent: Titled, title: string): boolean =>
  agent.name === title || agentTitle(agent) === title;
