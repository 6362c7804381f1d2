// U43: a banner that appears while the server is down, after it restarted, and while no worker is running.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CloudOff, Hourglass, RefreshCw, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import type { Health } from "../../../../src/api/client/types.ts";
import { clockTime, plural } from "../../../../src/projections/words/format.ts";
import { Command } from "../../display/command/command.tsx";
import { stopClock } from "../../display/time/use-now.ts";
import { useConnection } from "../../live/connection.ts";
import { approvalsQuery, driversQuery, healthQuery, runCountQuery } from "../../live/queries.ts";
import type { Tone } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { NoticeBar } from "../../ui/notice-bar.tsx";
import { DemoBar } from "./demo-bar.tsx";

export function ServerBanner() {
  const { state, since } = useConnection();
  const isLong = useIsLong(state === "lost", since);
  useEffect(() => stopClock(state === "lost"), [state]);
  const [restart, forget] = useRestart();
  const { data: health } = useQuery(healthQuery);
  const idle = useMissingWorkers();
  if (state === "signed-out")
    return (
      <Bar tone="bad">
        This browser is no longer signed in, because the token has changed. Nothing is lost. Get a new link:
        <Command words="up" />
      </Bar>
    );
  // The demo kills its server on purpose. It shows its own bar instead of this banner.
  if (health?.demo) return <DemoBar startedAt={health.startedAt} />;
  if (state === "lost" && isLong)
    return (
      <Bar tone="bad">
        <CloudOff size={15} aria-hidden className="shrink-0" />
        <span>
          The server has not responded since {clockTime(since)}, so all clocks are stopped. Everything
          recorded is safe. This page reconnects on its own.
        </span>
      </Bar>
    );
  if (idle !== undefined && state === "live")
    return (
      <Bar tone="warn">
        <NoWorkers {...idle} />
      </Bar>
    );
  if (restart !== undefined && state === "live") return <Recovered startedAt={restart} onClose={forget} />;
  return null;
}

/** An interruption shorter than this shows no banner. */
const BLINK_MS = 1_500;

function useIsLong(isLost: boolean, since: number): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (!isLost) return;
    const timer = setTimeout(() => setLong(true), Math.max(0, since + BLINK_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [isLost, since]);
  return isLong;
}

/** The time of the server's last restart while this page was open. Undefined if the server did not restart. */
function useRestart(): [startedAt: number | undefined, forget: () => void] {
  const { data } = useQuery(healthQuery);
  const [known, setKnown] = useState<number>();
  const [restart, setRestart] = useState<number>();
  const startedAt = data?.startedAt;
  useEffect(() => {
    if (startedAt === undefined || startedAt === known) return;
    setKnown(startedAt);
    if (known !== undefined) setRestart(startedAt);
  }, [startedAt, known]);
  return [restart, () => setRestart(undefined)];
}

function Recovered({ startedAt, onClose }: { startedAt: number; onClose(): void }) {
  const going = useQuery(runCountQuery({ status: ["pending", "running", "waiting"] }));
  const approvals = useQuery(approvalsQuery);
  const waiting = approvals.data?.length ?? 0;
  return (
    <Bar tone="info" onClose={onClose}>
      <RefreshCw size={15} aria-hidden className="shrink-0" />
      <span>
        The server restarted at {clockTime(startedAt)}:{" "}
        {going.data ? `${plural(going.data, "run")} resumed` : "no runs were active"}
        {waiting === 0 ? ", and none needs a decision." : ", "}
        {waiting > 0 && (
          <Link to="/inbox" className="font-medium underline">
            {waiting} {waiting === 1 ? "needs" : "need"} a decision
          </Link>
        )}
      </span>
    </Bar>
  );
}

interface BarProps {
  tone: Tone;
  onClose?: () => void;
  children: ReactNode;
}

function Bar({ tone, onClose, children }: BarProps) {
  return (
    <NoticeBar tone={tone} role="alert" data-testid="server">
      {children}
      {onClose && <IconButton icon={X} label="Close" className="ml-auto" onClick={onClose} />}
    </NoticeBar>
  );
}

/** Runs that wait because no worker is running. This happens on a server that leaves runs to separate workers. */
interface Idle {
  /** Number of runs waiting for a worker. */
  due: number;
  /** The pool that has no worker; undefined if all pools lack workers. */
  pool?: string;
}

/** The runs that wait for a missing worker; undefined if every pool with waiting runs has a worker. */
function useMissingWorkers(): Idle | undefined {
  const { data: health } = useQuery(healthQuery);
  const { data } = useQuery({ ...driversQuery, enabled: health?.isShared ?? false });
  return data?.isShared ? idleOf(data) : undefined;
}

const idleOf = ({ drives, due = 0, idlePools = [] }: Health): Idle | undefined =>
  drives ? idlePools[0] : { due };

function NoWorkers({ due, pool }: Idle) {
  return (
    <>
      <Hourglass size={15} aria-hidden className="shrink-0" />
      <span>
        No worker is running{pool !== undefined && ` for pool ${pool}`}
        {due > 0 && `, and ${plural(due, "run")} ${due === 1 ? "is" : "are"} waiting`}. Everything recorded is
        safe. Start a worker:
      </span>
      <Command words={pool === undefined ? "worker" : `worker --pool ${pool}`} />
    </>
  );
}
