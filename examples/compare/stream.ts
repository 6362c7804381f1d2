import { defineAgent, run } from "cadre";
import { model } from "./model.ts";

const greeter = defineAgent({ name: "greeter", model, prompt: "Greet people." });
for await (const text of run(greeter, "Say hello to Ada").textStream) process.stdout.write(text);
