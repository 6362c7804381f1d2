import { expect, test } from "vitest";
import { endingText, type RunForStatus } from "./status.ts";

test("[U01] [E7] how a run ended, and after how long; one that goes on elsewhere was moved, not cancelled", () => {
  const words = (status: RunForStatus["status"], stopReason?: RunForStatus["stopReason"]) =>
    endingText({ status, stopReason, waitingOn: undefined, cancelRequested: false }, "3 s");
  expect(words("completed", "final_answer")).toBe("Completed in 3 s");
  expect(words("failed", "max_duration")).toBe("Timed out after 3 s");
  expect(words("failed", "error")).toBe("Failed after 3 s");
  expect(words("cancelled", "user")).toBe("Cancelled after 3 s");
  expect(words("cancelled", "moved")).toBe("Moved after 3 s");
});
