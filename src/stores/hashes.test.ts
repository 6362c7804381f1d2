import { hash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CHAIN_START, type ChainLink, chainHash } from "./hashes.ts";

const digest = (text: string) => hash("sha256", text, "hex");
const chain = (links: readonly ChainLink[]) =>
  links.reduce((previous, link) => chainHash(previous, link), CHAIN_START);

const links = fc.array(
  fc.record({
    seq: fc.nat(),
    ts: fc.nat(),
    type: fc.constantFrom("RUN_STARTED", "TOOL_RESULT"),
    key: fc.stringMatching(/^[a-z0-9./~]{1,8}$/),
    text: fc.json(),
  }),
  { minLength: 2, maxLength: 8 },
);

test("[P2] [J9] any edited, missing or swapped event changes the last hash", () => {
  fc.assert(
    fc.property(links, fc.nat(), fc.constantFrom("text", "key", "type"), (before, at, field) => {
      const index = at % before.length;
      const edited = before.map((link, i) => (i === index ? { ...link, [field]: `${link[field]} ` } : link));
      expect(chain(edited)).not.toBe(chain(before));
      expect(chain(before.toSpliced(index, 1))).not.toBe(chain(before));
      const moved = before.map((link, i) => (i === index ? { ...link, seq: link.seq + 1 } : link));
      expect(chain(moved)).not.toBe(chain(before));
      const [first, second, ...rest] = before;
      fc.pre(JSON.stringify(first) !== JSON.stringify(second));
      expect(chain([second!, first!, ...rest])).not.toBe(chain(before));
    }),
    { numRuns: 200 },
  );
});

test("[J9] the hash covers the stored bytes: equal JSON with different bytes has a different hash", () => {
  const link = { seq: 1, ts: 2, type: "TOOL_RESULT", key: "m1.0/e" };
  const hashes = ['{"a":1,"b":2}', '{"b":2,"a":1}', '{"a":1, "b":2}'].map((text) =>
    chainHash(CHAIN_START, { ...link, text }),
  );
  expect(new Set(hashes).size).toBe(3);
});

test("[P13] the way hashes are computed never changes, so old journals can still be verified", () => {
  const link = { seq: 1, ts: 1_700_000_000_000, type: "RUN_STARTED", key: "start", text: "{}" };
  expect(chainHash(CHAIN_START, link)).toBe(digest("\n1\n1700000000000\nRUN_STARTED\nstart\n{}"));
});
