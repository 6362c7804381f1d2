import { describe, expect, it } from "vitest";
import { type Setting, verdict } from "../../test/support/judge.ts";

const taint = { sources: ["https://evil.test"] };
const hosts = ["docs.test"];
const CAME_IN = "taint ask: words from https://evil.test came in";
const taintedVerdict = (tool: string, input: unknown, setting: Setting = {}) =>
  verdict(tool, input, { taint, hosts, ...setting });
const unsafeVerdict = (setting: Setting = {}) =>
  taintedVerdict("restart_service", { service: "web" }, { effect: "unsafe", ...setting });

describe("judging calls in a tainted run", () => {
  it("[A66] in a tainted run, an unsafe call needs approval even if a rule allows it", () => {
    for (const allow of [["*"], ["restart_service"], ["restart_*"]]) {
      expect(unsafeVerdict({ project: { allow } })).toEqual({
        verdict: "ask",
        rule: CAME_IN,
        basis: "taint",
      });
      expect(unsafeVerdict({ person: { allow } })).toEqual({ verdict: "ask", rule: CAME_IN, basis: "taint" });
    }
  });

  it("[A66] a deny rule or a person's grant overrides taint; otherwise the verdict names taint, even if an ancestor's ask rule matches", () => {
    const grants = [{ rule: "restart_service(web)" }];
    expect(unsafeVerdict({ grants })).toEqual({
      verdict: "allow",
      rule: "person grant restart_service(web)",
      basis: "grant",
    });
    expect(unsafeVerdict({ grants: [{ rule: "restart_service(db)" }] }).verdict).toBe("ask");
    expect(unsafeVerdict({ grants: [{ rule: "restart_service(web)", until: 1 }] }).verdict).toBe("ask");
    expect(unsafeVerdict({ grants, project: { deny: ["restart_service"] } }).verdict).toBe("deny");
    expect(unsafeVerdict({ parent: { ask: ["*"] } }).rule).toBe(CAME_IN);
  });

  it("[A46] in a tainted run, a fetch from a new host needs approval; hosts seen before are allowed", () => {
    const fetch = (url: unknown, setting: Setting = {}) =>
      taintedVerdict("WebFetch", { url }, { project: { allow: ["WebFetch"] }, ...setting });
    expect(fetch("https://leak.test/?d=1").rule).toBe(`${CAME_IN}, and leak.test is new`);
    expect(fetch("https://docs.test/a").verdict).toBe("allow");
    expect(fetch("https://docs.test./a").verdict).toBe("ask");
    expect(fetch("https://docs.test%2eleak.test/").verdict).toBe("ask");
    for (const url of ["", "leak", "docs.test", 7, undefined, ["https://docs.test"]])
      expect(fetch(url)).toEqual({
        verdict: "ask",
        rule: `${CAME_IN}, and its host is new`,
        basis: "taint",
      });
    const grants = [{ rule: "WebFetch(https://leak.test/**)" }];
    expect(fetch("https://leak.test/b", { grants }).verdict).toBe("allow");
    expect(fetch("http://leak.test/b", { grants }).verdict).toBe("ask");
    expect(fetch("https://leak.test.evil.test/", { grants }).verdict).toBe("ask");
  });

  it("taint does not affect read or idempotent calls; a run without untrusted input is not tainted", () => {
    expect(taintedVerdict("Read", { path: "a" }).verdict).toBe("allow");
    expect(
      taintedVerdict("Write", { path: "a" }, { effect: "idempotent", project: { allow: ["Write"] } }).verdict,
    ).toBe("allow");
    const none = { sources: [], raises: "x" };
    expect(unsafeVerdict({ taint: none, project: { allow: ["*"] } }).verdict).toBe("allow");
  });

  it("the verdict names the first source of untrusted input and the number of other sources", () => {
    const sources = ["loki", "mcp git", "https://a.test"];
    expect(unsafeVerdict({ taint: { sources } }).rule).toBe("taint ask: words from loki and 2 more came in");
  });
});
