// The outside world of a simulated worker: tools that record their effects, and models that follow the plan.
// The simulation can stop a tool or a model both before and after its action.
// If a crash comes between an effect and its answer, the journal does not show that the effect happened (F02, F03).

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { z } from "zod";
import type { Model } from "../../src/models/model.ts";
import { createScriptedModel } from "../../src/models/scripted/model.ts";
import { type AnyTool, defineTool } from "../../src/tools/tool.ts";
import { keepsNotes } from "./notes.ts";
import { TOOLS, type ToolName } from "./options.ts";
import { offeredIn } from "./pattern-script.ts";
import { promptProblem, wordProblem } from "./prompt-check.ts";
import { speak } from "./script.ts";
import type { SimProcess, Surroundings } from "./surroundings.ts";

export function simulatedTools(worker: SimProcess, { watch, options }: Surroundings): AnyTool[] {
  return (Object.keys(TOOLS) as ToolName[]).map((name) =>
    defineTool({
      ...(keepsNotes(options) ? { notes: true as const } : {}),
      name,
      description: `Does ${name}.`,
      input: z.object({ what: z.string() }),
      effect: TOOLS[name],
      reaches: [],
      async execute({ what }, context) {
        const { runId, callId, signal } = context;
        if (!worker.mayBegin())
          watch.problem(`E2 ${name} ${runId}/${callId} began after the worker's deadline`);
        await worker.gate.pass("effect", `begin ${name} ${runId}/${callId}`, async () => {});
        await context.notes?.begin();
        if (signal.aborted) return { output: "stopped in time", isError: true };
        watch.effect(name, what, context, worker.pid);
        await worker.gate.pass("effect", `end ${name} ${runId}/${callId}`, async () => {});
        const answer = { output: `${name} ${what}: done` };
        context.notes?.end(answer);
        return answer;
      },
    }),
  );
}

export function simulatedModel(worker: SimProcess, { options, watch }: Surroundings, name: string): Model {
  const plans = [...options.runs, ...options.cast];
  return {
    ...createScriptedModel(() => undefined, { name }),
    async doStream(call) {
      const known = { children: startedIn(call.prompt), offered: offeredIn(call) };
      const script = createScriptedModel((request) => speak(plans, request, known), { name });
      const place = call.providerOptions?.["cadre"] as { runId: string; purpose: string };
      const label = `model for ${place.runId}`;
      if (!worker.mayBegin()) watch.problem(`E2 a ${label} was called after the worker's deadline`);
      watch.modelCall(worker.intents.get(place.runId));
      const problem = promptProblem(call.prompt, place.purpose === "brief" || watch.goesOn(place.runId));
      const word = wordProblem(call.prompt);
      if (word) watch.problem(`K3 the prompt of ${place.runId} ${word}: ${JSON.stringify(call.prompt)}`);
      if (problem)
        watch.problem(`F11 the prompt of ${place.runId} ${problem}: ${JSON.stringify(call.prompt)}`);
      await worker.gate.pass("effect", `ask ${label}`, async () => {});
      const answer = await script.doStream(call);
      await worker.gate.pass("effect", `hear ${label}`, async () => {});
      return answer;
    },
  };
}

/** The ids of the children in the background that the prompt mentions. */
function startedIn(prompt: LanguageModelV4Prompt): string[] {
  const results = prompt.flatMap((message) => (message.role === "tool" ? message.content : []));
  const found = results.map((part) =>
    /"(?:child_run_id|agentId)":"(c\w+)","status":"(?:started|spawned)"/.exec(JSON.stringify(part)),
  );
  return found.flatMap((match) => match?.[1] ?? []);
}
