// `node examples/seeds/s0/main.ts`: the system of document S0, with a small imitation of Loki.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fakeLoki } from "../../../test/support/loki.ts";
import { start } from "../start.ts";

const lines = (await readFile(join(import.meta.dirname, "checkout.log"), "utf8")).trim().split("\n");
const now = BigInt(Date.now()) * 1_000_000n;
const entries = lines.map((line, index) => ({
  labels: { app: "checkout", service: "checkout" },
  at: now - BigInt(lines.length - index) * 1_000_000_000n,
  line,
}));
await using loki = await fakeLoki(entries);
await start(import.meta.dirname, { "http://127.0.0.1:3100": loki.url });
