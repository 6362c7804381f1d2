// A real Postgres server for tests, with its own folder and port. The folder is deleted when the tests end.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { describe as anyDescribe, test as anyTest } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { type Binaries, findPostgres } from "./binaries.fixture.ts";

export interface TestPostgres {
  /** Returns the address of an empty store. Its schema is new, or was given back with `giveBack`. */
  newStore(by?: "network" | "socket"): Promise<string>;
  /** Empties the schema of a closed store and reuses it, because creating the tables takes longer than most tests. */
  giveBack(url: string): Promise<void>;
  /** Runs one statement as the superuser. If the address of a store is given, the statement runs in the store's schema. */
  query(text: string, url?: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and deletes its folder. */
  end(): Promise<void>;
}

export const PASSWORD = "s3cret/of us";

const found = findPostgres();

/** A test that is skipped if Postgres cannot run here. test/untried.ts prints the reason. */
export const test = anyTest.skipIf("problem" in found);
export const describe = anyDescribe.skipIf("problem" in found);

export async function startPostgres(...settings: string[]): Promise<TestPostgres> {
  if ("problem" in found) throw new Error(`Postgres cannot run here: ${found.problem}.`);
  const folder = scratchFolder("cadre-postgres-");
  found.give(folder);
  await initialise(found, folder);
  const port = await freePort();
  const run = () => serve(found, folder, [`port=${port}`, ...settings]);
  let server = await run();
  const at = (host: string) => `postgres://postgres:${encodeURIComponent(PASSWORD)}@${host}:${port}/postgres`;
  const roots = { network: at("127.0.0.1"), socket: at(encodeURIComponent(folder)) };
  let schemas = 0;
  const spare: string[] = [];
  const query: TestPostgres["query"] = async (text, url = roots.network) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  return {
    async newStore(by = "network") {
      const emptied = spare.pop();
      if (emptied !== undefined) return roots[by] + emptied;
      const schema = `store_${schemas++}`;
      await query(`CREATE SCHEMA ${schema}`);
      return `${roots[by]}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    },
    async giveBack(url) {
      await query(EMPTY, url);
      spare.push(new URL(url).search);
    },
    query,
    stop: () => stop(server),
    async start() {
      server = await run();
    },
    async end() {
      await stop(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const EMPTY = `
  DO $$ DECLARE name TEXT; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('head', 'meta')
      LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  END $$;
  UPDATE head SET position = 0, runs = 0, commits = 0;
  DELETE FROM meta WHERE name <> 'version';
  SELECT setval(format('%I.%I', schemaname, sequencename), 1, false) FROM pg_sequences WHERE schemaname = current_schema()`;

/** Initializes one database folder per process and copies it, because copying takes a tenth of the time. */
let pristine: Promise<string> | undefined;

async function initialise(binaries: Binaries, folder: string): Promise<void> {
  pristine ??= createDatabaseFolder(binaries);
  await promisify(execFile)("cp", ["-a", await pristine, join(folder, "data")]);
}

async function createDatabaseFolder({ initdb, as, give }: Binaries): Promise<string> {
  const folder = scratchFolder("cadre-postgres-");
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  give(folder);
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  give(passwordFile);
  const data = join(folder, "data");
  const options = ["--username=postgres", "--auth=password", "--encoding=UTF8", "--locale=C", "--no-sync"];
  // Checking a password is slow by default, and the tests open hundreds of connections.
  options.push("--set=scram_iterations=1");
  await promisify(execFile)(initdb, [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...options], as);
  return data;
}

interface Server {
  postgres: ChildProcess;
  guard: ChildProcess;
}

async function serve({ postgres: path, as }: Binaries, folder: string, settings: string[]): Promise<Server> {
  const all = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, ...settings];
  const args = ["-D", join(folder, "data"), ...all.flatMap((setting) => ["-c", setting])];
  const postgres = spawn(path, args, { ...as, stdio: ["ignore", "ignore", "pipe"] });
  const guard = spawn("sh", ["-c", GUARD, String(postgres.pid), folder], {
    cwd: "/",
    stdio: ["pipe", "ignore", "ignore"],
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    postgres.on("error", reject);
    postgres.on("exit", () => reject(new Error(`Postgres did not start:\n${said}`)));
    postgres.stderr!.setEncoding("utf8").on("data", (text: string) => {
      // The server would block if its log were not read. The tests keep only the beginning of the log.
      if (said.length < 10_000) said += text;
      if (said.includes("ready to accept connections")) resolve();
    });
  });
  return { postgres, guard };
}

/** The server stops when its stdin closes, which happens when the test process ends or is killed. So no server is left behind. */
const GUARD = 'read -r _; kill -QUIT "$0"; while kill -0 "$0"; do sleep 0.1; done; rm -rf "$1"';

/** Stops the server and closes its open connections. Committed data is kept. */
async function stop({ postgres, guard }: Server): Promise<void> {
  if (postgres.exitCode !== null || postgres.signalCode !== null) return;
  guard.kill("SIGKILL");
  postgres.kill("SIGINT");
  await once(postgres, "exit");
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
