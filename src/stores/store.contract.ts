// The behaviour that every store must have. The tests of a store call this suite, and add tests of its own features:
//   storeContract("SQLite", async () => ({ store, clock, reopen, close }));
// `reopen` closes the store and opens the same data again. Time comes from the fake clock, for leases too.

import { describe } from "vitest";
import { journalContract } from "./contract/journal.contract.ts";
import type { Open } from "./contract/kit.contract.ts";
import { leaseContract } from "./contract/leases.contract.ts";
import { listContract } from "./contract/lists.contract.ts";
import { messagesContract } from "./contract/messages.contract.ts";
import { modelContract } from "./contract/model.contract.ts";
import { newerVersionContract } from "./contract/newer-version.contract.ts";
import { outboxContract } from "./contract/outbox.contract.ts";
import { pruneContract } from "./contract/prune.contract.ts";
import { searchContract } from "./contract/search.contract.ts";
import { sessionsContract } from "./contract/sessions.contract.ts";
import { slotsContract } from "./contract/slots.contract.ts";
import { transfersContract } from "./contract/transfers.contract.ts";
import { treeBudgetContract } from "./contract/tree-budgets.contract.ts";
import { treeUsageContract } from "./contract/tree-usage.contract.ts";
import { treeContract } from "./contract/trees.contract.ts";
import { triggerContract } from "./contract/triggers.contract.ts";
import { usersContract } from "./contract/users.contract.ts";

export function storeContract(name: string, open: Open): void {
  describe(`the contract of a store: ${name}`, () => {
    describe("journals", () => journalContract(open));
    describe("leases", () => leaseContract(open));
    describe("lists", () => listContract(open));
    describe("trees", () => treeContract(open));
    describe("budgets of trees", () => treeBudgetContract(open));
    describe("slots", () => slotsContract(open));
    describe("messages", () => messagesContract(open));
    describe("usage of trees", () => treeUsageContract(open));
    describe("events of a newer version", () => newerVersionContract(open));
    describe("sessions", () => sessionsContract(open));
    describe("searching", () => searchContract(open));
    describe("users", () => usersContract(open));
    describe("webhooks", () => outboxContract(open));
    describe("schedules and hooks", () => triggerContract(open));
    describe("pruning", () => pruneContract(open));
    describe("transfers", () => transfersContract(open));
    describe("compared with a model", () => modelContract(open));
  });
}
