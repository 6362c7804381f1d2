// A router has `route_to` and nothing else (S3-24, S3-28): one that could also work or delegate would be paid for twice.

import { type Check, errorAt } from "./check.ts";

const OWN_TOOLS = new Set(["route_to", "final_report"]);

export const checkRouters: Check = ({ definition }, { agents }) => {
  const { router, tools } = definition;
  if (!router) return [];
  const known = new Set([...router.destinations, router.fallback]);
  const beyond = definition.agents.filter((name) => !known.has(name));
  const others = (tools.allow ?? []).filter((name) => !OWN_TOOLS.has(name));
  const hidden = router.destinations.filter((name) => agents.get(name)?.definition?.delegable === false);
  return [
    ...beyond.map((name) =>
      errorAt(
        "agents",
        "ROUTER_AGENTS",
        `a router delegates to nobody, and \`${name}\` is none of its destinations`,
        {
          names: name,
          suggestion: "add it to `router.destinations`, or take it out of `agents`",
        },
      ),
    ),
    ...(others.length > 0
      ? [
          errorAt("tools", "ROUTER_TOOLS", `a router has no tools but \`route_to\`: ${others.join(", ")}`, {
            suggestion: "take `tools` away",
          }),
        ]
      : []),
    ...hidden.map((name) =>
      errorAt(
        "router",
        "NOT_DELEGABLE",
        `no model may call \`${name}\`, so a router cannot choose it: it is for people`,
        { names: name },
      ),
    ),
  ];
};
