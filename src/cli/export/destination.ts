// Moves a tree to another server (E7). First asks the server whether it would accept the tree, then ends the tree here.
// The server's answer is recorded. After the import the exported file is deleted, so that no second store can import the tree.

import { readFile, rm } from "node:fs/promises";
import { type CadreClient, isUnreachable } from "../../api/client/client.ts";
import type { ImportView, MovedBody } from "../../api/client/types.ts";
import { isLoopback } from "../../api/server/public-server.ts";
import { CadreError, describeSystemError, httpStatus, messageOf } from "../../errors.ts";
import { clientWithToken } from "../connection/server-client.ts";
import type { Io } from "../invocation.ts";
import { asSentence } from "../view/text/plain.ts";

const TOKEN = "CADRE_DESTINATION_TOKEN";

export interface Destination {
  /** Address of the server, without credentials. */
  url: string;
  /** Throws if the server would not accept the tree. If `hasLeft` is true, the server might already have the tree. */
  check(root: string, hasLeft: boolean): Promise<void>;
  /** Uploads the file, then deletes it. Calls `settle` once it is certain whether the server imported the tree. */
  deliver(file: string, settle: Settle): Promise<ImportView>;
}

type Settle = (outcome: MovedBody["outcome"]) => Promise<void>;

export const isServerAddress = (to: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(to);

export function destinationOf(to: string, format: string, env: Io["env"]): Destination {
  const address = readAddress(to);
  const place = address.origin + address.pathname.replace(/\/+$/, "");
  if (format !== "cadre") throw refusal(`${place} only takes trees that are moved: add --format cadre.`);
  const token = env[TOKEN];
  if (!token) throw refusal(`${place} requires a token: set ${TOKEN} to the token of an admin there.`);
  const client = clientWithToken(place, token);
  return {
    url: place,
    async check(root, hasLeft) {
      const me = await askServer(place, () => client.get("/api/me"));
      if (me.role !== "admin")
        throw refusal(`${place} takes trees only from admins, and ${me.name} is ${me.role} there.`);
      if (!hasLeft && (await askServer(place, () => hasRun(client, root))))
        throw new CadreError(
          "CONFLICT",
          `${root} is already at ${place}. Nothing was moved. If it was moved from there, prune it there first (cadre prune --run ${root}).`,
        );
    },
    async deliver(file, settle) {
      const taken = await client
        .post("/api/import", { body: { tree: await readFile(file, "utf8"), accept: true } })
        .catch(async (error: unknown) => {
          if (isRefusal(error)) await settle("refused");
          throw deliveryError(place, file, error);
        });
      // The file must be deleted first. Once the move is recorded as settled, a repeated command would no longer delete the file.
      await rm(file, { force: true });
      await settle("arrived");
      return taken;
    },
  };
}

/** True if the server itself refused the tree. A gateway's error does not show whether the server imported the tree. */
const isRefusal = (error: unknown): boolean =>
  error instanceof CadreError && !isUnreachable(error) && httpStatus(error.code) < 500;

function deliveryError(place: string, file: string, error: unknown): CadreError {
  const what = isRefusal(error)
    ? `${place} did not take the tree: ${answerOf(place, error)} It has ended here, and nothing is lost: the file is ${file}. Run the same command again, or import the file elsewhere.`
    : `It is unknown whether ${place} has the tree: ${answerOf(place, error)} It has ended here, and nothing is lost: the file is ${file}. Run the same command again; the tree is imported only once. Import the file elsewhere only if it is not there.`;
  return new CadreError("CONFLICT", what, undefined, error);
}

/** Rewords the client's errors, which assume a Cadre process on this machine. */
function answerOf(place: string, error: unknown): string {
  if (isUnreachable(error))
    return `${place} cannot be reached (${describeSystemError((error as CadreError).cause)}).`;
  if (error instanceof CadreError && error.code === "UNAUTHORIZED")
    return `the token in ${TOKEN} is not valid for ${place}. Set it to the token of an admin there, or to the content of \`.cadre/token\` there.`;
  return asSentence(messageOf(error));
}

function readAddress(to: string): URL {
  const address = URL.parse(to);
  if (!address || !/^https?:$/.test(address.protocol) || address.username || address.search || address.hash)
    throw refusal(
      `${JSON.stringify(to.replace(/\/\/[^/]*@/, "//"))} is not the address of a server: use https://host.`,
    );
  // Without TLS, other machines on the network could read the token and the tree.
  if (address.protocol === "http:" && !isLoopback(address.hostname.replace(/^\[|\]$/g, "")))
    throw refusal(`http://${address.host} is not encrypted: use https.`);
  return address;
}

async function askServer<T>(place: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new CadreError(
      "CONFLICT",
      `${place} cannot take the tree now: ${answerOf(place, error)} Nothing was moved.`,
    );
  }
}

async function hasRun(client: CadreClient, root: string): Promise<boolean> {
  try {
    await client.get("/api/runs/{id}", { id: root });
    return true;
  } catch (error) {
    if (error instanceof CadreError && error.code === "NOT_FOUND") return false;
    throw error;
  }
}

const refusal = (why: string): CadreError => new CadreError("USAGE", `${why} Nothing was moved.`);
