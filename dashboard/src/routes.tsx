// The routes of the page. Each page loads on first use.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { parseRunsSearch, type RunsSearch } from "./components/runs/runs-search.ts";
import { Shell } from "./components/shell/shell.tsx";
import { Failure } from "./display/failure.tsx";
import { Loading } from "./display/loading.tsx";
import { loadWhenServed } from "./live/load-when-served.ts";
import { type AgentSearch, parseAgentSearch } from "./pages/agent-search.ts";
import { type AgentsSearch, parseAgentsSearch } from "./pages/agents-search.ts";
import { type CompareSearch, parseCompareSearch } from "./pages/compare-search.ts";
import { type InboxSearch, parseInboxSearch } from "./pages/inbox-search.ts";
import { NotFound } from "./pages/not-found.tsx";
import { parseRunSearch, type RunSearch } from "./pages/run-search.ts";
import { parseUsageSearch, type UsageSearch } from "./pages/usage-search.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const runs = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: (search): RunsSearch & { runId?: string } => ({
    ...parseRunsSearch(search),
    ...(typeof search["runId"] === "string" ? { runId: search["runId"] } : {}),
  }),
  // S0-76: supports links like `/?runId=r1`.
  beforeLoad: ({ search: { runId } }) => {
    if (runId !== undefined) throw redirect({ to: "/r/$runId", params: { runId } });
  },
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/runs.tsx")),
    "RunsPage",
  ),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/r/$runId",
  validateSearch: (search): RunSearch => parseRunSearch(search),
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/run.tsx")),
    "RunPage",
  ),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  validateSearch: (search): InboxSearch => parseInboxSearch(search),
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/inbox.tsx")),
    "InboxPage",
  ),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: "/agents",
  validateSearch: (search): AgentsSearch => parseAgentsSearch(search),
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/agents.tsx")),
    "AgentsPage",
  ),
});

const agent = createRoute({
  getParentRoute: () => root,
  path: "/agents/$name",
  validateSearch: (search): AgentSearch => parseAgentSearch(search),
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/agent.tsx")),
    "AgentPage",
  ),
});

const chat = createRoute({
  getParentRoute: () => root,
  path: "/chat",
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/chat.tsx")),
    "ChatPage",
  ),
});

const session = createRoute({
  getParentRoute: () => root,
  path: "/chat/$sessionId",
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/chat.tsx")),
    "ChatPage",
  ),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: "/usage",
  validateSearch: (search): UsageSearch => parseUsageSearch(search),
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/usage.tsx")),
    "UsagePage",
  ),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: (search): CompareSearch => parseCompareSearch(search),
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/compare.tsx")),
    "ComparePage",
  ),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(
    loadWhenServed(() => import("./pages/settings.tsx")),
    "SettingsPage",
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([runs, run, inbox, agents, agent, chat, session, usage, compare, settings]),
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} onAgain={reset} />,
  defaultPendingComponent: () => <Loading />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
