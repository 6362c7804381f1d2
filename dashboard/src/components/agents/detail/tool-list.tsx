// S1-62: the tools an agent may call once all rules apply, each with its effect and its restrictions.

import { Ban, Eye, Hand, PenLine, Repeat } from "lucide-react";
import type { AgentDetail, ExplanationView } from "../../../../../src/api/client/types.ts";
import { ownToolsOf } from "../../../../../src/patterns/declarations/facts.ts";
import { plural } from "../../../../../src/projections/words/format.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Panel } from "../../../ui/panel.tsx";

type Tools = ExplanationView["tools"];

export function EffectiveTools({ agent, tools }: { agent: AgentDetail; tools: Tools }) {
  const { definition } = agent;
  const ask = [...new Set([...(definition?.tools.ask ?? []), ...(definition?.permissions.ask ?? [])])];
  const deny = [...new Set([...(definition?.tools.deny ?? []), ...(definition?.permissions.deny ?? [])])];
  return (
    <Panel title="Tools" note={toolsNote(agent, tools)}>
      <div className="p-3">
        <ToolList tools={tools} />
        {tools.length > 0 && <EffectKey />}
        <Rules icon={Hand} label="Needs approval" rules={ask} />
        <Rules icon={Ban} label="Denied, here and in child runs" rules={deny} />
      </div>
    </Panel>
  );
}

function toolsNote({ definition }: AgentDetail, tools: Tools): string {
  const own = definition && ownToolsOf(definition);
  if (own?.may === "none") return own.why;
  const why =
    definition?.tools.allow === undefined
      ? "its file names none, so it gets all of them"
      : "as named in its file";
  return `${plural(tools.length, "tool")}: ${why}`;
}

const EFFECTS = {
  read: { icon: Eye, tone: "good", means: "only reads" },
  idempotent: { icon: Repeat, tone: "info", means: "safe to run again" },
  unsafe: { icon: PenLine, tone: "warn", means: "makes changes; never repeated automatically" },
} as const;

function EffectKey() {
  return (
    <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-2xs text-muted">
      {Object.entries(EFFECTS).map(([effect, { icon: Icon, means }]) => (
        <li key={effect} className="inline-flex items-center gap-1">
          <Icon size={11} aria-hidden /> {means}
        </li>
      ))}
    </ul>
  );
}

export function ToolList({ tools }: { tools: Tools }) {
  if (tools.length === 0) return <p className="text-muted text-sm">No tools.</p>;
  return (
    <ul className="flex flex-wrap gap-1.5">
      {tools.map(({ name, effect, only }) => {
        const { icon: Icon, tone, means } = EFFECTS[effect];
        return (
          <li key={name}>
            <Badge tone={tone} title={`${name}: ${means}${only ? `; limited to ${only.join(", ")}` : ""}`}>
              <Icon size={11} aria-label={means} role="img" />
              <VisibleText text={only ? `only ${only.join(", ")}` : name} />
            </Badge>
          </li>
        );
      })}
    </ul>
  );
}

interface RulesProps {
  icon: typeof Ban;
  label: string;
  rules: readonly string[];
}

export function Rules({ icon: Icon, label, rules }: RulesProps) {
  if (rules.length === 0) return null;
  return (
    <p className="mt-2 flex flex-wrap items-baseline gap-x-2 text-xs">
      <span className="inline-flex items-center gap-1 text-muted">
        <Icon size={11} aria-hidden /> {label}:
      </span>
      <span className="font-mono">
        <VisibleText text={rules.join(", ")} />
      </span>
    </p>
  );
}
