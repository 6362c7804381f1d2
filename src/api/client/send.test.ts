import { expect, test } from "vitest";
import { ErrorBody } from "../routes/schemas.ts";
import { errorOf } from "./send.ts";

const error = { code: "NOT_FOUND", message: "There is none." };

test.each<unknown>([
  { error },
  { error: { ...error, details: { runId: "r1" } }, more: 1 },
  { error: { ...error, details: undefined } },
  { error: { ...error, details: null } },
  { error: { ...error, details: [] } },
  { error: { ...error, details: "why" } },
  { error: { ...error, code: 404 } },
  { error: { code: "NOT_FOUND" } },
  { error: "There is none." },
  { error: null },
  {},
  [],
  null,
  undefined,
  "<html>502</html>",
  42,
])("the client accepts %j as an error body if and only if the error schema accepts it", (body) => {
  expect(errorOf(body) !== undefined).toBe(ErrorBody.safeParse(body).success);
});
