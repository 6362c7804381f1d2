// `node examples/library/queue-worker.ts`: a worker takes jobs from a queue. A job is done once, even if the queue delivers it twice.
// Approvals are decided by another part of the program, here by a rule; it could be a chat message that a person answers tomorrow.

import { createCadre, defineAgent, defineTool, RunFailed } from "cadre";
import { scriptedModel } from "cadre/testing";
import { z } from "zod";

const sendMail = defineTool({
  name: "send_mail",
  description: "Sends a mail to a customer.",
  input: z.object({ to: z.string(), text: z.string() }),
  execute: ({ to, text }) => {
    console.log(`Mail to ${to}: ${text}`);
    return "Sent.";
  },
});

const writer = defineAgent({
  name: "writer",
  model:
    process.env["MODEL"] ??
    scriptedModel(({ turn, task }) =>
      turn === 1
        ? {
            calls: [
              {
                tool: "send_mail",
                input: { to: task.split(" ").at(-1)!, text: "Your parcel is on its way." },
              },
            ],
          }
        : { text: "The mail is sent." },
    ),
  prompt: "Write the mail that you are asked for, in one sentence, and send it.",
  tools: [sendMail],
});

await using cadre = await createCadre({ agents: [writer] });

cadre.onApproval(async (request) => {
  const { to } = request.input as { to: string };
  if (to.endsWith("@example.com")) await request.approve({ by: "mail rule" });
  else await request.reject("Only customers may get mail.", { by: "mail rule" });
});

const queue = [
  { id: "job-1", task: "Tell ann@example.com" },
  { id: "job-2", task: "Tell eve@elsewhere.test" },
  { id: "job-1", task: "Tell ann@example.com" },
];
await Promise.all(
  queue.map(async ({ id, task }) => {
    try {
      const { id: runId, text } = await cadre.run(writer, task, { key: id });
      console.log(`${id} is done by run ${runId.slice(0, 4)}…: ${text}`);
    } catch (error) {
      if (!(error instanceof RunFailed)) throw error;
      console.log(`${id} failed (${error.stopReason}): ${error.message}`);
    }
  }),
);
