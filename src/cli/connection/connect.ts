// Connects a command to its project's store (see runtime/connection.ts). Prints problems that occur while it is connected.

import { type CadreClient, isUnreachable } from "../../api/client/client.ts";
import { CadreError, messageOf } from "../../errors.ts";
import type { AssemblyOptions } from "../../runtime/assembly.ts";
import { type ConnectionOptions, connectToStore, type StoreConnection } from "../../runtime/connection.ts";
import type { Invocation } from "../invocation.ts";
import { plainLine } from "../view/text/plain.ts";
import { type NoticeIo, otherConfigProblems, printIgnoredSettings } from "./ignored-settings.ts";

export interface ConnectOptions extends Omit<ConnectionOptions, "env" | "onConfig"> {
  io: NoticeIo;
  /** Prints problems of the process, such as an unreachable store. If absent, they are printed to stderr. */
  say?: (line: string) => void;
  /** True if the command itself prints which settings are ignored. */
  showsIgnoredSettings?: boolean;
}

export interface Connection extends Omit<StoreConnection, "config"> {
  /** Problems of the project's configuration, one line each. The list is empty if another process owns the store. */
  problems: string[];
}

export async function connect(options: ConnectOptions): Promise<Connection> {
  const { io, say, showsIgnoredSettings, onProblem, ...rest } = options;
  const printer = problemPrinter(say);
  const { config, ...connection } = await connectToStore({
    ...rest,
    env: io.env,
    serveOnRequest: options.serve ? undefined : serveOnRequest(io.env),
    onProblem: onProblem ?? printer.onProblem,
    onRecovered: options.onRecovered ?? printer.onRecovered,
    onConfig(found) {
      if (!showsIgnoredSettings) printIgnoredSettings(found, io, onProblem && logTo(onProblem));
    },
  });
  return { ...connection, problems: config ? otherConfigProblems(config) : [] };
}

/** Serves the page for a `cadre up` that starts while this process owns the store. The server's code is loaded only then. */
const serveOnRequest =
  (env: NoticeIo["env"]): NonNullable<ConnectionOptions["serveOnRequest"]> =>
  async (parts, config, port) => {
    const { serveWeb } = await import("../serve/serve-web.ts");
    const server = await serveWeb(parts, config, {
      set: env["CADRE_TOKEN"] || undefined,
      onRefused: undefined,
      port,
    });
    let isOpen = true;
    return {
      ...server,
      async close() {
        if (!isOpen) return;
        isOpen = false;
        delete parts.web.served;
        await server.close();
      },
    };
  };

/** Calls `use` with a client. If the owner of the store exits during the call, connects again and repeats the call. */
export async function withClient<T>(
  { folder, io }: Pick<Invocation, "folder" | "io">,
  use: (client: CadreClient) => Promise<T>,
  options: Pick<ConnectOptions, "createsStore" | "flags" | "showsIgnoredSettings"> = {},
): Promise<T> {
  for (let left = 5; ; left--) {
    const connection = await connect({ ...options, folder, io, drive: false });
    try {
      return await use(connection.client);
    } catch (error) {
      if (!isUnreachable(error) || left === 0) throw error;
    } finally {
      await connection.close();
    }
  }
}

/** True if the owner exited or this process read too slowly. The command should then reconnect and continue from its last position. */
export const isConnectionLost = (error: unknown): boolean =>
  isUnreachable(error) || (error instanceof CadreError && error.code === "STALE");

/** Prints each problem once, so that a repeated fault does not fill the screen. */
function problemPrinter(
  say = (line: string): void => void process.stderr.write(`${line}\n`),
): Required<Pick<AssemblyOptions, "onProblem" | "onRecovered">> {
  const printed = new Set<string>();
  return {
    onProblem({ message, error, answered }) {
      // The command prints errors of its own requests. Internal errors are printed here too, because the response hides their details.
      if (answered && error instanceof CadreError && error.code !== "INTERNAL") return;
      const text = plainLine(`${message} ${messageOf(error)}`);
      if (printed.has(text)) return;
      printed.add(text);
      say(`cadre: ${text}`);
    },
    onRecovered(sentence) {
      // After a recovery, a problem is printed again even if it was printed before.
      printed.clear();
      say(`cadre: ${sentence}`);
    },
  };
}

const logTo =
  (tell: NonNullable<ConnectOptions["onProblem"]>) =>
  (sentence: string): void =>
    tell({
      message: "Some settings of cadre.yaml are ignored here.",
      error: new CadreError("UNTRUSTED", sentence),
    });
