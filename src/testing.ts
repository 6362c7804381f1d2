// The public API of "cadre/testing": everything that a program needs to test its agents without a provider.

export { type ScriptedAnswer, type ScriptedRequest, scriptedModel } from "./library/scripted-model.ts";
