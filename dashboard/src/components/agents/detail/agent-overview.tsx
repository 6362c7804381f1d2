import { useQuery } from "@tanstack/react-query";
import { Check, FilePen, Globe, Minus, Terminal } from "lucide-react";
import { Fragment } from "react";
import type { AgentDetail, ExplanationView } from "../../../../../src/api/client/types.ts";
import { duration, money, plural, shortCount } from "../../../../../src/projections/words/format.ts";
import { AgentLink } from "../../../display/agent/agent.tsx";
import { Loaded } from "../../../display/page-state.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { explanationQuery } from "../../../live/queries.ts";
import { classNames } from "../../../ui/class-names.ts";
import { DataTable } from "../../../ui/data-table.tsx";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { EDGE_LOOKS } from "../edge-looks.ts";
import { ProblemList } from "../problem-list.tsx";

/** Shows facts about the agent, its problems, and an upper bound of what one task can do. */
export function AgentOverview({ agent }: { agent: AgentDetail }) {
  const usable = agent.kind !== undefined;
  const explanation = useQuery({ ...explanationQuery(agent.name), enabled: usable });
  return (
    <>
      {agent.problems.length > 0 && (
        <Panel title="Problems" note={usable ? undefined : "it cannot run until its errors are fixed"}>
          <ProblemList
            problems={agent.problems}
            agentOf={({ file }) => (file === agent.file ? agent.name : undefined)}
          />
        </Panel>
      )}
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <AgentFacts agent={agent} explanation={explanation.data} />
        {usable && (
          <Loaded query={explanation} what="Working out what the agent can reach">
            {(data) => <WorstCase explanation={data} />}
          </Loaded>
        )}
      </div>
    </>
  );
}

interface AgentFactsProps {
  agent: AgentDetail;
  explanation: ExplanationView | undefined;
}

/** Basic facts about the agent: its file, its models, its limits, and which agent writes the final answer. */
function AgentFacts({ agent, explanation }: AgentFactsProps) {
  const { definition, models } = agent;
  return (
    <Panel title="About">
      <div className="flex flex-col gap-3 px-4 py-3">
        <p>
          <VisibleText text={agent.description} />
        </p>
        <Facts>
          <Fact name="File">
            <VisibleText text={agent.file} />
          </Fact>
          <Fact name="Found in">
            {FOUND_IN[agent.scope]}
            {agent.dialect !== "cadre" && `, written for ${agent.dialect}`}
          </Fact>
          <Fact name="Models">
            {definition?.inheritsModel
              ? "same as the agent that starts it"
              : models.join(", then ") || "none"}
          </Fact>
          {explanation && <ExplainedFacts explanation={explanation} />}
          {definition?.workspace === "worktree" && <Fact name="Works in">its own git worktree</Fact>}
        </Facts>
      </div>
    </Panel>
  );
}

const FOUND_IN = { project: "this project", user: "your home folder", builtin: "Cadre itself" };

function ExplainedFacts({ explanation }: { explanation: ExplanationView }) {
  const { isTerminal, terminals, limits } = explanation;
  const { maxTurns, maxDuration, maxDepth, maxChildren, maxTokens, maxCost } = limits;
  const budget = [
    maxTokens !== undefined && `${shortCount(maxTokens)} tokens`,
    maxCost !== undefined && money(maxCost),
  ].filter(Boolean);
  return (
    <>
      <Fact name="Answered by">
        {isTerminal && "itself"}
        {terminals
          .filter(({ path }) => path.length > 0)
          .map(({ agent, path }, index) => (
            <Fragment key={agent}>
              {(index > 0 || isTerminal) && ", "}
              <AgentLink name={agent} className="text-accent underline" />{" "}
              <span className="text-muted">({path.map(({ key }) => EDGE_LOOKS[key].word).join(", ")})</span>
            </Fragment>
          ))}
      </Fact>
      <Fact name="At most">
        {maxTurns} turns, {duration(maxDuration)} of active time
      </Fact>
      <Fact name="Delegation">
        {maxDepth} levels deep, {maxChildren} children per run
      </Fact>
      <Fact name="Budget">{budget.join(", ") || "no limit of its own"}</Fact>
    </>
  );
}

/**
 * The most that one task can do: which tools this agent and the agents below it can call, and how many runs they can start.
 * Most tasks do much less than this.
 */
function WorstCase({ explanation }: { explanation: ExplanationView }) {
  const { blastRadius, worstCase, limits, reachable } = explanation;
  const depth = Math.max(0, ...reachable.flatMap(({ ways }) => ways.map((way) => way.depth)));
  return (
    <Panel title="Worst case of one task" note="by this agent and all agents it can reach">
      <div className="grid grid-cols-1 gap-2 p-3 sm:grid-cols-3">
        <Power on={blastRadius.changesFiles} icon={FilePen} what="change files" />
        <Power on={blastRadius.runsCommands} icon={Terminal} what="run commands" />
        <Power on={blastRadius.reachesNetwork} icon={Globe} what="use the network" />
      </div>
      <p className="px-4 pb-3 text-sm">
        At most <strong>{plural(worstCase.runs, "run")}</strong> with{" "}
        <strong>{plural(worstCase.turns, "turn")}</strong> in all
        {depth > 0 ? `, ${plural(depth, "level")} deep` : ""}
        {limits.maxCost === undefined
          ? ", with no cost limit of its own"
          : `, ${money(limits.maxCost)} for its own calls`}
        {worstCase.unpriced && `. The price of ${worstCase.unpriced.join(", ")} is unknown`}
        {worstCase.capped ? ". The limit of the tree applies first." : "."}
      </p>
      {blastRadius.tools.length > 0 && <WhoMay explanation={explanation} />}
    </Panel>
  );
}

interface PowerProps {
  on: boolean;
  icon: typeof Globe;
  what: string;
}

function Power({ on, icon: Icon, what }: PowerProps) {
  return (
    <div
      className={classNames(
        "flex items-center gap-2 rounded-md border px-3 py-2 text-sm",
        on ? "border-warn bg-warn-soft text-warn" : "border-line text-muted",
      )}
    >
      <Icon size={16} aria-hidden />
      {on ? "Can" : "Cannot"} {what}
    </div>
  );
}

/** A table of the tools with side effects. Each row names the agents that are allowed to call the tool. */
function WhoMay({ explanation }: { explanation: ExplanationView }) {
  const { tools } = explanation.blastRadius;
  const agents = [...new Set(tools.flatMap(({ by }) => by.map(({ agent }) => agent)))];
  return (
    <DataTable
      label="Tools with side effects, and the agents that may call them"
      className="border-line border-t"
      hasRowNames
      head={["Agent", ...tools.map(({ name }) => name)]}
      rows={agents.map((agent) => ({
        key: agent,
        cells: [
          <AgentLink key="agent" name={agent} />,
          ...tools.map(({ name, by }) => (
            <ToolAccess key={name} holder={by.find((each) => each.agent === agent)} />
          )),
        ],
      }))}
    />
  );
}

function ToolAccess({ holder }: { holder: { only?: string[] } | undefined }) {
  if (!holder) return <Minus size={13} role="img" aria-label="no" className="inline text-edge" />;
  if (!holder.only) return <Check size={13} role="img" aria-label="yes" className="inline text-warn" />;
  return (
    <span className="font-mono text-2xs" title="Limited to these calls">
      <VisibleText text={holder.only.join(", ")} />
    </span>
  );
}
