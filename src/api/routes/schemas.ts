// Schemas that are used by several routes.

import { z } from "zod";
import { MAX_MESSAGE_FILES } from "../../journal/attachment.ts";
import { RunRow, RunUsage } from "../../projections/run-row-schema.ts";

/** Names of schemas in the API's description (views/openapi.ts). */
export const SCHEMA_NAMES = z.registry<{ id: string }>();

/** Gives a schema its name in the API's description. */
export function nameSchema<S extends z.ZodType>(id: string, schema: S): S {
  SCHEMA_NAMES.add(schema, { id });
  return schema;
}

export const namedObject = <S extends z.ZodRawShape>(id: string, shape: S) => nameSchema(id, z.object(shape));

/** Creates a schema for request bodies. The schema rejects unknown keys. */
export const namedStrictObject = <S extends z.ZodRawShape>(id: string, shape: S) =>
  nameSchema(id, z.strictObject(shape));

export const MAX_PAGE = 500;

export const EmptyBody = namedStrictObject("EmptyBody", {});

export const Count = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);

export const Flag = z.enum(["0", "1"]).transform((value) => value === "1");

export const pageFields = {
  limit: Count.pipe(z.int().min(1).max(MAX_PAGE)).exactOptional(),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "must be the nextCursor of the page before")
    .exactOptional(),
};

export const PageQuery = z.strictObject(pageFields);

export const NoQuery = z.strictObject({});

/** The result of one check of this installation, and how to fix the problem. */
export const Check = namedObject("Check", {
  state: z.enum(["ok", "warn", "bad"]),
  /** True for a warning that is shown in red: Cadre works, but the person is less protected than they might think. */
  isDanger: z.literal(true).optional(),
  name: z.string(),
  text: z.string(),
  fix: z.string().optional(),
});
export type Check = z.infer<typeof Check>;

export const RunUsageView = nameSchema("RunUsageView", RunUsage);

export const RunSummary = nameSchema(
  "RunSummary",
  RunRow.extend({
    /** True if all questions of the run and its descendants are answered, but no driver has continued the run yet. */
    answered: z.literal(true).optional(),
  }),
);
export type RunSummary = z.infer<typeof RunSummary>;

export const LinkView = namedObject("LinkView", { url: z.string(), expiresAt: z.number() });
export type LinkView = z.infer<typeof LinkView>;

export const ErrorBody = namedObject("ErrorBody", {
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

export const Nothing = namedObject("Nothing", {});

/** Size limit of a body with attachments, in megabytes. Base64 needs a third more than the files themselves. */
export const MEGABYTES_WITH_FILES = 20;

const SentFile = namedStrictObject("SentFile", {
  name: z.string().min(1).max(1_000),
  /** The file's bytes as base64. Images (PNG, JPEG, GIF, WebP) have at most 3.75 MB, PDFs at most 10 MB. */
  data: z.string().min(1),
});

/** Images and PDFs, at most 12 MB together. */
export const SentFiles = z.array(SentFile).max(MAX_MESSAGE_FILES);

export const Started = namedObject("Started", { runId: z.string() });

export const Decided = namedObject("Decided", { alreadyDecided: z.boolean() });

export const Cancelled = namedObject("Cancelled", { cancelled: z.array(z.string()) });

export const nextCursor = z.string().optional();
