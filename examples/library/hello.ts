// `node examples/library/hello.ts`: one agent, one answer.

import { createCadre, defineAgent } from "cadre";
import { scriptedModel } from "cadre/testing";

const greeter = defineAgent({
  name: "greeter",
  model: process.env["MODEL"] ?? scriptedModel([{ text: "Hello, Ada!" }]),
  prompt: "Greet people in one sentence.",
});

await using cadre = await createCadre({ agents: [greeter] });
console.log((await cadre.run(greeter, "Say hello to Ada")).output);
