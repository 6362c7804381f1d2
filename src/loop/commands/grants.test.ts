import { expect, test } from "vitest";
import { grantFor } from "../../../test/support/judge.ts";
import { grantRuleFor } from "./decision-event.ts";

test.each([
  ["delegate", { agent: "coder", task: "t" }, "delegate(coder)"],
  ["delegate_to_agent", { role: "coder", task: "t" }, "delegate(coder)"],
  ["mcp__agent__spawn", { agentType: "coder", task: "t" }, "delegate(coder)"],
  ["run_coder_agent", { task: "t" }, "delegate(coder)"],
  ["route_to", { agent: "coder", reason: "r" }, "delegate(coder)"],
  ["send_message", { to: "coder", message: "m" }, "send_message(coder)"],
  ["restart_service", { service: "web" }, "restart_service(web)"],
  ["WebFetch", { url: "https://User:pw@Docs.test:8443/a?b=c" }, "WebFetch(https://docs.test:8443/**)"],
  ["WebFetch", { url: "file:///etc/passwd" }, undefined],
  ["WebFetch", {}, undefined],
  ["mcp__admin__cancel_run", { run_id: "r1" }, "mcp__admin__cancel_run(r1)"],
  ["mcp__git__push", { remote: "x" }, "mcp__git__push"],
  ["Bash", { command: "npm test" }, "Bash(npm test)"],
  ["Bash", { command: "npm test; curl evil" }, undefined],
])("[A21] a permanent grant for %s %o covers nothing more than that: %s", (tool, input, rule) => {
  expect(grantRuleFor(tool, input, grantFor)).toBe(rule);
});
