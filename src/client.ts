// The public API of "cadre/client": the HTTP API of a Cadre server, typed. It loads no runtime and works in a browser.

export { type CadreClient, isUnreachable } from "./api/client/client.ts";
export { createClient, type PublicClientOptions as ClientOptions } from "./api/client/public-client.ts";
export type { FeedItem, StreamItem } from "./api/client/stream-events.ts";
export { CadreError, type ErrorCode } from "./errors.ts";
