// How the page shows an agent: by its title, and with an icon.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
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
import { agentsQuery } from "../../live/queries.ts";
import { VisibleText } from "../visible-text.tsx";
import { type AgentFace, agentFace, parseColor, parseEmoji } from "./agent-face.ts";

/** S2-35: shows the agent's title. The name follows the title if `full` is set, or if another agent has the same title. */
export function AgentName({ agent, full = false }: { agent: string; full?: boolean }) {
  const { title, isShared = false, isPending } = useAgentFace(agent);
  // Until the title is known, the name is invisible but takes up its space. So the reader never sees it change.
  if (isPending)
    return (
      <span className="opacity-0">
        <VisibleText text={agent} />
      </span>
    );
  if (title === undefined) return <VisibleText text={agent} />;
  return (
    <span title={agent}>
      <VisibleText text={title} />
      {(full || isShared) && (
        <>
          {" "}
          <VisibleText text={agent} className="font-normal text-muted text-xs" />
        </>
      )}
    </span>
  );
}

/** The icon, colour and title from the agent's current file. */
function useAgentFace(agent: string): AgentFace & { isPending: boolean } {
  const { data, isPending } = useQuery({ ...agentsQuery, select: ({ agents }) => agentFace(agents, agent) });
  return { ...data, isPending };
}

/** S2-79: patterns for an agent's name, each with the icon and role it suggests. The first match wins. */
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

export const roleOf = (agent: string): string => roleEntry(agent)[2];

const roleEntry = (agent: string) =>
  ROLES.find(([words]) => words.test(agent.toLowerCase())) ?? ([/./, Bot, "agent"] as const);

/** The icon from the agent's file, or else an icon for the role that its name suggests. */
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
  return <Icon size={size} aria-label={role} role="img" className="shrink-0 text-muted" style={{ color }} />;
}

/** A link to an agent's page, with the agent's full name. */
export const AgentLink = ({
  name,
  className = "hover:text-accent hover:underline",
}: {
  name: string;
  className?: string;
}) => (
  <Link to="/agents/$name" params={{ name }} className={className}>
    <VisibleText text={name} />
  </Link>
);
