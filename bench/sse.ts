// `npm run bench sse` measures how soon a committed event reaches all readers, compared with a bare server that sends the same
// bytes to as many sockets and stores nothing. Server and readers are separate processes.

import { fork } from "node:child_process";
import { once } from "node:events";
import { median, print, whole } from "./table.ts";

const COLUMNS = [
  { title: "1,000 readers × 20/s", readers: 1_000, perSecond: 20 },
  { title: "100 readers × 200/s", readers: 100, perSecond: 200 },
];
const SERVERS = ["floor", "cadre"];
const ROUNDS = 3;
/** With a longer time you can see whether the server's memory stops growing. */
const SECONDS = Number(process.env["SECONDS"] ?? 15);

export interface Load {
  server: string;
  readers: number;
  perSecond: number;
  seconds: number;
}

export interface Delivered {
  /** Milliseconds from the commit of an event to its arrival at a reader. */
  p50: number;
  p99: number;
  /** Events that were missing or arrived twice, over all readers. */
  wrong: number;
  /** CPU milliseconds of the server per second of writing. */
  cpu: number;
  /** Growth of the server's memory since the first event, after garbage collection, in MB. */
  growth: number;
}

export async function sse(): Promise<void> {
  const rows = new Map<string, Delivered[][]>(SERVERS.map((server) => [server, []]));
  for (const { readers, perSecond } of COLUMNS) {
    const rounds = new Map<string, Delivered[]>(SERVERS.map((server) => [server, []]));
    for (let round = 0; round < ROUNDS; round++)
      for (const server of SERVERS)
        rounds.get(server)!.push(await measure({ server, readers, perSecond, seconds: SECONDS }));
    for (const [server, measured] of rounds) rows.get(server)!.push(measured);
  }
  const cell = (measured: readonly Delivered[]): string => {
    const of = (pick: (one: Delivered) => number) => median(measured.map(pick))!;
    const wrong = measured.reduce((sum, one) => sum + one.wrong, 0);
    return `${of(({ p50 }) => p50).toFixed(1)} / ${of(({ p99 }) => p99).toFixed(1)} ms, ${whole(of(({ cpu }) => cpu))} ms CPU/s, ${of(({ growth }) => growth).toFixed(1)} MB${wrong > 0 ? `, ${wrong} WRONG` : ""}`;
  };
  print(`Delivery p50 / p99, CPU and growth of what the server holds; median of ${ROUNDS}`, [
    ["", ...COLUMNS.map(({ title }) => title)],
    ...[...rows].map(([server, columns]) => [server, ...columns.map(cell)]),
    ["target of cadre", ...COLUMNS.map(() => "(p99 < 100 ms, flat)")],
  ]);
}

async function measure(load: Load): Promise<Delivered> {
  const server = fork(new URL("sse-server.ts", import.meta.url), [JSON.stringify(load)], {
    execArgv: ["--expose-gc"],
  });
  const [{ url, headers }] = (await once(server, "message")) as [{ url: string; headers: object }];
  const readers = fork(new URL("sse-readers.ts", import.meta.url), [
    JSON.stringify({ ...load, url, headers }),
  ]);
  await once(readers, "message");
  server.send("write");
  const [spent] = (await once(server, "message")) as [Pick<Delivered, "cpu" | "growth">];
  readers.send("count");
  const [arrived] = (await once(readers, "message")) as [Pick<Delivered, "p50" | "p99" | "wrong">];
  server.kill("SIGKILL");
  readers.kill("SIGKILL");
  return { ...spent, ...arrived };
}
