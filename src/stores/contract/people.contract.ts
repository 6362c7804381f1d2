import { describe } from "vitest";
import type { Open } from "./kit.contract.ts";
import { outboxContract } from "./outbox.contract.ts";
import { usersContract } from "./users.contract.ts";

export function peopleContract(open: Open): void {
  describe("users", () => usersContract(open));
  describe("webhooks", () => outboxContract(open));
}
