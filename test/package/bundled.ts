// A program that a bundler turns into CommonJS.

import { createCadre, defineAgent } from "cadre";
import { createClient } from "cadre/client";
import { scriptedModel } from "cadre/testing";

export async function answer(): Promise<string> {
  const clerk = defineAgent({ name: "clerk", prompt: "Answer.", model: scriptedModel([{ text: "Yes." }]) });
  await using cadre = await createCadre({ store: ":memory:", agents: [clerk] });
  return (await cadre.run(clerk, "Is it so?")).output;
}

export const remote = createClient({ url: "http://127.0.0.1:4470" });
