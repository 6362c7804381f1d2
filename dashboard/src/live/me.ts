// Who one is here, and what one's role allows. The server refuses the rest in any case: the page only does not offer it.

import { queryOptions, useQuery } from "@tanstack/react-query";
import type { RoleView } from "../../../src/api/client/types.ts";
import { client } from "./client.ts";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: () => client.get("/api/me"),
  staleTime: Number.POSITIVE_INFINITY,
});

const RANKS: readonly RoleView[] = ["viewer", "operator", "admin"];

/** Undefined: it is allowed, or not known yet. Otherwise why not. */
export function useRefusal(needed: RoleView): string | undefined {
  const { data: me } = useQuery(meQuery);
  if (!me || RANKS.indexOf(me.role) >= RANKS.indexOf(needed)) return undefined;
  return needed === "admin"
    ? `Only an admin may do this: you are ${me.role === "viewer" ? "a viewer" : "an operator"}.`
    : "Only an operator or an admin may do this: you are a viewer.";
}
