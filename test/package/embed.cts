// A CommonJS program that embeds Cadre.

import cadre = require("cadre");
import testing = require("cadre/testing");

async function main(): Promise<void> {
  const model = testing.scriptedModel([{ text: "Tea costs 3 €." }]);
  const clerk = cadre.defineAgent({ name: "clerk", prompt: "Say what tea costs.", model });
  const opened = await cadre.createCadre({ store: ":memory:", agents: [clerk] });
  const { output } = await opened.run(clerk, "How much is tea?");
  const text: string = output;
  console.log(text);
  await opened.close();
}

void main();
