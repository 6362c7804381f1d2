// Converts errors to answers with a stable code, one sentence and details. Unexpected errors reveal nothing about the server.

import { CadreError, httpStatus } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { ErrorBody } from "../routes/schemas.ts";

/** An error that sets its own HTTP status. */
export class HttpError extends CadreError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("BAD_REQUEST", message);
    this.status = status;
  }
}

/** The request's body is not JSON. MCP has its own code for this error and recognises the error by this class. */
export class InvalidJsonError extends CadreError {
  constructor() {
    super("BAD_REQUEST", "The body is not valid JSON. Nothing was changed.");
  }
}

export function errorBody({ code, message, details }: CadreError): ErrorBody {
  if (code === "INTERNAL") return { error: { code, message: UNFORESEEN } };
  return { error: { code, message, ...omitUndefined({ details }) } };
}

const UNFORESEEN =
  "An internal error occurred. Everything recorded before is safe. See the log of the process.";

export const statusOf = (failure: CadreError): number =>
  failure instanceof HttpError ? failure.status : httpStatus(failure.code);
