import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { judge as judgeWith, toolFacts } from "../../test/support/judge.ts";
import { canReach, powersOf } from "../journal/tool-facts.ts";
import { createJudge } from "../permissions/judge.ts";
import type { PermissionRequest } from "../permissions/permission.ts";
import { type AnyTool, defineTool } from "./tool.ts";

/** A tool as plain JavaScript can define it: no compiler complains about the missing declarations. */
const undeclared = {
  name: "deploy",
  description: "Deploys.",
  input: z.object({}),
  effect: "read",
  execute: async () => ({ output: "done" }),
} as unknown as AnyTool;

const request: PermissionRequest = {
  ...{ tool: "deploy", input: {}, effect: "read", workspace: "/w", now: 0 },
  ...{ gate: { ask: [], deny: [] }, ancestors: [], authority: [], grants: [] },
};

const judge = createJudge((name) => (name === "deploy" ? undeclared : toolFacts(name)));

describe("a tool that declares nothing", () => {
  it("a tool that declares nothing is assumed to reach commands, files and the network", () => {
    expect(powersOf(undeclared)).toEqual(["commands", "files", "network"]);
    expect(canReach({ ...undeclared, reaches: ["nothing"] as never }, "commands")).toBe(true);
    expect(canReach({ ...undeclared, reaches: "network" as never }, "files")).toBe(true);
  });

  it("a tool that declares nothing needs approval by default, like an unknown tool", () => {
    expect(judge(request)).toMatchObject({ verdict: "ask", rule: "default ask deploy" });
    expect(judgeWith(request)).toMatchObject({ verdict: "ask", rule: "default ask deploy" });
    const declared = createJudge(() => ({ reaches: [] }));
    expect(declared(request)).toMatchObject({ verdict: "allow", rule: "default allow deploy" });
  });

  it("[A66] in a tainted run, a tool that declares nothing needs approval even if a rule allows it", () => {
    const authority = [{ source: "project", rules: { allow: ["deploy"], ask: [], deny: [] } }];
    const tainted = { ...request, authority, taint: { sources: ["loki"], hosts: [] } };
    expect(judge({ ...request, authority }).verdict).toBe("allow");
    expect(judge(tainted)).toMatchObject({ verdict: "ask", basis: "taint" });
  });

  it("a tool that declares nothing does not compile in TypeScript", () => {
    // @ts-expect-error: `reaches` is missing.
    const tool = defineTool({ ...undeclared, reaches: undefined });
    expect(tool.name).toBe("deploy");
  });
});

test("[A34] rules about files cover a new tool that declares a path as its target", () => {
  const countLines = {
    reaches: [],
    target: { kind: "path", field: "file", use: "reads" },
  } as const;
  const judged = createJudge(() => countLines);
  const call = (file: string, deny: string[]) =>
    judged({
      ...request,
      input: { file },
      authority: [{ source: "project", rules: { allow: [], ask: [], deny } }],
    }).verdict;
  expect(call("src/.env", ["Read(**/.env)"])).toBe("deny");
  expect(call("src/a.ts", ["Read(**/.env)"])).toBe("allow");
  expect(call("src/a.ts", ["deploy(src/**)"])).toBe("deny");
});
