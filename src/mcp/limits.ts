// What a server may cost us.

/** Bytes of one answer, and of whatever comes between two questions of ours. */
export const MAX_ANSWER = 16 * 1024 * 1024;

/** The same, in words. */
export const tooMuch = `it sent more than ${MAX_ANSWER / 1024 / 1024} MB at once and was ended`;

/** Until it has introduced itself and listed its tools; a first `npx` fetches a package. */
export const CONNECT_MS = 30_000;

/** A call, where neither the server's `timeout` nor the run's `toolTimeout` ends it before. */
export const LONGEST_CALL_MS = 3_600_000;
