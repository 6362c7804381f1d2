import { defineAgent, run } from "cadre";
import { model } from "./model.ts";

const greeter = defineAgent({ name: "greeter", model, prompt: "Greet people." });
console.log((await run(greeter, "Say hello to Ada", { key: "ada" })).output);
