// Serves the images and PDFs that belong to a run's events.
// A file can come from anyone: a person, a tool or an MCP server. So the headers keep the browser from running anything in it (A08).

import { CadreError } from "../../errors.ts";
import { type Attachment, isImage, MEDIA_TYPES } from "../../journal/attachment.ts";
import { attachmentsOf } from "../../journal/events.ts";
import type { ApiParts } from "../parts.ts";
import { findRun } from "../views/read-runs.ts";
import { route } from "./route.ts";

export function attachmentRoutes({ store }: Pick<ApiParts, "store">) {
  return [
    route.get(
      "/api/runs/{id}/attachments/{hash}",
      { summary: "An image or PDF of a run; `hash` is the `blob` of the attachment", media: MEDIA_TYPES },
      async ({ params: { id, hash } }) => {
        const { id: runId } = await findRun(store, id);
        const files = (await store.journal.read(runId)).flatMap(attachmentsOf);
        const file = files.find(({ blob }) => blob === hash);
        const data = file && (await store.blobs.get(hash));
        if (data === undefined) throw new CadreError("NOT_FOUND", `Run ${runId} has no attachment ${hash}.`);
        return new Response(Buffer.from(data, "base64"), { headers: headersOf(file!) });
      },
    ),
  ];
}

/** Only images are shown in the browser. All other files are downloaded. Only a few verified types are allowed. SVG is not. */
const headersOf = (file: Attachment): Record<string, string> => ({
  "Content-Type": file.mediaType,
  "Content-Disposition": `${isImage(file) ? "inline" : "attachment"}; filename*=UTF-8''${encodeName(file.name)}`,
  "Content-Security-Policy": ATTACHMENT_POLICY,
  "X-Content-Type-Options": "nosniff",
  // The URL contains the hash of the content, so the content at this URL never changes.
  "Cache-Control": "private, max-age=31536000, immutable",
});

/** Forbids scripts, plugins and every further request. */
const ATTACHMENT_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

/** Encodes a file name for a header (RFC 8187). `encodeURIComponent` throws on a lone surrogate. */
const encodeName = (name: string): string =>
  encodeURIComponent(name.toWellFormed().split("/").at(-1) ?? "").replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
