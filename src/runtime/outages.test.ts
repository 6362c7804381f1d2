import { expect, test } from "vitest";
import { CadreError } from "../errors.ts";
import { createOutages } from "./outages.ts";

test("[F34] that the store is back is told once, and only after it was away", () => {
  const told: string[] = [];
  const { report, renewed } = createOutages<{ message: string; error: unknown }>(
    ({ message }) => told.push(message),
    (sentence) => told.push(sentence),
  );
  renewed();
  report({ message: "Restate", error: new CadreError("ENGINE_AWAY", "Restate is away.") });
  renewed();
  expect(told).toEqual(["Restate"]);
  report({ message: "beat", error: new CadreError("STORAGE_UNUSABLE", "It cannot be reached.") });
  report({ message: "jobs", error: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) });
  renewed();
  renewed();
  expect(told.slice(1)).toEqual(["beat", "jobs", "The store answers again; runs go on."]);
});
