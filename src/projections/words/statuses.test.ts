import { expect, test } from "vitest";
import { describeEnding, type RunForStatus, shownStatus } from "./statuses.ts";

test("[U01] [E7] [28.10] an ended run shows how it ended and how long it took; a run that was moved is not shown as cancelled", () => {
  const ending = (status: RunForStatus["status"], stopReason?: RunForStatus["stopReason"]) =>
    describeEnding({ status, stopReason, waitingOn: undefined, cancelRequested: false }, "3 s");
  expect(ending("completed", "final_answer")).toBe("Completed in 3 s");
  expect(ending("failed", "max_duration")).toBe("Timed out after 3 s");
  expect(ending("completed", "max_duration")).toBe("Timed out after 3 s");
  expect(ending("completed", "max_turns")).toBe("Cut off after 3 s");
  expect(ending("failed", "max_turns")).toBe("Failed after 3 s");
  expect(ending("failed", "error")).toBe("Failed after 3 s");
  expect(ending("cancelled", "user")).toBe("Cancelled after 3 s");
  expect(ending("cancelled", "moved")).toBe("Moved after 3 s");
});

test("a run without a driver is shown as undriven, unless it waits for a person", () => {
  expect(shownStatus({ status: "running" }, false)).toBe("undriven");
  expect(shownStatus({ status: "suspended", answered: true }, false)).toBe("undriven");
  expect(shownStatus({ status: "suspended", waitingOn: { kind: "approval" } }, false)).toBe("needs_person");
  expect(shownStatus({ status: "running", cancelRequested: true }, false)).toBe("cancel_pending");
  expect(shownStatus({ status: "running", cancelRequested: true })).toBe("stopping");
});

test("a paused run is shown as paused, not as waiting for a person", () => {
  expect(shownStatus({ status: "suspended", waitingOn: { kind: "paused" } })).toBe("paused");
  expect(shownStatus({ status: "suspended", waitingOn: { kind: "paused", frozen: ["r1"] } })).toBe("frozen");
});
