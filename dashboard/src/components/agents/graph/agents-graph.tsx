// S1-60: a graph with an arrow from each agent to the agents it can start. The Tab key reaches every node.
// The list view has the same content.

import "@xyflow/react/dist/base.css";
import { Link } from "@tanstack/react-router";
import {
  BaseEdge,
  Controls,
  type Edge,
  type EdgeProps,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { useMemo, useState } from "react";
import type { Activity, AgentView } from "../../../../../src/api/client/types.ts";
import { AgentName, RoleIcon } from "../../../display/agent/agent.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { AgentBadges, formatTally } from "../agent-badges.tsx";
import { EDGE_LOOKS, type EdgeKind, edgeKind } from "../edge-looks.ts";
import { type Line, layout, lineId, NODE, smoothPath } from "./graph-layout.ts";

export interface AgentsGraphProps {
  agents: readonly AgentView[];
  tallies: ReadonlyMap<string, Activity["agents"][number]>;
  /** Names of the agents that match the search; the graph dims all other agents. Undefined if there is no search. */
  found: ReadonlySet<string> | undefined;
}

export function AgentsGraph(props: AgentsGraphProps) {
  // If the set of agents changes, the graph gets a new key. React then mounts the graph again, and the new graph fits the view.
  const names = props.agents.map(({ name }) => name).join();
  return (
    <ReactFlowProvider key={names}>
      <Picture {...props} />
    </ReactFlowProvider>
  );
}

type CardNode = Node<
  { agent: AgentView; tally: Activity["agents"][number] | undefined; dimmed: boolean },
  "agent"
>;

function Picture({ agents, tallies, found }: AgentsGraphProps) {
  const [near, setNear] = useState<string>();
  const { placed, lines } = useMemo(() => layout(agents, RATIO), [agents]);
  const nodes = useMemo(() => nodesOf(agents, { placed, tallies, found }), [agents, placed, tallies, found]);
  const edges = useMemo(() => edgesOf(agents, lines, near), [agents, lines, near]);
  const kinds = new Set(edges.map(({ data }) => data!.kind));
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="graph">
      <ReactFlow
        aria-label="Which agent can start which"
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        fitView
        fitViewOptions={FIT}
        minZoom={0.15}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        onNodeMouseEnter={(_, node) => setNear(node.id)}
        onNodeMouseLeave={() => setNear(undefined)}
        proOptions={{ hideAttribution: true }}
      >
        <Controls
          showInteractive={false}
          position="top-right"
          fitViewOptions={FIT}
          className="cadre-graph-controls"
        />
      </ReactFlow>
      <GraphLegend kinds={[...kinds]} />
    </div>
  );
}

const RATIO = 1.7;
/** The space on the right keeps the zoom buttons from covering a card. */
const FIT = { padding: { x: 0.08, y: 0.08, right: "64px" }, maxZoom: 1 } as const;

function CardOfNode({ id, data }: NodeProps<CardNode>) {
  const { setCenter, getNode, getZoom } = useReactFlow();
  // Moves the view, because a keyboard user must see the focused card.
  const show = () => {
    const node = getNode(id);
    if (!node || !document.activeElement?.matches(":focus-visible")) return;
    const { x, y } = node.position;
    void setCenter(x + NODE.width / 2, y + NODE.height / 2, { zoom: Math.max(getZoom(), 0.7) });
  };
  return (
    <>
      <Handle type="target" position={Position.Left} className="invisible" />
      <AgentCard {...data} onFocus={show} />
      <Handle type="source" position={Position.Right} className="invisible" />
    </>
  );
}

const NODE_TYPES = { agent: CardOfNode };

type LineEdge = Edge<{ kind: EdgeKind; line: Line }, "line">;

function LineOfEdge({ data, label, labelStyle, labelBgStyle, style, markerEnd }: EdgeProps<LineEdge>) {
  const { points, label: place } = data!.line;
  return (
    <BaseEdge
      path={smoothPath(points)}
      label={label}
      labelX={place.x}
      labelY={place.y}
      labelStyle={labelStyle ?? {}}
      labelBgStyle={labelBgStyle ?? {}}
      labelBgPadding={[4, 1]}
      labelShowBg
      style={style ?? {}}
      {...(markerEnd === undefined ? {} : { markerEnd })}
    />
  );
}

const EDGE_TYPES = { line: LineOfEdge };

