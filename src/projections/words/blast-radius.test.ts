import { expect, test } from "vitest";
import type { BlastRadius } from "../../journal/blast-radius.ts";
import { describeBlastRadius, describeEdge, describeToolReach, newInBlastRadius } from "./blast-radius.ts";

const radius = (more: Partial<BlastRadius> = {}): BlastRadius => ({
  ...{ agent: "a", agents: [{ agent: "a" }], levels: 0, powers: [], tools: [], hosts: [], never: [] },
  ...{ runs: 1, turns: 20 },
  ...more,
});

test("[BR1] one line sums up the blast radius", () => {
  expect(describeBlastRadius(radius({ maxCost: 0.1 + 0.2 }))).toBe("could only read, spend up to $0.30");
  const wide = radius({
    agents: [{ agent: "a" }, { agent: "b" }, { agent: "c" }],
    levels: 2,
    powers: [{ power: "commands" }, { power: "files" }, { power: "network" }],
    tools: [{ name: "Write", by: ["a"], only: ["Write(src/**)"] }],
    hosts: [{ host: "a.com" }, { host: "b.com" }],
  });
  expect(describeBlastRadius(wide)).toBe(
    "could run commands, change files, reach 2 hosts, start 2 more agents, go 2 levels deeper, spend without a limit of its own",
  );
});

test("[BR1] the line names the paths that tools are restricted to, unless one of the tools is unrestricted", () => {
  const writes = (...only: (string[] | undefined)[]) =>
    describeBlastRadius(
      radius({
        powers: [{ power: "files" }],
        tools: only.map((rules, at) => ({
          name: at ? "Edit" : "Write",
          by: ["a"],
          files: "paths" as const,
          ...(rules && { only: rules }),
        })),
        maxCost: 1,
      }),
    );
  expect(writes(["Write(src/**)"], ["Edit(src/**)", "Edit(a)"])).toMatch(/^could change src\/\*\*, a, /);
  expect(writes(["Write(src/**)"], undefined)).toMatch(/^could change files, /);
});

test("[BR2] the text lists new tools and hosts, with the agents that can use them", () => {
  const tools = [
    { name: "Bash", by: ["a", "b", "c", "d", "e"], isNew: true as const },
    { name: "Write", by: ["a"], only: ["Write(src/**)"] },
  ];
  const hosts = [{ host: "a.com", isNew: true as const }, { host: "b.com" }];
  expect(newInBlastRadius(radius({ tools, hosts }))).toEqual(["Bash", "a.com"]);
  expect(tools.map(describeToolReach)).toEqual([
    "held by a, b, c, d, 1 more",
    "only Write(src/**); held by a",
  ]);
  expect(describeEdge({ agent: "b", from: "a", key: "handoff" })).toBe("a hands over to b");
});
