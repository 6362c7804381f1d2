// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are templates

import { expect, test } from "vitest";
import { aiAgentDialect } from "./ai-agent.ts";
import { codesOf, plain, translateAll } from "./dialect.fixture.ts";

const translate = (yaml: string, body = "Body.") =>
  translateAll(aiAgentDialect, `---\n${yaml}\n---\n${body}\n`, "agents/team/lead.ai")[0]!;

test.each<[yaml: string, keys: object, codes?: string[]]>([
  ["description: d\nusage: say the city", { description: "d", usage: "say the city", tools: [] }],
  ["tools: [brave, fetch]", { tools: ["mcp__brave__*", "mcp__fetch__*"] }],
  ["tools: Read", { tools: ["mcp__Read__*"] }],
  ["tools: []", { tools: [] }],
  ["tools:", { tools: [] }, ["TOOLS_EMPTY"]],
  ["models: [openai/a, anthropic/b]", { model: ["openai/a", "anthropic/b"], tools: [] }],
  [
    "agents: [./coder.ai, ../web/search.ai, ../../far/off.ai, plain]",
    {
      agents: ["team/coder", "web/search", "off", "plain"],
      tools: [],
    },
  ],
  ["handoff: ./final.ai", { handoff: "team/final", tools: [] }],
  ["handoff: [./final.ai]", { handoff: "team/final", tools: [] }],
  ["handoff: [a, b]", { tools: [] }, ["BAD_HANDOFF"]],
  ["router: {destinations: [./a.ai, ./b.ai]}", { router: { destinations: ["team/a", "team/b"] }, tools: [] }],
  ["routerDestinations: [./a.ai]", { router: { destinations: ["team/a"] }, tools: [] }],
  ["advisors: [./a.ai]", { advisors: ["team/a"], tools: [] }],
  ["agents: {a: b}", { tools: [] }, ["BAD_AGENTS"]],
  [
    "toolTimeout: 60s\nmaxToolCallsPerTurn: 4\nmaxTurns: 9",
    {
      limits: { toolTimeout: 60_000, maxToolCallsPerTurn: 4, maxTurns: 9 },
      tools: [],
    },
  ],
  ["output: {format: json, schema: {type: object}}", { output: { type: "object" }, tools: [] }],
  ["output: {format: markdown}\ninput: {format: text}", { tools: [] }],
  ["toolResponseMaxBytes: 10\ncache: 1h", { tools: [] }, ["UNSUPPORTED_KEY", "UNSUPPORTED_KEY"]],
])("an ai-agent file is translated: %s", (yaml, keys, codes = []) => {
  const result = translate(yaml);
  expect(plain(result.keys)).toEqual(keys);
  expect(codesOf(result)).toEqual(codes);
});

test("a directive that includes a file is converted to Cadre's include; other text is unchanged", () => {
  const body =
    "{% render 'tone.md' %} {%- include \"a/b.md\" -%} {% if x %} {{ y }} ${DATETIME} {% render tone %}";
  expect(translate("description: d", body).body).toBe(
    "${include:tone.md} ${include:a/b.md} {% if x %} {{ y }} ${DATETIME} {% render tone %}",
  );
});
