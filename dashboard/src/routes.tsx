// Where everything is. Pages are loaded when they are first opened.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { type RunsSearch, runsSearch } from "./components/runs/runs-search.ts";
import { Shell } from "./components/shell.tsx";
import { Failure } from "./display/failure.tsx";
import { Loading } from "./display/loading.tsx";
import { whenServed } from "./live/load-page.ts";
import { type AgentSearch, agentSearch } from "./pages/agent-search.ts";
import { type AgentsSearch, agentsSearch } from "./pages/agents-search.ts";
import { type CompareSearch, compareSearch } from "./pages/compare-search.ts";
import { type InboxSearch, inboxSearch } from "./pages/inbox-search.ts";
import { NotFound } from "./pages/not-found.tsx";
import { type RunSearch, runSearch } from "./pages/run-search.ts";
import { type UsageSearch, usageSearch } from "./pages/usage-search.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const runs = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: (search): RunsSearch & { runId?: string } => ({
    ...runsSearch(search),
    ...(typeof search["runId"] === "string" ? { runId: search["runId"] } : {}),
  }),
  // S0-76: links of the form `/?runId=…`.
  beforeLoad: ({ search: { runId } }) => {
    if (runId !== undefined) throw redirect({ to: "/r/$runId", params: { runId } });
  },
  component: lazyRouteComponent(
    whenServed(() => import("./pages/runs.tsx")),
    "RunsPage",
  ),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/r/$runId",
  validateSearch: (search): RunSearch => runSearch(search),
  component: lazyRouteComponent(
    whenServed(() => import("./pages/run.tsx")),
    "RunPage",
  ),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  validateSearch: (search): InboxSearch => inboxSearch(search),
  component: lazyRouteComponent(
    whenServed(() => import("./pages/inbox.tsx")),
    "InboxPage",
  ),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: "/agents",
  validateSearch: (search): AgentsSearch => agentsSearch(search),
  component: lazyRouteComponent(
    whenServed(() => import("./pages/agents.tsx")),
    "AgentsPage",
  ),
});

const agent = createRoute({
  getParentRoute: () => root,
  path: "/agents/$name",
  validateSearch: (search): AgentSearch => agentSearch(search),
  component: lazyRouteComponent(
    whenServed(() => import("./pages/agent.tsx")),
    "AgentPage",
  ),
});

const chat = createRoute({
  getParentRoute: () => root,
  path: "/chat",
  component: lazyRouteComponent(
    whenServed(() => import("./pages/chat.tsx")),
    "ChatPage",
  ),
});

const session = createRoute({
  getParentRoute: () => root,
  path: "/chat/$sessionId",
  component: lazyRouteComponent(
    whenServed(() => import("./pages/chat.tsx")),
    "ChatPage",
  ),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: "/usage",
  validateSearch: (search): UsageSearch => usageSearch(search),
  component: lazyRouteComponent(
    whenServed(() => import("./pages/usage.tsx")),
    "UsagePage",
  ),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: (search): CompareSearch => compareSearch(search),
  component: lazyRouteComponent(
    whenServed(() => import("./pages/compare.tsx")),
    "ComparePage",
  ),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(
    whenServed(() => import("./pages/settings.tsx")),
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
