import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ban, ChevronRight, Eye, Hand, PenLine, Repeat } from "lucide-react";
import { Fragment } from "react";
import type { AgentDetail, ExplanationView } from "../../../../../src/api/client/types.ts";
import { ownToolsOf } from "../../../../../src/patterns/declarations/facts.ts";
import { duration, plural } from "../../../../../src/projections/words/format.ts";
import { AgentName, RoleIcon } from "../../../display/agent/agent.tsx";
import { Loaded } from "../../../display/page-state.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { explanationQuery } from "../../../live/queries.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { EDGE_LOOKS } from "../edge-looks.ts";

/** The tools that an agent is allowed to call, and the agents that it can reach. */
export function AgentReach({ agent }: { agent: AgentDetail }) {
  const usable = agent.kind !== undefined;
  const explanation = useQuery({ ...explanationQuery(agent.name), enabled: usable });
  if (!usable)
    return (
      <p className="text-muted text-sm">This agent cannot run until the errors in its file are fixed.</p>
    );
  return (
    <Loaded query={explanation} what="Working out what the agent can reach">
      {(data) => (
        <>
          <EffectiveTools agent={agent} tools={data.tools} />
          <ReachList explanation={data} />
        </>
      )}
    </Loaded>
  );
}

type Reachable = ExplanationView["reachable"][number];

type Path = Reachable["ways"][number]["path"];

/**
 * The agents that an agent can start, directly or through others. Each agent is listed with its path and the tools it can use on that path.
 * A child is allowed to do only what its own file and every agent above it allow.
 */
function ReachList({ explanation }: { explanation: ExplanationView }) {
  const { reachable, stops, agent } = explanation;
  return (
    <>
      <Panel
        title="Agents it can reach"
        note={reachable.length > 0 ? plural(reachable.length, "agent") : undefined}
      >
        {reachable.length === 0 ? (
          <p className="p-4 text-muted text-sm">
            This agent starts no other agents and does all the work itself.
          </p>
        ) : (
          <ul className="divide-y divide-line">
            {reachable.map((each) => (
              <ReachableRow key={each.agent} from={agent} {...each} />
            ))}
          </ul>
        )}
      </Panel>
      {stops.length > 0 && (
        <Panel title="Paths it cannot take" note="named in its files, but never taken">
          <ul className="divide-y divide-line text-sm">
            {stops.map(({ path, why }) => (
              <li key={JSON.stringify(path)} className="flex flex-wrap items-center gap-2 px-4 py-2">
                <Way from={agent} path={path} />
                <span className="text-muted">{STOPS[why]}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

const STOPS = {
  "max-depth": "exceeds the depth limit",
  "on-the-path": "already runs higher up",
  broken: "its file cannot be used",
  "too-many": "too many paths to list",
};

function ReachableRow({ agent, ways, from }: Reachable & { from: string }) {
  const [first, ...others] = ways;
  if (!first) return null;
  const { limits, models, deny, tools } = first;
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          to="/agents/$name"
          params={{ name: agent }}
          className="inline-flex items-center gap-1.5 font-semibold hover:text-accent"
        >
          <RoleIcon agent={agent} />
          <AgentName agent={agent} full />
        </Link>
        <span className="text-muted text-xs">
          {models[0]} · {plural(limits.maxTurns, "turn")} · {duration(limits.maxDuration)}
        </span>
      </div>
      <div className="flex flex-col gap-0.5 text-xs">
        <Way from={from} path={first.path} />
        {others.slice(0, 3).map(({ path }) => (
          <Way key={JSON.stringify(path)} from={from} path={path} />
        ))}
        {others.length > 3 && (
          <span className="text-muted">and {plural(others.length - 3, "other path")}</span>
        )}
      </div>
      <ToolList tools={tools} />
      <Rules icon={Ban} label="Denied on this path" rules={deny} />
    </li>
  );
}

function Way({ from, path }: { from: string; path: Path }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1 text-xs">
      <VisibleText text={from} />
      {path.map(({ key, to }) => (
        <Fragment key={`${key} ${to}`}>
          <span className="inline-flex items-center text-muted">
            <ChevronRight size={11} aria-hidden />
            {EDGE_LOOKS[key].word}
            <ChevronRight size={11} aria-hidden />
          </span>
          <VisibleText text={to} />
        </Fragment>
      ))}
    </span>
  );
}

type Tools = ExplanationView["tools"];

/** S1-62: the tools that an agent can call once all rules have been applied, each with its effect and its restrictions. */
function EffectiveTools({ agent, tools }: { agent: AgentDetail; tools: Tools }) {
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

function ToolList({ tools }: { tools: Tools }) {
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

function Rules({ icon: Icon, label, rules }: RulesProps) {
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
