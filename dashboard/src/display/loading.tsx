/** Says what is loading. A text, because an empty skeleton could be mistaken for a result. */
export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <p role="status" className="p-6 text-center text-muted text-sm">
      {what}…
    </p>
  );
}
