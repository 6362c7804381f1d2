// Limits on the memory and time that a server may cost.

/** Maximum bytes of one HTTP response, or of everything that a stdio server sends between two requests. */
export const MAX_ANSWER = 16 * 1024 * 1024;

export const tooMuch = `it sent more than ${MAX_ANSWER / 1024 / 1024} MB at once and was ended`;

/** Time limit for connecting, and for listing the tools. It is long because the first `npx` downloads a package. */
export const CONNECT_MS = 30_000;

/** Time limit of a call. The server's `timeout` or the run's `toolTimeout` may end the call earlier. */
export const LONGEST_CALL_MS = 3_600_000;
