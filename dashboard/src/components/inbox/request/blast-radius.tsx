// The blast radius of a delegation at the time of its request: a summary in one line, and details on demand.
// New powers are marked with a word, not only with a colour.

import { ChevronRight, Radius as RadiusIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { BlastRadius as Radius } from "../../../../../src/journal/blast-radius.ts";
import {
  describeBlastRadius,
  describeToolReach,
  describeWorstCase,
  EDGE_VERBS,
  newInBlastRadius,
} from "../../../../../src/projections/words/blast-radius.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Badge } from "../../../ui/badge.tsx";

export function BlastRadius({ radius }: { radius: Radius }) {
  const { tools, hosts, never, more } = radius;
  const added = newInBlastRadius(radius);
  return (
    <details className="group rounded-md border border-line text-sm">
      <summary className="flex cursor-pointer items-start gap-2 p-2.5 max-md:min-h-11">
        <ChevronRight size={14} aria-hidden className="mt-1 shrink-0 group-open:rotate-90" />
        <RadiusIcon size={15} aria-hidden className="mt-0.5 shrink-0 text-muted" />
        <span className="min-w-0 break-words">
          <span className="font-medium">Blast radius:</span> it{" "}
          <VisibleText text={describeBlastRadius(radius)} />.
          <News added={added} />
        </span>
      </summary>
      <div className="flex flex-col gap-3 border-line border-t px-3 py-2.5">
        <Part title="Agents that could run">
          <AgentsBelow agents={radius.agents} />
        </Part>
        <Rows
          title="Tools that make changes or use the network"
          rows={tools.map((tool) => ({ ...tool, words: describeToolReach(tool) }))}
        />
        <Rows title="Hosts it could reach" rows={hosts.map(({ host, isNew }) => ({ name: host, isNew }))} />
        <Rows title="Denied by rules" rows={never.map((rule) => ({ name: rule }))} />
        <p className="text-muted text-xs">
          {sentence(describeWorstCase(radius))}
          {more !== undefined && `, and ${more} more entries that are not listed`}. This is a snapshot: if the
          agent can do more by the time you approve, it is not started.
        </p>
      </div>
    </details>
  );
}

function News({ added }: { added: readonly string[] }) {
  if (added.length === 0)
    return (
      <span className="text-muted">
        {" "}
        Nothing new: the agents of this tree can already do everything listed.
      </span>
    );
  const shown = added.slice(0, SHOWN_NEWS);
  return (
    <span className="mt-1 flex flex-wrap items-center gap-1">
      <Badge tone="warn">new</Badge>
      {shown.map((name) => (
        <code
          key={name}
          className="break-all rounded border border-line px-1 font-mono font-semibold text-xs"
        >
          <VisibleText text={name} />
        </code>
      ))}
      {added.length > shown.length && <span>and {added.length - shown.length} more</span>}
    </span>
  );
}

const SHOWN_NEWS = 6;

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 text-muted text-xs">{title}</h3>
      {children}
    </section>
  );
}

interface RowsProps {
  title: string;
  rows: readonly { name: string; isNew?: true | undefined; words?: string }[];
}

/** A list with a title and the new entries first. Renders nothing for an empty list. */
function Rows({ title, rows }: RowsProps) {
  if (rows.length === 0) return null;
  return (
    <Part title={title}>
      <ul className="flex flex-col gap-1">
        {rows
          .toSorted((a, b) => Number(b.isNew ?? false) - Number(a.isNew ?? false))
          .map(({ name, isNew, words = "" }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <code className={`break-all font-mono text-xs ${isNew ? "font-semibold" : ""}`}>
                <VisibleText text={name} />
              </code>
              {isNew && <Badge tone="warn">new</Badge>}
              <span className="min-w-0 break-words text-muted text-xs">
                <VisibleText text={words} />
              </span>
            </li>
          ))}
      </ul>
    </Part>
  );
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

type Agents = Radius["agents"];

/** The agents as a tree: below each agent are the agents that it starts. Each agent appears once, on its shortest path. */
function AgentsBelow({ agents }: { agents: Agents }) {
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
        {!one.isNew && <Badge tone="muted">already running</Badge>}
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
