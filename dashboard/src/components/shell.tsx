// The frame around every page: where one can go, what waits for a person, and whether the page is live.

import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { Activity, Bot, ChartColumn, Inbox, MessagesSquare, Settings } from "lucide-react";
import { useEffect } from "react";
import { keepQueriesFresh } from "../live/follow-feed.ts";
import { approvalsQuery } from "../live/queries.ts";
import { listenForHotkeys, useHotkeys } from "../ui/hotkeys.ts";
import { ConnectionBadge } from "./connection-badge.tsx";
import { PinnedRun } from "./run-header/pinned-run.tsx";

const PLACES = [
  { to: "/", label: "Runs", keys: "g r", icon: Activity },
  { to: "/inbox", label: "Inbox", keys: "g i", icon: Inbox },
  { to: "/agents", label: "Agents", keys: "g a", icon: Bot },
  { to: "/chat", label: "Chat", keys: "g c", icon: MessagesSquare },
  { to: "/usage", label: "Usage", keys: "g u", icon: ChartColumn },
  { to: "/settings", label: "Settings", keys: "g s", icon: Settings },
] as const;

export function Shell() {
  const navigate = useNavigate();
  useEffect(keepQueriesFresh, []);
  useEffect(listenForHotkeys, []);
  useHotkeys(
    PLACES.map(({ to, label, keys }) => ({
      keys,
      label: `Go to ${label}`,
      run: () => void navigate({ to }),
    })),
  );
  return (
    <div className="flex h-full flex-col-reverse md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-2"
      >
        Skip to the page
      </a>
      <Places />
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        <Outlet />
        <PinnedRun />
      </main>
    </div>
  );
}

function Places() {
  const approvals = useQuery(approvalsQuery);
  const waiting = approvals.data?.length ?? 0;
  return (
    <nav
      aria-label="Pages"
      className="flex shrink-0 justify-around border-line border-t bg-surface md:w-44 md:flex-col md:justify-start md:gap-0.5 md:border-t-0 md:border-r md:p-2"
    >
      <div className="hidden items-center gap-2 px-2 py-3 font-semibold md:flex">
        <img src="/favicon.svg" alt="" className="size-5" /> Cadre
      </div>
      {PLACES.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/" }}
          className="flex flex-col items-center gap-0.5 rounded-md px-2 py-1.5 text-2xs text-muted hover:bg-raised hover:text-ink md:flex-row md:gap-2 md:text-sm [&.active]:bg-accent-soft [&.active]:text-accent"
        >
          <Icon size={16} aria-hidden />
          {label}
          {to === "/inbox" && waiting > 0 && (
            <span className="rounded-full bg-warn px-1.5 font-semibold text-2xs text-surface md:ml-auto">
              {waiting}
              <span className="sr-only"> waiting for you</span>
            </span>
          )}
        </Link>
      ))}
      <div className="hidden px-2 py-2 md:mt-auto md:block">
        <ConnectionBadge />
      </div>
    </nav>
  );
}
