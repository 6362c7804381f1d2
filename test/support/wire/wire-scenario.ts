// `wireScenario` runs a test with the real provider packages against the simulator, and then checks every invariant.

import { test } from "vitest";
import type { Script, ScriptedRequest } from "../../../src/models/scripted/script.ts";
import { runScenario, type ScenarioOptions } from "../scenario.ts";
import type { World } from "../world.ts";
import type { AnswerPart, Respond } from "./protocol.ts";
import { CALL_HEADER, startWire, type Wire, type WireOptions } from "./server.ts";

export interface WireScenarioOptions extends Omit<ScenarioOptions, "script" | "env"> {
  model: string;
  respond: Respond;
  wire?: WireOptions;
  env?: Record<string, string>;
}

export function wireScenario(
  title: string,
  { respond, wire: rules, env, config = "", ...options }: WireScenarioOptions,
  body: (world: World, wire: Wire) => Promise<void>,
): void {
  test(title, async () => {
    await using wire = await startWire(respond, rules);
    const world = {
      ...options,
      script: () => ({ text: "The scripted model is not used." }),
      env: { CADRE_TRUST: "1", ...wire.env, ...env },
      config: wire.config + config,
    };
    await runScenario(world, (made) => {
      labelRequests(made);
      return body(made, wire);
    });
  });
}

/** Adds each call's context as a header. A test that restarts the world calls this again. */
export function labelRequests({ runtime: { parts } }: World): void {
  const { models } = parts;
  parts.models = {
    ...models,
    resolve(name) {
      const model = models.resolve(name);
      return {
        ...model,
        doStream(options) {
          const call = JSON.stringify(options.providerOptions!["cadre"]);
          return model.doStream({ ...options, headers: { ...options.headers, [CALL_HEADER]: call } });
        },
      };
    },
  };
}

/** Plays a script of the scripted model over the wire. Each answer begins with a thought. */
export const playScript =
  (script: Script): Respond =>
  ({ call, first, last, results }) => {
    if (typeof script !== "function") throw new TypeError("Only a function can be played over the wire.");
    const request = { ...call!, task: first, lastUser: last, lastResult: results.at(-1) };
    const { text, calls = [], report } = script(request as ScriptedRequest) ?? {};
    const parts: AnswerPart[] = [{ thinking: `A thought of ${call!.agent}.` }];
    if (text) parts.push({ text });
    for (const { tool, input } of calls) parts.push({ call: tool, input: input as object });
    if (report) parts.push({ call: "final_report", input: report });
    return { parts };
  };
