import { useQuery } from "@tanstack/react-query";
import type { AgentDetail } from "../../../../../src/api/client/types.ts";
import { Failure, Loading } from "../../../display/page-state.tsx";
import { explanationQuery } from "../../../live/queries.ts";
import { Panel } from "../../../ui/panel.tsx";
import { ProblemList } from "../problem-list.tsx";
import { AgentFacts } from "./agent-facts.tsx";
import { WorstCase } from "./worst-case.tsx";

/** The agent's facts, its problems, and the worst case of one task. */
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
        {usable && explanation.isPending && <Loading what="Working out what it can reach" />}
        {explanation.isError && (
          <Failure error={explanation.error} onAgain={() => void explanation.refetch()} />
        )}
        {explanation.data && <WorstCase explanation={explanation.data} />}
      </div>
    </>
  );
}