interface NodeParts extends Pick<AgentsGraphProps, "tallies" | "found"> {
  placed: ReturnType<typeof layout>["placed"];
}

function nodesOf(agents: readonly AgentView[], { placed, tallies, found }: NodeParts): CardNode[] {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  return placed.map(({ name, x, y }) => ({
    id: name,
    type: "agent",
    position: { x, y },
    width: NODE.width,
    height: NODE.height,
    data: {
      agent: byName.get(name)!,
      tally: tallies.get(name),
      dimmed: found !== undefined && !found.has(name),
    },
  }));
}

function edgesOf(
  agents: readonly AgentView[],
  lines: ReadonlyMap<string, Line>,
  near: string | undefined,
): LineEdge[] {
  return agents.flatMap((agent) =>
    agent.edges.flatMap(({ key, to }) => {
      const line = lines.get(lineId(agent.name, key, to));
      if (!line) return [];
      const kind = edgeKind(agent, key);
      const { word, width, dash } = EDGE_LOOKS[kind];
      const lit = near === agent.name || near === to;
      const stroke = lit ? "var(--color-accent)" : "var(--color-edge)";
      return [
        {
          id: line.id,
          type: "line" as const,
          source: agent.name,
          target: to,
          data: { kind, line },
          label: word,
          labelBgStyle: { fill: "var(--color-canvas)" },
          labelStyle: { fill: lit ? "var(--color-accent)" : "var(--color-muted)", fontSize: 10 },
          style: { stroke, strokeWidth: width, ...(dash ? { strokeDasharray: dash } : {}) },
          markerEnd: {
            type: MarkerType.ArrowClosed,
            color: stroke,
            width: 14,
            height: 14,
            markerUnits: "userSpaceOnUse",
          },
          zIndex: lit ? 1 : 0,
        },
      ];
    }),
  );
}

/** Explains the line styles that occur in the graph. */
function GraphLegend({ kinds }: { kinds: readonly EdgeKind[] }) {
  if (kinds.length === 0) return null;
  return (
    <dl
      aria-label="What the lines mean"
      className="flex max-h-24 shrink-0 flex-wrap gap-x-5 gap-y-1 overflow-auto border-line border-t bg-surface px-4 py-2 text-2xs"
    >
      {(Object.keys(EDGE_LOOKS) as EdgeKind[])
        .filter((kind) => kinds.includes(kind))
        .map((kind) => {
          const { word, meaning, width, dash } = EDGE_LOOKS[kind];
          return (
            <div key={kind} className="flex items-center gap-1.5">
              <dt className="flex items-center gap-1.5">
                <svg width="28" height="8" aria-hidden="true" className="text-edge">
                  <line
                    x1="0"
                    y1="4"
                    x2="28"
                    y2="4"
                    stroke="currentColor"
                    strokeWidth={width}
                    strokeDasharray={dash}
                  />
                </svg>
                <span className="font-medium">{word}</span>
              </dt>
              <dd className="text-muted">{meaning}</dd>
            </div>
          );
        })}
    </dl>
  );
}

interface AgentCardProps {
  agent: AgentView;
  tally: Activity["agents"][number] | undefined;
  dimmed: boolean;
  onFocus(): void;
}

/** An agent in the graph: name, badges, model, and how its latest runs ended. */
function AgentCard({ agent, tally, dimmed, onFocus }: AgentCardProps) {
  return (
    <Link
      to="/agents/$name"
      params={{ name: agent.name }}
      onFocus={onFocus}
      className={classNames(
        "flex h-full w-full flex-col justify-center gap-1 rounded-lg border bg-surface px-3 py-2 text-left shadow-sm hover:border-accent",
        agent.kind === undefined ? "border-bad border-dashed" : "border-line",
        dimmed && "opacity-35",
      )}
    >
      <span className="flex items-center gap-1.5">
        <RoleIcon agent={agent.name} />
        <span className="truncate font-semibold text-sm" title={agent.name}>
          <AgentName agent={agent.name} full />
        </span>
      </span>
      <span className="flex items-center gap-1 overflow-hidden">
        <AgentBadges agent={agent} />
      </span>
      <span className="flex justify-between gap-2 text-2xs text-muted">
        <span className="truncate">
          <VisibleText text={agent.models[0] ?? agent.file} />
        </span>
        <span className="shrink-0 tabular-nums">{tally ? formatTally(tally) : ""}</span>
      </span>
    </Link>
  );
}
