import { describe } from "vitest";
import type { Open } from "./kit.contract.ts";
import { messagesContract } from "./messages.contract.ts";
import { newerVersionContract } from "./newer-version.contract.ts";
import { treeUsageContract } from "./tree-usage.contract.ts";

/** Rows that are brought up to date when they are asked for. */
export function derivedTablesContract(open: Open): void {
  describe("messages", () => messagesContract(open));
  describe("usage of trees", () => treeUsageContract(open));
  describe("what a newer version wrote", () => newerVersionContract(open));
}
