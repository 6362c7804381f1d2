import { expect, test } from "vitest";
import {
  agentThought,
  buildJournal,
  modelCallStarted,
  runEnded,
  runStarted,
} from "../stores/contract/kit.contract.ts";
import { allProjections } from "./all-projections.fixture.ts";
import { fold } from "./projection.ts";

test("every projection can fold any journal, and has a unique name", async () => {
  const projections = await allProjections();
  const journal = buildJournal(runStarted(), modelCallStarted("m1"), agentThought("m1"), runEnded());
  for (const projection of projections) expect(fold(projection, journal), projection.name).toBeDefined();
  const names = projections.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["run-state", "transcript", "usage", "timeline", "conversation"]),
  );
  expect(new Set(names).size).toBe(names.length);
});
