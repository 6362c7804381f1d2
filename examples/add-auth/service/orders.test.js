import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "./client.fixture.js";

test("the orders are listed", async (t) => {
  const client = await startApp(t);
  const { status, body } = await client.get("/orders");
  assert.equal(status, 200);
  assert.deepEqual(
    body.map(({ id }) => id),
    [48247, 48265],
  );
});

test("an unknown path gets a 404", async (t) => {
  const client = await startApp(t);
  assert.deepEqual(await client.get("/nothing"), { status: 404, body: { error: "not found" } });
});
