// Errors in OpenAI's format, with Cadre's codes.

import type { CadreError } from "../../errors.ts";
import { errorBody, statusOf } from "../server/http-errors.ts";
import type { Refused } from "./schema.ts";

export function openaiErrorBody(failure: CadreError): Refused {
  const { code, message, details } = errorBody(failure).error;
  const own = details?.["code"];
  return {
    error: {
      message,
      type: typeOf(statusOf(failure)),
      param: null,
      code: typeof own === "string" ? own : code,
    },
  };
}

function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 404) return "not_found_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
