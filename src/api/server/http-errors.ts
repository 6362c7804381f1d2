// Errors on the wire: a stable code, one sentence, and details. Unexpected errors reveal nothing about the server.

import { CadreError, httpStatus, toCadreError } from "../../errors.ts";
import type { Mask } from "../../journal/masking/mask.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { ErrorBody } from "../routes/schemas.ts";

/** An error with an HTTP status of its own. */
export class HttpError extends CadreError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("BAD_REQUEST", message);
    this.status = status;
  }
}

/** The body of a request is not JSON. Protocols with a code of their own for that recognize it by its class. */
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

/** Masks secrets: an error may repeat parts of the request. */
export function errorResponse(
  error: unknown,
  mask?: Mask,
  bodyOf: (failure: CadreError) => object = errorBody,
): Response {
  const failure = toCadreError(error);
  const body = bodyOf(failure);
  return Response.json(mask ? mask.value(body) : body, { status: statusOf(failure) });
}

export const statusOf = (failure: CadreError): number =>
  failure instanceof HttpError ? failure.status : httpStatus(failure.code);

/** The journal of a run cannot be read; other runs are not affected. */
export const isDamagedJournal = (error: unknown): error is CadreError =>
  error instanceof CadreError && error.code.startsWith("JOURNAL_");
