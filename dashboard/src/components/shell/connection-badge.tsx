// U19: always in sight whether the page is live.

import { CloudOff, LoaderCircle, Lock, Radio } from "lucide-react";
import { useEffect, useState } from "react";
import { plural } from "../../../../src/projections/words/format.ts";
import type { Connection } from "../../live/connection.ts";
import { useConnection } from "../../live/connection.ts";
import { Badge } from "../../ui/badge.tsx";

export function ConnectionBadge() {
  const connection = useConnection();
  const isNews = useIsNews(connection);
  const { icon: Icon, tone, text } = LOOKS[connection.state];
  return (
    <Badge tone={tone} title={TITLES[connection.state]}>
      <Icon size={11} aria-hidden className={Icon === LoaderCircle ? "animate-spin" : undefined} />
      <span data-testid="connection">{(isNews && textOf(connection)) || text}</span>
    </Badge>
  );
}

const NEWS_MS = 6_000;

/** What was caught up with is worth knowing for a moment; "Live" is what counts then. */
function useIsNews({ state, caughtUp }: Connection): boolean {
  const [isNews, setNews] = useState(false);
  useEffect(() => {
    setNews(state === "live" && caughtUp !== undefined);
    const timer = setTimeout(() => setNews(false), NEWS_MS);
    return () => clearTimeout(timer);
  }, [state, caughtUp]);
  return isNews;
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
  connecting: "Asking the server",
  live: "What you see is what is recorded now",
  lost: "The server does not answer: what you see may be old. What was recorded is safe.",
  "signed-out": "The token was changed: `cadre up` prints a new link",
};
