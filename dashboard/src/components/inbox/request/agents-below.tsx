import type { BlastRadius } from "../../../../../src/journal/blast-radius.ts";
import { EDGE_VERBS } from "../../../../../src/projections/words/blast-radius.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Badge } from "../../../ui/badge.tsx";

type Agents = BlastRadius["agents"];

/** Who starts whom, as a tree; each stands once, by the shortest way. */
export function AgentsBelow({ agents }: { agents: Agents }) {
  const [first] = agents;
  return first ? (
    <ul>
      <Agent one={first} agents={agents} />
    </ul>
  ) : null;
}

function Agent({ one, agents }: { one: Agents[number]; agents: Agents }) {
  const below = agents.filter(({ from }) => from === one.agent);
  return (
    <li>
      <span className="flex flex-wrap items-center gap-x-1.5 py-0.5">
        {one.key !== undefined && <span className="text-muted text-xs">{EDGE_VERBS[one.key]}</span>}
        <span className={`break-all ${one.isNew ? "font-medium" : ""}`}>
          <VisibleText text={one.agent} />
        </span>
        {!one.isNew && <Badge tone="muted">at work already</Badge>}
      </span>
      {below.length > 0 && (
        <ul className="ml-1.5 border-line border-l-2 pl-3">
          {below.map((next) => (
            <Agent key={next.agent} one={next} agents={agents} />
          ))}
        </ul>
      )}
    </li>
  );
}
