import { ListFilter } from "lucide-react";
import { Button, type ButtonProps } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { FACET_LABELS, type Facet } from "./facets.ts";

/** Names the filters that are on. */
export function FilterButton({ show, ...rest }: ButtonProps & { show: readonly Facet[] }) {
  const isOff = show.length === 0;
  return (
    <Button
      look={isOff ? "quiet" : "plain"}
      size="small"
      className={classNames("min-w-0 max-md:h-10", !isOff && "border-accent! text-accent!")}
      {...rest}
    >
      <ListFilter size={13} aria-hidden className="shrink-0" />
      <span className={classNames("truncate", isOff && "max-sm:sr-only")}>
        {isOff ? "Filter" : show.map((facet) => FACET_LABELS[facet]).join(", ")}
      </span>
    </Button>
  );
}
