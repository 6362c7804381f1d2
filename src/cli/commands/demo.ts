// `cadre demo`: runs a copy of examples/11-incident in a temporary folder. Everything is real except the model.

import { copyDemo, DEMO_AGENT } from "../demo/project-copy.ts";
import { createInvocation, type Invocation, isAttended } from "../invocation.ts";
import { run } from "./run.ts";

export async function demo(invocation: Invocation): Promise<number> {
  const { screen, json } = invocation;
  const { folder, task } = await copyDemo();
  const yes = !isAttended(invocation);
  const say = (text: string): void => (json ? undefined : screen.line(screen.paint("dim", text)));
  say(`A demo in ${folder}: the service, its bug, its log and its tests are real; the model is scripted.`);
  if (yes) say("There is no terminal, so everything it asks for is approved (--yes).");
  say("");
  return run(createInvocation(invocation.io, folder, invocation), [DEMO_AGENT, task], { yes });
}
