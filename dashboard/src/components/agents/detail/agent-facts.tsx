// The agent at a glance: file, models, limits, and which agent's words become the answer.

import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { AgentDetail, ExplanationView } from "../../../../../src/api/client/types.ts";
import { duration, money, shortCount } from "../../../../../src/projections/words/format.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { EDGE_LOOKS } from "../edge-looks.ts";

export function AgentFacts({
  agent,
  explanation,
}: {
  agent: AgentDetail;
  explanation: ExplanationView | undefined;
}) {
  return (
    <Panel title="About">
      <p className="px-4 pt-3">
        <VisibleText text={agent.description} />
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 px-4 py-3 text-sm">
        {factsOf(agent, explanation).map(([name, value]) => (
          <Fragment key={name}>
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </Fragment>
        ))}
      </dl>
    </Panel>
  );
}

function factsOf(agent: AgentDetail, explanation: ExplanationView | undefined): [string, ReactNode][] {
  const { definition } = agent;
  return [
    ["File", <VisibleText key="file" text={agent.file} />],
    ["Found in", FOUND_IN[agent.scope] + (agent.dialect === "cadre" ? "" : `, written for ${agent.dialect}`)],
    [
      "Models",
      definition?.inheritsModel ? "same as the agent that starts it" : agent.models.join(", then ") || "none",
    ],
    ...(explanation ? ([["Answered by", <Answers key="answers" explanation={explanation} />]] as const) : []),
    ...(explanation ? limitFacts(explanation) : []),
    ...(definition?.workspace === "worktree"
      ? [["Works in", "its own git worktree"] as [string, ReactNode]]
      : []),
  ] as [string, ReactNode][];
}

const FOUND_IN = { project: "this project", user: "your home folder", builtin: "Cadre itself" };

function Answers({ explanation }: { explanation: ExplanationView }) {
  const others = explanation.terminals.filter(({ path }) => path.length > 0);
  return (
    <span>
      {explanation.isTerminal && "itself"}
      {others.map(({ agent, path }, index) => (
        <Fragment key={agent}>
          {(index > 0 || explanation.isTerminal) && ", "}
          <Link to="/agents/$name" params={{ name: agent }} className="text-accent underline">
            <VisibleText text={agent} />
          </Link>{" "}
          <span className="text-muted">({path.map(({ key }) => EDGE_LOOKS[key].word).join(", ")})</span>
        </Fragment>
      ))}
    </span>
  );
}

function limitFacts({ limits }: ExplanationView): [string, ReactNode][] {
  const { maxTurns, maxDuration, maxDepth, maxChildren, maxTokens, maxCost } = limits;
  return [
    ["At most", `${maxTurns} turns, ${duration(maxDuration)} of active time`],
    ["Delegation", `${maxDepth} levels deep, ${maxChildren} children per run`],
    [
      "Budget",
      [maxTokens !== undefined && `${shortCount(maxTokens)} tokens`, maxCost !== undefined && money(maxCost)]
        .filter(Boolean)
        .join(", ") || "no limit of its own",
    ],
  ];
}
