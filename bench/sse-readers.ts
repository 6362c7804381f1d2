// Many readers of one stream: counts the events that arrive and measures their delay.

import { type IncomingMessage, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Load } from "./sse.ts";

const load = JSON.parse(process.argv[2]!) as Load & { url: string; headers: Record<string, string> };
const late: number[] = [];
let wrong = 0;
let seen = 0;
const wanted = load.readers * load.perSecond * load.seconds;

for (let at = 0; at < load.readers; at += 50)
  await Promise.all(Array.from({ length: Math.min(50, load.readers - at) }, listen));
process.send!("ready");
process.once("message", () => void count());

async function count(): Promise<void> {
  for (let left = 100; seen < wanted && left > 0; left--) await pause(50);
  late.sort((a, b) => a - b);
  const at = (part: number): number => late[Math.floor(late.length * part)] ?? Number.NaN;
  process.send!({ p50: at(0.5), p99: at(0.99), wrong: wrong + Math.abs(wanted - seen) });
}

function listen(): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(load.url, { headers: load.headers, agent: false }, (response) => {
      response.once("data", () => resolve());
      read(response.setEncoding("utf8"));
    });
    sent.once("error", reject);
    sent.end();
  });
}

/** Each event carries a number that grows by one, so a gap or a repeat shows. */
function read(response: IncomingMessage): void {
  let rest = "";
  let last = -1;
  response.on("data", (chunk: string) => {
    const now = Date.now() + (performance.now() % 1);
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const number = /"id":"n(\d+)\|([\d.]+)"/.exec(block);
      if (!number) continue;
      seen++;
      if (Number(number[1]) !== last + 1) wrong++;
      last = Number(number[1]);
      late.push(now - Number(number[2]));
    }
  });
}
