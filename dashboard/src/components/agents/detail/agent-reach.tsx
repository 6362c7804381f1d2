import { useQuery } from "@tanstack/react-query";
import type { AgentDetail } from "../../../../../src/api/client/types.ts";
import { Failure, Loading } from "../../../display/page-state.tsx";
import { explanationQuery } from "../../../live/queries.ts";
import { ReachList } from "./reach-list.tsx";
import { EffectiveTools } from "./tool-list.tsx";

/** The tools it may call and the agents it can reach. */
export function AgentReach({ agent }: { agent: AgentDetail }) {
  const usable = agent.kind !== undefined;
  const explanation = useQuery({ ...explanationQuery(agent.name), enabled: usable });
  if (!usable)
    return <p className="text-muted text-sm">It cannot run until the errors in its file are fixed.</p>;
  if (explanation.isPending) return <Loading what="Working out what it can reach" />;
  if (explanation.isError)
    return <Failure error={explanation.error} onAgain={() => void explanation.refetch()} />;
  return (
    <>
      <EffectiveTools agent={agent} tools={explanation.data.tools} />
      <ReachList explanation={explanation.data} />
    </>
  );
}
