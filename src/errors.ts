// Every error that a user can see has a stable code, an HTTP status, an exit code and one message.
// The message says what happened, whether anything is lost, and what to do now.

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
  STORAGE_UNUSABLE: { status: 503, exit: 1 },
  STORE_OWNED: { status: 409, exit: 1 },
  FILES_UNAVAILABLE: { status: 503, exit: 1 },
  FOLDER_MISSING: { status: 409, exit: 1 },
  JOURNAL_NEWER: { status: 500, exit: 1 },
  JOURNAL_CORRUPT: { status: 500, exit: 1 },
  INTERNAL: { status: 500, exit: 1 },
} as const;

export type ErrorCode = keyof typeof CODES;

export const ERROR_CODES = Object.keys(CODES) as ErrorCode[];

/** An error message in two parts, because some callers show only the reason. */
export interface ErrorMessage {
  reason: string;
  /** Tells the user what did not happen because of the error, for example "Nothing was started." */
  assurance: string;
}

export class CadreError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  /** The message without the sentence about what did not happen, such as "Nothing was started." */
  readonly reason: string;

  constructor(
    code: ErrorCode,
    message: string | ErrorMessage,
    details?: Record<string, unknown>,
    cause?: unknown,
  ) {
    const { reason, assurance = "" } = typeof message === "string" ? { reason: message } : message;
    super(`${reason} ${assurance}`.trim(), cause === undefined ? undefined : { cause });
    this.name = "CadreError";
    this.code = code;
    this.details = details;
    this.reason = reason;
  }
}

export const runNotFound = (runId: string): CadreError =>
  new CadreError("NOT_FOUND", `There is no run ${runId}. \`cadre runs\` lists the existing ones.`);

export const httpStatus = (code: ErrorCode): number => CODES[code].status;

export const exitCode = (code: ErrorCode): number => CODES[code].exit;

/** Wraps any error in a CadreError. An unexpected error keeps its message and gets the code INTERNAL. */
export function toCadreError(error: unknown): CadreError {
  if (error instanceof CadreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CadreError("INTERNAL", message, undefined, error);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Says why a file or an address could not be used. The system's own messages are written for programmers. */
export function describeSystemError(error: unknown): string {
  for (let link = error; link instanceof Error; link = link.cause) {
    const { code } = link as { code?: unknown };
    if (typeof code === "string" && Object.hasOwn(REASONS, code)) return REASONS[code]!;
  }
  return messageOf(error);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is a file",
  EEXIST: "a file with that name exists",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EIO: "disk error",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOMEM: "there is too little memory",
  ENAMETOOLONG: "its name is too long",
  ENOTFOUND: "the host name has no address",
  EAI_AGAIN: "the host name cannot be resolved right now",
  ECONNREFUSED: "nothing is listening there",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  EADDRINUSE: "the port is in use",
  UND_ERR_SOCKET: "the connection was cut",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  EHOSTUNREACH: "it cannot be reached",
  ENETUNREACH: "it cannot be reached",
};

/** Errors that pass by themselves and say nothing about the file, such as too many open files or too little memory. */
const TEMPORARY = new Set(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EBUSY", "ESTALE"]);

/** True if the same work might succeed a moment later, without any change. */
export function isTemporary(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause) {
    const { code } = link as { code?: unknown };
    if (code === "FILES_UNAVAILABLE" || (typeof code === "string" && TEMPORARY.has(code))) return true;
  }
  return false;
}

/** Rethrows an error that passes by itself. Call this before an unreadable file is treated as missing or bad. */
export function throwIfTemporary(error: unknown): void {
  if (!isTemporary(error)) return;
  if (error instanceof CadreError) throw error;
  const reason = `Files cannot be read right now: ${describeSystemError(error)}.`;
  const assurance = "Nothing was started. Try again in a moment.";
  throw new CadreError("FILES_UNAVAILABLE", { reason, assurance }, undefined, error);
}

/** Call this in the default branch of a switch: the compiler then reports a missing case. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
