// Runs: start them, look at them, and what people do to them. Reading changes nothing (A19).

import { type Context, Hono } from "hono";
import type { z } from "zod";
import { CadreError } from "../../errors.ts";
import { cancelRun, decideOutcome, pauseRun, resumeRun, sendMessage } from "../../loop/people.ts";
import type { RunRow } from "../../projections/run-row.ts";
import type { Store } from "../../stores/store.ts";
import { isDamage } from "../failure.ts";
import { findRun } from "../find-run.ts";
import type { ApiParts } from "../parts.ts";
import { readBody, readQuery } from "../request.ts";
import { detailOf } from "../run-detail.ts";
import * as schema from "../schema.ts";
import { subtreeOf } from "../subtree.ts";
import { transcriptOf } from "../transcript-of.ts";
import { nest } from "../tree.ts";

export function runRoutes(parts: ApiParts): Hono {
  const { store, people } = parts;
  const found = (c: Context): Promise<RunRow> => findRun(store, c.req.param("id")!);
  return new Hono()
    .post("/", (c) => start(c, parts))
    .get("/", async (c) => {
      const page = await store.runs(readQuery(c, schema.RunsQuery));
      const runs: schema.RunSummary[] = page.runs;
      return c.json({ runs, nextCursor: page.nextCursor });
    })
    .get("/:id", async (c) => {
      readQuery(c, schema.NoQuery);
      return c.json(await detailOf(store, await found(c)));
    })
    .get("/:id/tree", async (c) => {
      readQuery(c, schema.NoQuery);
      return c.json(nest(await subtreeOf(store, await found(c))));
    })
    .get("/:id/context", async (c) => {
      readQuery(c, schema.NoQuery);
      return c.json(await transcriptOf(await found(c), parts));
    })
    .get("/:id/verify", async (c) => {
      readQuery(c, schema.NoQuery);
      return c.json(await verify(store, await found(c)));
    })
    .post("/:id/retry", async (c) => {
      await readBody(c, schema.EmptyBody);
      const { runId } = await parts.retry((await found(c)).id);
      return c.json({ runId }, 201);
    })
    .post(
      "/:id/cancel",
      act(schema.CancelBody, (id, { reason }, by) => cancelRun(id, by, reason, people)),
    )
    .post(
      "/:id/message",
      act(schema.MessageBody, (id, { text }, by) => sendMessage(id, text, by, people)),
    )
    .post(
      "/:id/pause",
      act(schema.EmptyBody, (id, _, by) => pauseRun(id, by, people)),
    )
    .post(
      "/:id/resume",
      act(schema.EmptyBody, (id, _, by) => resumeRun(id, by, people)),
    )
    .post(
      "/:id/outcome",
      act(schema.OutcomeBody, (id, { callId, ...verdict }, by) =>
        decideOutcome(id, callId, verdict, by, people),
      ),
    );

  /** 202: it is recorded; whoever drives the run acts on it. */
  function act<T extends z.ZodType>(
    body: T,
    action: (runId: string, body: z.output<T>, by: string) => Promise<unknown>,
  ) {
    return async (c: Context): Promise<Response> => {
      const wish = await readBody(c, body);
      const { id } = await found(c);
      const answer = await action(id, wish, parts.who(c.req.raw));
      return c.json(answer ?? {}, 202);
    };
  }
}

const MAX_KEY = 255;

async function start(c: Context, { admit, who }: ApiParts): Promise<Response> {
  const request = await readBody(c, schema.StartRun);
  const key = c.req.header("Idempotency-Key");
  if (key !== undefined && (key === "" || key.length > MAX_KEY)) {
    throw new CadreError(
      "BAD_REQUEST",
      `An Idempotency-Key has 1 to ${MAX_KEY} characters. Nothing was started.`,
    );
  }
  const { runId } = await admit({ ...request, userId: who(c.req.raw) }, key);
  return c.json({ runId }, 201);
}

/** Reading a journal verifies its chain (J9): a damaged one is an answer here, not a failure. */
async function verify(store: Store, { id }: RunRow): Promise<schema.Verification> {
  const head = (await store.head(id))?.hash ?? "";
  try {
    return { ok: true, events: (await store.journal(id)).length, head };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const seq = error.details?.["seq"];
    return { ok: false, events: typeof seq === "number" ? seq - 1 : 0, head, problem: error.message };
  }
}
