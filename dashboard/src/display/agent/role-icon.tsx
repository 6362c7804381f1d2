// An agent's icon: from its file, or else an icon for the role its name suggests.

import {
  Bot,
  Bug,
  ClipboardCheck,
  Code,
  FlaskConical,
  Map as MapIcon,
  Search,
  Siren,
  Users,
} from "lucide-react";
import { parseColor, parseEmoji } from "./agent-face.ts";
import { useAgentFace } from "./agent-name.tsx";

/** S2-79: roles by words in an agent's name; the first match wins. */
const ROLES: readonly [RegExp, typeof Bot, string][] = [
  [/debug/, Bug, "debugger"],
  [/review|critic|judge|audit/, ClipboardCheck, "reviewer"],
  [/test|qa\b|verif/, FlaskConical, "tester"],
  [/plan|architect|design/, MapIcon, "planner"],
  [/cod(e|er|ing)|develop|engineer|fix|worker|implement|build/, Code, "coder"],
  [/research|search|explor|log|metric|invest|analy/, Search, "researcher"],
  [/incident|orchestrat|ops|respond|oncall/, Siren, "orchestrator"],
  [/team|crew|supervis|lead|main|manager/, Users, "main"],
];

/** The role an agent's name suggests. */
export const roleOf = (agent: string): string => roleEntry(agent)[2];

const roleEntry = (agent: string) =>
  ROLES.find(([words]) => words.test(agent.toLowerCase())) ?? ([/./, Bot, "agent"] as const);

export function RoleIcon({ agent, size = 15 }: { agent: string; size?: number }) {
  const face = useAgentFace(agent);
  const [, Icon, role] = roleEntry(agent);
  const emoji = parseEmoji(face.icon);
  if (emoji !== undefined)
    return (
      <span role="img" aria-label={role} className="shrink-0 leading-none" style={{ fontSize: size }}>
        {emoji}
      </span>
    );
  const color = parseColor(face.color);
  return (
    <Icon
      size={size}
      aria-label={role}
      role="img"
      className="shrink-0 text-muted"
      {...(color === undefined ? {} : { style: { color } })}
    />
  );
}
