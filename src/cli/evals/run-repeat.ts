// Starts a separate run for each repeat of each case, and checks the answer.
// A run that needs a person counts as failed, because an eval cannot ask a person.
//  EV2  A judge is an agent whose declared output is `{pass, why}`. It receives the answer as untrusted text.
//       The judge works in the workspace of the judged run. Its cost is counted separately.

import { hash } from "node:crypto";
import { z } from "zod";
import type { CadreClient } from "../../api/client/client.ts";
import type { RunDetail, StartRun } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import { markUntrusted } from "../../journal/untrusted.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { answerText } from "../../patterns/opening.ts";
import { totalTokens } from "../../projections/usage/run-usage.ts";
import { followRun } from "../follow/follow-run.ts";
import { createJsonView } from "../view/live/live-view.ts";
import type { Case, Eval } from "./eval-file.ts";
import type { EvalFolder, Repeat, Spent } from "./eval-folder.ts";
import { failuresOf, resultText } from "./expectations.ts";

/** A planned repeat of a case. */
export interface PlannedRepeat {
  case: Case;
  /** Index of the case and number of the repeat. Both start at 0. */
  index: number;
  repeat: number;
}

export interface EvalContext {
  client: CadreClient;
  eval: Eval;
  /** Id of this eval. The idempotency key of every run contains it. */
  id: string;
  folder: EvalFolder;
  leaving: AbortSignal;
}

/** Lists all repeats of all cases, in the order of the eval file. */
export const plannedRepeats = ({ cases, repeats }: Eval): PlannedRepeat[] =>
  cases.flatMap((each, index) =>
    Array.from({ length: repeats }, (_, repeat) => ({ case: each, index, repeat })),
  );

/** Runs one repeat and checks its answer. Returns undefined if a shutdown was requested. */
export async function runRepeat(wanted: PlannedRepeat, context: EvalContext): Promise<Repeat | undefined> {
  const { eval: file, id, folder, client } = context;
  const { case: each, index, repeat } = wanted;
  const place = `${index}-${repeat}`;
  const workspace = each.files && (await folder.workspace(id, place, each.files));
  const request: StartRun = {
    agent: file.agent,
    task: each.task,
    attended: false,
    ...omitUndefined({
      input: each.input,
      model: file.model,
      permissions: file.permissions && { preset: file.permissions },
      workspace,
    }),
  };
  const done = await runToEnd(request, `eval:${id}:${place}`, context);
  if (!done) return undefined;
  const { run, problem } = done;
  const base = { runId: run.id, spent: spentBy(run) };
  if (problem !== undefined) return { ...base, passed: false, failures: [problem] };
  const failures = failuresOf(each.expect, { run, events: await client.treeEvents(run.id) });
  if (!each.judge) return { ...base, passed: failures.length === 0, failures };
  const judged = await judge(each, { run, place, workspace }, context);
  if (!judged) return undefined;
  const all = judged.pass ? failures : [...failures, `${each.judge.agent}: ${judged.why}`];
  return { ...base, passed: all.length === 0, failures: all, judge: judged };
}

/** Starts a run, unless this key has already started it, and waits for its end. `problem` says why the run did not complete. */
async function runToEnd(
  request: StartRun,
  key: string,
  { client, leaving }: EvalContext,
): Promise<{ run: RunDetail; problem?: string } | undefined> {
  const { runId } = await client.post("/api/runs", { body: request, idempotencyKey: key });
  const watched = { runId, view: createJsonView(() => {}), position: undefined };
  const rest = await followRun(client, watched, { type: "nobody" }, leaving);
  if (rest.type === "left") return undefined;
  if (rest.type === "needs-person") {
    const body = { reason: "An eval cannot ask a person." };
    await client.post("/api/runs/{id}/cancel", { id: runId, body });
  }
  const run = await client.get("/api/runs/{id}", { id: runId });
  if (rest.type === "needs-person") return { run, problem: "it needs a person, whom an eval cannot ask" };
  if (run.status === "completed") return { run };
  const end = run.status === "cancelled" ? "was cancelled" : "failed";
  return { run, problem: `it ${end}: ${run.summary ?? ""}` };
}

export const Verdict = z.object({ pass: z.boolean(), why: z.string() });

async function judge(
  { task, judge: asked }: Case,
  { run, place, workspace }: { run: RunDetail; place: string; workspace: string | undefined },
  context: EvalContext,
): Promise<NonNullable<Repeat["judge"]> | undefined> {
  const { agent, question } = asked!;
  const key = `eval:${context.id}:${place}:judge`;
  // The text that marks the answer as untrusted is derived from the eval's id, so that the judged agent cannot guess it.
  const spoken = { summary: resultText(run), output: run.output };
  const answer = markUntrusted(hash("sha256", key).slice(0, 16), run.agent, answerText(spoken));
  const words = `${question}\n\nThe task was:\n${task}\n\nThe answer to judge:\n${answer}`;
  const request = { agent, task: words, attended: false, ...omitUndefined({ workspace }) };
  const done = await runToEnd(request, key, context);
  if (!done) return undefined;
  const base = { runId: done.run.id, spent: spentBy(done.run) };
  const verdict = Verdict.safeParse(done.run.output);
  if (done.problem === undefined && verdict.success) return { ...base, ...verdict.data };
  return { ...base, pass: false, why: done.problem ?? "it gave no `pass` and `why`" };
}

function spentBy({ treeUsage }: RunDetail): Spent {
  const { cost, unpriced } = treeUsage;
  return { cost, unpriced, tokens: totalTokens(treeUsage) };
}

/** Returns a hash of the eval file and its agents. Results with the same hash are comparable. Throws if an agent cannot be a judge. */
export async function evalFingerprint({ text, agent, cases }: Eval, client: CadreClient): Promise<string> {
  const definitionOf = async (name: string) => (await client.get("/api/agents/{name}", { name })).definition;
  const judges = new Set(cases.flatMap(({ judge: asked }) => asked?.agent ?? []));
  const definitions = [await definitionOf(agent)];
  for (const name of judges) {
    const definition = await definitionOf(name);
    const { properties = {} } = (definition?.output ?? {}) as { properties?: object };
    if (!("pass" in properties && "why" in properties))
      throw new CadreError(
        "USAGE",
        `${name} cannot judge: its file declares no \`output\` with \`pass\` and \`why\`. Nothing was started.`,
      );
    definitions.push(definition);
  }
  return hash("sha256", JSON.stringify([text, definitions]));
}
