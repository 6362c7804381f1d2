// U19: the badge that shows on every page whether the page is live.

import { CloudOff, LoaderCircle, Lock, Radio } from "lucide-react";
import { useEffect, useState } from "react";
import { plural } from "../../../../src/projections/words/format.ts";
import { type Connection, useConnection } from "../../live/connection.ts";
import { Badge } from "../../ui/badge.tsx";

export function ConnectionBadge() {
  const connection = useConnection();
  const isRecent = useJustReconnected(connection);
  const { icon: Icon, tone, text } = LOOKS[connection.state];
  return (
    <Badge tone={tone} title={TITLES[connection.state]}>
      <Icon size={11} aria-hidden className={Icon === LoaderCircle ? "animate-spin" : undefined} />
      <span data-testid="connection">{(isRecent && textOf(connection)) || text}</span>
    </Badge>
  );
}

const RECENT_MS = 6_000;

/** After a reconnect the badge briefly shows how many events arrived, and then shows "Live" again. */
function useJustReconnected({ state, caughtUp }: Connection): boolean {
  const [isRecent, setRecent] = useState(false);
  useEffect(() => {
    setRecent(state === "live" && caughtUp !== undefined);
    const timer = setTimeout(() => setRecent(false), RECENT_MS);
    return () => clearTimeout(timer);
  }, [state, caughtUp]);
  return isRecent;
}

function textOf({ state, caughtUp }: Connection): string | undefined {
  return state === "live" && caughtUp ? `Caught up ${plural(caughtUp, "event")}` : undefined;
}

const LOOKS = {
  connecting: { icon: LoaderCircle, tone: "muted", text: "Connecting" },
  live: { icon: Radio, tone: "good", text: "Live" },
  lost: { icon: CloudOff, tone: "bad", text: "Reconnecting" },
  "signed-out": { icon: Lock, tone: "bad", text: "Signed out" },
} as const;

const TITLES = {
  connecting: "Connecting to the server",
  live: "This page is up to date",
  lost: "The server does not respond, so this page may be out of date. Everything recorded is safe.",
  "signed-out": "The token has changed: `cadre up` prints a new link",
};
