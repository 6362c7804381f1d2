/** Says that something is on its way; a picture of nothing would look like an answer. */
export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <p role="status" className="p-6 text-center text-muted text-sm">
      {what}…
    </p>
  );
}
