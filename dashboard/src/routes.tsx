// The routes of the page. Each page loads on first use.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { omitUndefined } from "../../src/omit-undefined.ts";
import { parseDecisionsSearch } from "./components/decisions/decisions-search.ts";
import { parseRunsSearch } from "./components/runs/filter.ts";
import { Shell } from "./components/shell/shell.tsx";
import { Failure, Loading } from "./display/page-state.tsx";
import { loadWhenServed } from "./live/load-when-served.ts";
import { NotFound } from "./pages/not-found.tsx";
import { parseRunSearch } from "./pages/run-search.ts";
import {
  parseAgentSearch,
  parseAgentsSearch,
  parseCompareSearch,
  parseInboxSearch,
  parseUsageSearch,
} from "./pages/search.ts";
import { textParam } from "./ui/search-params.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const runs = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: (search) => ({
    ...parseRunsSearch(search),
    ...omitUndefined({ runId: textParam(search["runId"]) }),
  }),
  // S0-76: supports links like `/?runId=r1`.
  beforeLoad: ({ search: { runId } }) => {
    if (runId !== undefined) throw redirect({ to: "/r/$runId", params: { runId } });
  },
  component: lazyPage(() => import("./pages/runs.tsx"), "RunsPage"),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/r/$runId",
  validateSearch: (search) => parseRunSearch(search),
  component: lazyPage(() => import("./pages/run.tsx"), "RunPage"),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  validateSearch: (search) => parseInboxSearch(search),
  component: lazyPage(() => import("./pages/inbox.tsx"), "InboxPage"),
});

const decisions = createRoute({
  getParentRoute: () => root,
  path: "/decisions",
  validateSearch: (search) => parseDecisionsSearch(search),
  component: lazyPage(() => import("./pages/decisions.tsx"), "DecisionsPage"),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: "/agents",
  validateSearch: (search) => parseAgentsSearch(search),
  component: lazyPage(() => import("./pages/agents.tsx"), "AgentsPage"),
});

const agent = createRoute({
  getParentRoute: () => root,
  path: "/agents/$name",
  validateSearch: (search) => parseAgentSearch(search),
  component: lazyPage(() => import("./pages/agent.tsx"), "AgentPage"),
});

const chat = createRoute({
  getParentRoute: () => root,
  path: "/chat",
  component: lazyPage(() => import("./pages/chat.tsx"), "ChatPage"),
});

const session = createRoute({
  getParentRoute: () => root,
  path: "/chat/$sessionId",
  component: lazyPage(() => import("./pages/chat.tsx"), "ChatPage"),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: "/usage",
  validateSearch: (search) => parseUsageSearch(search),
  component: lazyPage(() => import("./pages/usage.tsx"), "UsagePage"),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: (search) => parseCompareSearch(search),
  component: lazyPage(() => import("./pages/compare.tsx"), "ComparePage"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyPage(() => import("./pages/settings.tsx"), "SettingsPage"),
});

function lazyPage<Module extends object, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(loadWhenServed(load), name);
}

export const router = createRouter({
  routeTree: root.addChildren([
    runs,
    run,
    inbox,
    decisions,
    agents,
    agent,
    chat,
    session,
    usage,
    compare,
    settings,
  ]),
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
