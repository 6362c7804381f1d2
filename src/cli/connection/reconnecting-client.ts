// An API client for a long-running command.
// If the owner of the store exits, the client connects to the next owner. If no other process takes over, this process becomes the owner.
// The client repeats interrupted requests, so requests must be idempotent.

import type { CadreClient } from "../../api/client/client.ts";
import { type ConnectOptions, connect, isConnectionLost } from "./connect.ts";

export interface ReconnectingClient {
  withClient<T>(use: (client: CadreClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const TRIES = 5;

export async function openReconnectingClient(given: ConnectOptions): Promise<ReconnectingClient> {
  const options = { ...given, stays: true };
  let current = await connect(options);
  let renewing: Promise<void> | undefined;
  const renew = (): Promise<void> => {
    renewing ??= (async () => {
      await current.close();
      current = await connect({ ...options, waitsForOwner: true });
    })().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  return {
    async withClient(use) {
      for (let left = TRIES; ; left--) {
        await renewing;
        const connection = current;
        try {
          return await use(connection.client);
        } catch (error) {
          if (!isConnectionLost(error) || left === 0) throw error;
          if (connection === current) await renew();
        }
      }
    },
    async close() {
      await renewing?.catch(() => {});
      await current.close();
    },
  };
}
