import { useQuery } from "@tanstack/react-query";
import type { AgentDetail } from "../../../../../src/api/client/types.ts";
import { Failure } from "../../../display/failure.tsx";
import { Loading } from "../../../display/loading.tsx";
import { explanationQuery } from "../../../live/queries.ts";
import { ReachList } from "./reach-list.tsx";
import { EffectiveTools } from "./tool-list.tsx";

/** What it may call itself, and whom it can come to start. */
export function AgentReach({ agent }: { agent: AgentDetail }) {
  const usable = agent.kind !== undefined;
  const explanation = useQuery({ ...explanationQuery(agent.name), enabled: usable });
  if (!usable)
    return <p className="text-muted text-sm">It can do nothing until the errors in its file are mended.</p>;
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
