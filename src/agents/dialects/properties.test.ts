// Tests with random input that a translation never throws, is repeatable, and allows nothing that the file does not name (T1).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Data, readYaml } from "../../config/yaml.ts";
import { isMap, standsFor, wordsIn } from "./dialect.fixture.ts";
import type { SourceFile, Translation } from "./dialect.ts";
import { dialects } from "./index.ts";

const WORDS =
  `tools disallowedTools permission permissions permissionMode model models mode kind agents handoffs handoff router
  advisors groups customModes AgentRoles Roles RoleId CanDelegate AllowedDelegations SystemPromptFile readonly
  sandbox_mode approval_policy allowedTools toolsSettings prompt personality thinking maxTurns timeout_mins steps hidden
  allowed_directories output input toolTimeout id name description mcp-servers slug fileRegex destinations task bash edit
  allow ask deny __proto__ constructor toString`.split(/\s+/);

const TOKENS =
  `Read read Bash Bash(git\u00a0log) Task(a,b) edit search x/* x/y mcp__m mcp__m__t * none read-only git_*
  wireshark problems allow ask deny plan primary subagent local remote file://p.md ../x command mcp`.split(
    /\s+/,
  );

const word = fc.oneof(fc.constantFrom(...TOKENS), fc.string({ maxLength: 8 }));
const scalar = fc.oneof(word, fc.boolean(), fc.integer(), fc.double({ noNaN: true }), fc.constant(null));
const { data } = fc.letrec<{ data: Data }>((tie) => ({
  data: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("data"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...WORDS), word), tie("data"), {
      maxKeys: 4,
      noNullPrototype: false,
    }),
  ),
}));
const keys = fc.dictionary(fc.oneof(fc.constantFrom(...WORDS), word), data, {
  maxKeys: 6,
  noNullPrototype: false,
});

const sourceOf = (written: Record<string, Data>): SourceFile => ({
  file: "a.md",
  below: "a.md",
  keys: written,
  body: "{% render 'x' %}",
  document: readYaml("", "a.md"),
});

describe.each(dialects)("$name", ({ name, translate }) => {
  test("[T2] a dialect never throws, and gives the same result each time", () => {
    fc.assert(
      fc.property(keys, (written) => {
        const source = sourceOf(written);
        const before = JSON.stringify(written);
        const first = JSON.stringify(translate(source));
        expect(JSON.stringify(translate(source))).toBe(first);
        expect(JSON.stringify(written)).toBe(before);
      }),
      { numRuns: 150 },
    );
  });

  test("[T1] a dialect allows nothing that the file does not name", () => {
    fc.assert(
      fc.property(keys, (written) => {
        fc.pre(!isOpenMap(written));
        const words = wordsIn(written);
        for (const result of translate(sourceOf(written)).filter(isUsable))
          expect(allowOf(result).filter((rule) => !words.some((word) => standsFor(word, rule)))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("[T1] a tool that the file denies stays denied", () => {
    const lists = fc.uniqueArray(fc.constantFrom("Read", "Write", "Edit", "Bash", "Grep"), { minLength: 1 });
    fc.assert(
      fc.property(keys, lists, (written, denied) => {
        const { tools: _, ...rest } = written;
        const source = sourceOf({ ...rest, tools: ["Read", "Bash"], disallowedTools: denied });
        for (const result of translate(source).filter(isUsable)) {
          // In a file of modes or roles, tools belong to each mode or role, not to the file.
          if (!("tools" in result.keys) || result.keys["name"] !== written["name"]) continue;
          if (name === "roo" || name === "kilo" || name === "roles") continue;
          expect(denyOf(result)).toEqual(expect.arrayContaining(denied));
        }
      }),
      { numRuns: 60 },
    );
  });
});

const isUsable = ({ problems }: Translation): boolean =>
  problems.every(({ severity }) => severity !== "error");

function allowOf({ keys: { tools } }: Translation): string[] {
  if (Array.isArray(tools)) return tools as string[];
  return ((tools as { allow?: string[] } | null | undefined)?.allow ?? []) as string[];
}

const denyOf = ({ keys: { tools } }: Translation): string[] =>
  Array.isArray(tools) || !tools ? [] : ((tools as { deny?: string[] }).deny ?? []);

/** True if the value contains a map of permissions or folders. Other tests cover such maps. */
function isOpenMap(written: Data): boolean {
  if (Array.isArray(written)) return written.some(isOpenMap);
  if (!isMap(written)) return false;
  return Object.entries(written).some(
    ([key, value]) =>
      /^(permissions?|allowed_directories)$/.test(key) ||
      (/tools|toolNames/i.test(key) && isMap(value)) ||
      isOpenMap(value),
  );
}
