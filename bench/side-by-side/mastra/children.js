import { Agent } from "@mastra/core/agent";
import { model } from "./model.js";

const child = (id, description) => new Agent({ id, name: id, description, model, instructions: description });
const agents = { critic: child("critic", "Finds what is wrong."), fan: child("fan", "Finds what is good.") };
const lead = new Agent({ id: "lead", name: "lead", model, instructions: "Ask both, then decide.", agents });
console.log((await lead.generate("Shall we move?")).text);
