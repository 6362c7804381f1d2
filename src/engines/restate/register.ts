// Registers the workers with Restate. Every worker does this at each start.
// The latest registration replaces the earlier ones. Running invocations continue.

import { request } from "undici";
import { CadreError, describeSystemError } from "../../errors.ts";
import { repeat } from "../../repeat.ts";

export interface Registration {
  /** Resolves after the first attempt, whether or not it succeeded. */
  readonly first: Promise<unknown>;
  /** Registers again. Call it if Restate no longer knows the workers. */
  again(): void;
  stop(): Promise<void>;
}

export interface RegistrationOptions {
  admin: string;
  address: string;
  /** Called once per outage. Must not throw. */
  onError: (error: unknown) => void;
}

const PATIENCE_MS = 10_000;
const RETRY_MS = 1_000;
/** Number of attempts before an outage is reported. A load balancer needs a moment to discover a new worker. */
const TRIES = 10;
const BETWEEN_MS = 300;

export function register({ admin, address, onError }: RegistrationOptions): Registration {
  let stopped = false;
  const work = async (): Promise<void> => {
    for (let left = TRIES; left > 1 && !stopped; left--) {
      try {
        return await tell(admin, address);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
      }
    }
    if (!stopped) await tell(admin, address);
  };
  const tries = repeat({
    work: async () => ({ result: await work(), nextIn: NEVER_MS }),
    retryIn: () => RETRY_MS,
    onError,
  });
  return {
    first: tries.now(),
    again: () => void tries.now(),
    stop() {
      stopped = true;
      return tries.stop();
    },
  };
}

/** The longest delay that `setTimeout` accepts. */
const NEVER_MS = 2 ** 31 - 1;

async function tell(admin: string, address: string): Promise<void> {
  const { statusCode, body } = await request(new URL("/deployments", admin), {
    method: "POST",
    headers: { "content-type": "application/json" },
    // `force` is needed when a new version of Cadre registers at the same address.
    body: JSON.stringify({ uri: address, force: true }),
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
  }).catch((error: unknown) => {
    throw new CadreError(
      "ENGINE_AWAY",
      `Restate cannot be reached at ${new URL(admin).origin} (${describeSystemError(error)}). Until it is, workers drive what they find.`,
      undefined,
      error,
    );
  });
  const answer = await body.text();
  if (statusCode >= 300)
    throw new CadreError(
      "ENGINE_AWAY",
      `Restate does not know the workers: asked at ${address}, it says ${answer.slice(0, 500)}. Until it does, workers drive what they find.`,
    );
}
