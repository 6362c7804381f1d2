// The frame around every page: navigation, open requests, and the connection badge.

import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { VisibleText } from "../../display/visible-text.tsx";
import { useConnection } from "../../live/connection.ts";
import { approvalsQuery, healthQuery, meQuery } from "../../live/queries.ts";
import { listenForHotkeys, useHotkeys } from "../../ui/hotkeys.ts";
import { Kbd } from "../../ui/kbd.tsx";
import { useShownTitle } from "../../ui/page-title.ts";
import { Notices } from "../notices/notices.tsx";
import { SandboxBanner } from "../notices/sandbox-banner.tsx";
import { ServerBanner } from "../notices/server-banner.tsx";
import { useTabState } from "../notices/tab-state.ts";
import { Toasts } from "../notices/toasts.tsx";
import { PinnedRun } from "../run-header/pinned-run.tsx";
import { ConnectionBadge } from "./connection-badge.tsx";
import { PAGES, pageName } from "./navigation.ts";
import { OtherProjects } from "./other-projects.tsx";

// The palette and the dialogs load on first use.
const Palette = lazy(async () => ({ default: (await import("../palette/palette.tsx")).Palette }));
const HelpDialog = lazy(async () => ({ default: (await import("./help-dialog.tsx")).HelpDialog }));
const StartRunDialog = lazy(async () => ({
  default: (await import("../start-run/start-run-dialog.tsx")).StartRunDialog,
}));

type Opened = "palette" | "help" | "start";

export function Shell() {
  const navigate = useNavigate();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  useEffect(listenForHotkeys, []);
  useHotkeys([
    ...PAGES.map(({ to, label, keys }) => ({
      keys,
      label: `Go to ${label}`,
      run: () => void navigate({ to }),
    })),
    { keys: "mod+k", label: "Find anything", run: () => setOpened("palette") },
    { keys: "n", label: "Start a run", run: () => setOpened("start") },
    { keys: "?", label: "Show keyboard shortcuts", run: () => setOpened("help") },
  ]);
  return (
    <div className="flex h-full flex-col-reverse md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-2"
      >
        Skip to content
      </a>
      <Navigation onFind={() => setOpened("palette")} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ServerBanner />
        <SandboxBanner />
        <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
          <Outlet />
          <PinnedRun />
        </main>
      </div>
      <Notices />
      <Toasts />
      <Suspense>
        {opened === "palette" && (
          <Palette onClose={close} startRun={() => setOpened("start")} help={() => setOpened("help")} />
        )}
        {opened === "help" && <HelpDialog onClose={close} />}
        {opened === "start" && <StartRunDialog onClose={close} />}
      </Suspense>
    </div>
  );
}

function Navigation({ onFind }: { onFind(): void }) {
  const approvals = useQuery(approvalsQuery);
  const waiting = approvals.data?.length ?? 0;
  const { data: me } = useQuery(meQuery);
  const { pathname } = useLocation();
  const { state } = useConnection();
  useTabState({ waiting, isLost: state === "lost", page: useShownTitle() ?? pageName(pathname) });
  return (
    <nav
      aria-label="Pages"
      className="flex shrink-0 justify-around border-line border-t bg-surface md:w-44 md:flex-col md:justify-start md:gap-0.5 md:border-t-0 md:border-r md:p-2"
    >
      <div className="hidden items-center gap-2 px-2 py-3 font-semibold md:flex">
        <img src="/favicon.svg" alt="" className="size-5" /> Cadre
      </div>
      <button
        type="button"
        onClick={onFind}
        className="mb-1 hidden h-8 items-center gap-2 rounded-md border border-line px-2 text-muted text-sm hover:bg-raised md:flex"
      >
        <Search size={14} aria-hidden /> Find
        <span className="ml-auto">
          <Kbd>{navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl"} K</Kbd>
        </span>
      </button>
      {PAGES.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/", includeSearch: false }}
          className="relative flex min-h-12 flex-col items-center justify-center gap-0.5 rounded-md px-2 py-1.5 text-2xs text-muted hover:bg-raised hover:text-ink md:min-h-0 md:flex-row md:justify-start md:gap-2 md:text-sm [&.active]:bg-accent-soft [&.active]:text-accent"
        >
          <Icon size={16} aria-hidden />
          {label}
          {to === "/inbox" && waiting > 0 && (
            <span className="rounded-full bg-warn px-1.5 font-semibold text-2xs text-surface max-md:absolute max-md:top-0.5 max-md:left-1/2 md:ml-auto">
              {waiting}
              <span className="sr-only"> waiting for you</span>
            </span>
          )}
        </Link>
      ))}
      {me?.role === "admin" && <OtherProjects />}
      <div className="hidden flex-col gap-1.5 px-2 py-2 md:mt-auto md:flex">
        <WhereAndWho />
        <ConnectionBadge />
      </div>
    </nav>
  );
}

/** The project, and the user with the role. People who work in several projects must see where they are. */
function WhereAndWho() {
  const { data: health } = useQuery(healthQuery);
  const { data: me } = useQuery(meQuery);
  if (!health || !me) return null;
  return (
    <p className="flex flex-col text-muted text-xs">
      <span className="truncate font-medium text-ink" title={health.folder}>
        <VisibleText text={health.folder.split("/").findLast((part) => part !== "") ?? health.folder} />
      </span>
      <span className="truncate" title={`${me.name}, ${me.role}`}>
        <VisibleText text={`${me.name}, ${me.role}`} />
      </span>
    </p>
  );
}
