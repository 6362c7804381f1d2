// The public API of "cadre/testing": everything that a program needs to test its agents without a provider.

export { type EffectLog, effectLog, type LoggedEffect } from "./library/effect-log.ts";
export {
  type KillProblem,
  type KillReport,
  type KillRound,
  killAtEveryEvent,
} from "./library/kill-at-every-event.ts";
export { type ScriptedAnswer, type ScriptedRequest, scriptedModel } from "./library/scripted-model.ts";
export { createTestCadre, type TestCadre, type TestClock } from "./library/test-cadre.ts";
