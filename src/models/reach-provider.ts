// Checks whether a provider can be reached and accepts the key, by requesting its list of models, which costs nothing.

import { messageOf } from "../errors.ts";
import { type Endpoint, type ProviderTypeName, providerTypes } from "./index.ts";

export type Reached =
  /** `time` is the provider's clock. */
  { status: number; time?: number } | { problem: string };

const REACH_MS = 5_000;

export async function reachProvider(type: ProviderTypeName, endpoint: Endpoint): Promise<Reached> {
  const { listOf } = providerTypes[type];
  const { url, headers } = listOf(endpoint);
  try {
    const answer = await fetch(url, {
      headers: { ...headers, ...endpoint.headers },
      redirect: "manual",
      signal: AbortSignal.timeout(REACH_MS),
    });
    await answer.body?.cancel();
    const time = Date.parse(answer.headers.get("date") ?? "");
    return { status: answer.status, ...(Number.isNaN(time) ? {} : { time }) };
  } catch (error) {
    const { cause = error } = error as { cause?: { code?: string } };
    return { problem: (cause as { code?: string }).code?.toString() ?? messageOf(cause) };
  }
}
