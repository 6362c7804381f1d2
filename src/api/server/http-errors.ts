// How a failure looks on the wire: a stable code, one sentence, details. What nobody foresaw tells its reader nothing
// about our insides.

import { CadreError, httpStatus, toCadreError } from "../../errors.ts";
import type { Mask } from "../../journal/masking/mask.ts";
import type { ErrorBody } from "../routes/schemas.ts";

/** A refusal whose status is HTTP's own business. */
export class HttpError extends CadreError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("BAD_REQUEST", message);
    this.status = status;
  }
}

export function errorBody({ code, message, details }: CadreError): ErrorBody {
  if (code === "INTERNAL") return { error: { code, message: UNFORESEEN } };
  return { error: { code, message, ...(details === undefined ? {} : { details }) } };
}

const UNFORESEEN =
  "Something failed here that nobody foresaw. What was recorded before is safe; the log of the process says more.";

/** What is refused is told back, but never a secret in it. */
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

/** A journal that cannot be read: a matter of its own run. */
export const isDamagedJournal = (error: unknown): error is CadreError =>
  error instanceof CadreError && error.code.startsWith("JOURNAL_");
