import { expect, test } from "vitest";
import { CadreError } from "../errors.ts";
import { createOutages } from "./outages.ts";

test("[F34] a recovery of the store is reported once, and only after an outage", () => {
  const told: string[] = [];
  const { report, recordHeartbeat } = createOutages<{ message: string; error: unknown }>(
    ({ message }) => told.push(message),
    (sentence) => told.push(sentence),
  );
  recordHeartbeat();
  report({ message: "Restate", error: new CadreError("ENGINE_AWAY", "Restate is away.") });
  recordHeartbeat();
  expect(told).toEqual(["Restate"]);
  report({ message: "beat", error: new CadreError("STORAGE_UNUSABLE", "It cannot be reached.") });
  report({ message: "jobs", error: new CadreError("STORAGE_UNUSABLE", "It cannot be reached.") });
  recordHeartbeat();
  recordHeartbeat();
  expect(told.slice(1)).toEqual(["beat", "jobs", "The store answers again; runs continue."]);
});
