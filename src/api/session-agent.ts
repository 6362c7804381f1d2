import type { Store } from "../stores/store.ts";

/** Whose session it is: of its latest run, and not of those that this one has started. Undefined: it is new. */
export async function sessionAgent(session: string, store: Store): Promise<string | undefined> {
  return (await store.runs.list({ session, roots: true, limit: 1 })).runs[0]?.agent;
}
