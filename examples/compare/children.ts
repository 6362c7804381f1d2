import { defineAgent, run } from "cadre";
import { model } from "./model.ts";

const child = (name: string, prompt: string) => defineAgent({ name, description: prompt, model, prompt });
const agents = [child("critic", "Finds what is wrong."), child("fan", "Finds what is good.")];
const lead = defineAgent({ name: "lead", model, prompt: "Ask.", agents, delegation: { mode: "parallel" } });
console.log((await run(lead, "Shall we move?", { key: "move" })).text);
