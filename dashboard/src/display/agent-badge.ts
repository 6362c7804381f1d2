// What of a file's `icon`, `color` and `title` can be shown: one emoji, a plain colour, one line. Files come from strangers,
// too.

import { visible } from "../../../src/journal/visible.ts";

const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const COLOR = /^(?:#[\da-f]{3}|#[\da-f]{6}|[a-z]{3,20})$/i;

export function emojiOf(icon: string | undefined): string | undefined {
  const text = icon?.trim() ?? "";
  const graphemes = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)];
  return graphemes.length === 1 && PICTURE.test(text) && visible(text) === text ? text : undefined;
}

export const colorOf = (color: string | undefined): string | undefined =>
  color !== undefined && COLOR.test(color.trim()) ? color.trim() : undefined;

interface Titled {
  name: string;
  title?: string | undefined;
}

export interface AgentFace {
  icon?: string | undefined;
  color?: string | undefined;
  title?: string | undefined;
  /** Another agent has the same title. */
  isShared?: boolean;
}

const LONGEST = 80;

/** Undefined: its name is all that it is called. */
export function titleOf({ name, title = "" }: Titled): string | undefined {
  const line = visible(title.replaceAll(/\s+/g, " ").trim());
  if (line === "" || line === name) return undefined;
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`;
}

/** In plain text: `Billing and invoices (billing)`. */
export function titledName(agent: Titled): string {
  const title = titleOf(agent);
  return title === undefined ? agent.name : `${title} (${agent.name})`;
}

export function faceOf(agents: readonly (Titled & AgentFace)[], name: string): AgentFace {
  const agent = agents.find((each) => each.name === name);
  if (!agent) return {};
  const title = titleOf(agent);
  const isShared = title !== undefined && agents.some((each) => each.name !== name && isCalled(each, title));
  return { icon: agent.icon, color: agent.color, title, isShared };
}

/** Also by an agent whose name it is. */
const isCalled = (agent: Titled, title: string): boolean => agent.name === title || titleOf(agent) === title;
