import { defineAgent, run } from "cadre";
import { model } from "./model.ts";

const host = defineAgent({ name: "host", model, prompt: "Greet people." });
for await (const text of run(host, "Say hello to Ada", { key: "1" }).textStream) process.stdout.write(text);
