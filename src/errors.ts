// Every failure that a person may meet: a stable code, one sentence, and where it maps to at the edges.
// The sentence says what happened, whether anything is lost, and what to do now.

const CODES = {
  USAGE: { status: 400, exit: 2 },
  BAD_REQUEST: { status: 400, exit: 2 },
  AGENT_NOT_FOUND: { status: 400, exit: 2 },
  AGENT_INVALID: { status: 400, exit: 2 },
  CONFIG_INVALID: { status: 400, exit: 2 },
  UNAUTHORIZED: { status: 401, exit: 2 },
  FORBIDDEN: { status: 403, exit: 2 },
  UNTRUSTED: { status: 403, exit: 2 },
  NOT_FOUND: { status: 404, exit: 2 },
  CONFLICT: { status: 409, exit: 1 },
  ALREADY_DECIDED: { status: 409, exit: 1 },
  OUTCOME_UNKNOWN: { status: 409, exit: 2 },
  RUN_TERMINAL: { status: 409, exit: 1 },
  STALE: { status: 409, exit: 1 },
  UNPROCESSABLE: { status: 422, exit: 2 },
  MODEL_UNKNOWN: { status: 400, exit: 2 },
  PROVIDER_KEY_MISSING: { status: 400, exit: 2 },
  PROVIDER_UNAVAILABLE: { status: 503, exit: 1 },
  ENGINE_AWAY: { status: 503, exit: 1 },
  STORAGE_FULL: { status: 507, exit: 1 },
  STORAGE_UNUSABLE: { status: 500, exit: 1 },
  STORE_OWNED: { status: 409, exit: 1 },
  JOURNAL_NEWER: { status: 500, exit: 1 },
  JOURNAL_CORRUPT: { status: 500, exit: 1 },
  INTERNAL: { status: 500, exit: 1 },
} as const;

export type ErrorCode = keyof typeof CODES;

export const ERROR_CODES = Object.keys(CODES) as ErrorCode[];

export class CadreError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, details?: Record<string, unknown>, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CadreError";
    this.code = code;
    this.details = details;
  }
}

export const httpStatus = (code: ErrorCode): number => CODES[code].status;

export const exitCode = (code: ErrorCode): number => CODES[code].exit;

/** An error of any origin as ours; what we did not foresee keeps its message and says so by its code. */
export function toCadreError(error: unknown): CadreError {
  if (error instanceof CadreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CadreError("INTERNAL", message, undefined, error);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For the default branch of a switch that the compiler must see as complete. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
