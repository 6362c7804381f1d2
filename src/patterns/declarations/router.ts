// Router: the agent only chooses which other agent does the work.

import { z } from "zod";
import { AgentName, SomeNames } from "../../config/names.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type CheckedDefinition, type CheckedSet, declarePattern } from "./declaration.ts";
import { errorAt, type Finding, warningAt } from "./finding.ts";
import { largestCost } from "./run-cost.ts";

/** The slot of the fallback, which receives a request if the router could not choose an agent. */
export const FALLBACK_SLOT = "fallback";

const RouterInput = z.union([
  z.literal(true).describe("The destinations are those of `agents`"),
  z.strictObject({
    destinations: SomeNames,
    fallback: AgentName.optional().describe("Agent that gets a request which the router could not place"),
    allowAnswer: z.boolean().optional().describe("Lets it answer a trivial request itself (false)"),
  }),
]);

const Router = z.object({
  destinations: z.array(z.string()).min(1),
  fallback: z.string().optional(),
  allowAnswer: z.boolean(),
});

export const router = declarePattern({
  key: "router",
  stage: "route",
  input: RouterInput.describe("It only chooses which agent does the work"),
  pinned: Router,
  pin(written, { agents, hasSubagents, reportError }) {
    if (hasSubagents) {
      reportError({
        code: "ROUTER_SUBAGENTS",
        message: "`router` and `subagents` exclude each other: a router only chooses who does the work",
        suggestion: "name its destinations in `agents`",
      });
      return undefined;
    }
    if (written !== true) {
      const { destinations, fallback, allowAnswer = false } = written;
      return omitUndefined({ destinations, fallback, allowAnswer });
    }
    if (agents && agents.length > 0) return { destinations: [...agents], allowAnswer: false };
    reportError({
      code: "ROUTER_EMPTY",
      message: "`router: true` has no agents to choose from",
      suggestion: "name its destinations in `agents`",
    });
    return undefined;
  },
  agentFields: ["destinations", "fallback"],
  isOnlyOurs: true,
  trigger: {
    name: "route",
    part: (slot) => (slot === FALLBACK_SLOT ? "fallback" : "routed"),
    badge: (slot) =>
      slot === FALLBACK_SLOT
        ? { start: "FALLBACK TO", what: "FALLBACK" }
        : { start: "ROUTED TO", what: "ROUTE" },
    reason: (agent) => `the router chose ${agent}`,
    takesOver: true,
  },
  edge: {
    verb: "routes to",
    label: "routes",
    meaning: "chooses which agent gets the whole request",
    line: { width: 1.5, dash: "9 4" },
  },
  answer: "target",
  worstCase: (_, { below }) => largestCost(below),
  check: checkRouter,
  ownTools: { may: "none", why: "a router only chooses an agent" },
  /** The router has one turn for its choice, and one for a correction. */
  ownTurns: 2,
  choices: ({ destinations }) => destinations,
  takesDelegates: (written) => written === true,
  mayAnswer: ({ allowAnswer }) => allowAnswer,
  guidance: ({ allowAnswer }, delegates) =>
    [
      "## Routing",
      "",
      "You only decide who handles the request; it is passed on as it is. Call `route_to` once, with the reason.",
      "",
      ...delegates.map(({ name, description }) => `- **${name}**: ${description}`),
      ...(allowAnswer ? ["", "You may answer a trivial request yourself, with plain text."] : []),
    ].join("\n"),
});

const OWN_TOOLS = new Set(["route_to", "final_report"]);

/** A router has only the tool `route_to` (S3-24, S3-28): if it also worked or delegated, the work would be paid for twice. */
function* checkRouter(
  { destinations, fallback, allowAnswer }: z.infer<typeof Router>,
  { agents, tools, finalizes }: CheckedDefinition,
  set: CheckedSet,
): Iterable<Finding> {
  for (const name of agents) {
    if (destinations.includes(name) || name === fallback) continue;
    const message = `a router does not delegate, and \`${name}\` is not one of its destinations`;
    const suggestion = "add it to `router.destinations`, or take it out of `agents`";
    yield errorAt("agents", "ROUTER_AGENTS", message, { names: name, suggestion });
  }
  const others = (tools.allow ?? []).filter((name) => !OWN_TOOLS.has(name));
  if (others.length > 0) {
    const message = `a router has no tools but \`route_to\`: ${others.join(", ")}`;
    yield errorAt("tools", "ROUTER_TOOLS", message, { suggestion: "remove `tools`" });
  }
  for (const name of destinations) {
    if (set.find(name)?.delegable !== false) continue;
    const message = `only people may start \`${name}\`, so a router cannot choose it`;
    yield errorAt("router", "NOT_DELEGABLE", message, { names: name });
  }
  if (allowAnswer && finalizes === false) {
    const message = "`allowAnswer` has no effect: its `policy` has no `Finalize`";
    yield warningAt("router", "ANSWER_WITHHELD", message);
  }
}
