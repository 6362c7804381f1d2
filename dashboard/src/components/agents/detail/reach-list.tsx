// The agents an agent can start, directly or through others, on which path, and which tools they may use there. A child
// never gets more than its own file and every agent above it allow.

import { Link } from "@tanstack/react-router";
import { Ban, ChevronRight } from "lucide-react";
import { Fragment } from "react";
import type { ExplanationView } from "../../../../../src/api/client/types.ts";
import { duration, plural } from "../../../../../src/projections/words/format.ts";
import { AgentName, RoleIcon } from "../../../display/agent/agent.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { EDGE_LOOKS } from "../edge-looks.ts";
import { Rules, ToolList } from "./tool-list.tsx";

type Reachable = ExplanationView["reachable"][number];
type Path = Reachable["ways"][number]["path"];

export function ReachList({ explanation }: { explanation: ExplanationView }) {
  const { reachable, stops, agent } = explanation;
  return (
    <>
      <Panel
        title="Agents it can reach"
        note={reachable.length > 0 ? plural(reachable.length, "agent") : undefined}
      >
        {reachable.length === 0 ? (
          <p className="p-4 text-muted text-sm">It starts no other agents: it does all the work itself.</p>
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
