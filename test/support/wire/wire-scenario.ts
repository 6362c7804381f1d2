// `wireScenario` runs a test with the real provider packages against the simulator, and then checks every invariant.

import { test } from "vitest";
import type { CallContext } from "../../../src/models/model.ts";
import { runScenario, type ScenarioOptions } from "../scenario.ts";
import type { World } from "../world.ts";
import type { Respond } from "./protocol.ts";
import { startWire, type Wire, type WireOptions } from "./server.ts";

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

/** Adds the agent and the run of each call as headers. A test that restarts the world calls this again. */
export function labelRequests({ runtime: { parts } }: World): void {
  const { models } = parts;
  parts.models = {
    ...models,
    resolve(name) {
      const model = models.resolve(name);
      return {
        ...model,
        doStream(options) {
          const { agent, runId } = options.providerOptions!["cadre"] as unknown as CallContext;
          return model.doStream({ ...options, headers: { "x-agent": agent, "x-run": runId } });
        },
      };
    },
  };
}
