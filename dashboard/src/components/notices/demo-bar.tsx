// The bar of `cadre up --demo`. Its button kills the server like a power cut.
// While the server is down, the bar says so. After the restart, the bar shows how many runs were recovered.

import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Unplug } from "lucide-react";
import type { Recovery } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { client } from "../../live/client.ts";
import { useConnection } from "../../live/connection.ts";
import { approvalsQuery, crashReportQuery } from "../../live/queries.ts";
import { Button } from "../../ui/button.tsx";
import { NoticeBar } from "../../ui/notice-bar.tsx";

export function DemoBar({ startedAt }: { startedAt: number }) {
  const { state } = useConnection();
  // The response might be lost, because the server dies. The connection state shows the result.
  const pull = useMutation({ mutationFn: () => client.post("/api/plug").catch(() => {}) });
  return (
    <NoticeBar tone="plain" role="region" aria-label="Demo">
      <p role="status" className="min-w-0">
        {state === "lost" ? <ServerDown /> : <LastCrash startedAt={startedAt} />}
      </p>
      <Button
        look="danger"
        size="small"
        className="ml-auto max-md:h-10"
        disabled={state !== "live" || pull.isPending}
        title="Kills the server with SIGKILL, whatever it is doing"
        onClick={() => pull.mutate()}
      >
        <Unplug size={14} aria-hidden /> Pull the plug
      </Button>
    </NoticeBar>
  );
}

const ServerDown = () => (
  <>
    <strong className="text-bad">Server down.</strong> It was killed without warning; a supervisor restarts
    it.
  </>
);

function LastCrash({ startedAt }: { startedAt: number }) {
  const { data } = useQuery(crashReportQuery(startedAt));
  if (data?.last) return <Recovered {...data.last} />;
  return (
    <span className="text-muted">
      Demo: everything is real except the model's text. Try killing the server while it works.
    </span>
  );
}

function Recovered({ recovered, missing, ms, repeated }: Recovery) {
  const approvals = useQuery(approvalsQuery);
  const decisions = approvals.data?.length ?? 0;
  return (
    <>
      <strong>
        Recovered{" "}
        {missing === 0 ? plural(recovered, "run") : `${recovered} of ${plural(recovered + missing, "run")}`}{" "}
        in {(ms / 1000).toFixed(1)} s
      </strong>
      , effects repeated: {repeated},{" "}
      {decisions === 0 ? (
        "decisions needed: 0"
      ) : (
        <Link to="/inbox" className="font-medium underline">
          decisions needed: {decisions}
        </Link>
      )}
    </>
  );
}
