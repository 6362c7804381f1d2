import "./app.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { keepQueriesFresh } from "./live/keep-queries-fresh.ts";
import { queryClient } from "./live/query-client.ts";
import { router } from "./routes.tsx";
import { applyTheme } from "./ui/theme.ts";

// Must be called first: when the feed opens, all queries that the page has already made are fetched again.
keepQueriesFresh();
allowStyles();
applyTheme();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

// The server's content security policy allows only styles with the page's nonce.
// Libraries that add styles at run time read the nonce from this global variable.
function allowStyles(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  if (nonce) Object.assign(globalThis, { __webpack_nonce__: nonce });
}
