import { Menu, MenuCheck } from "../../ui/menu.tsx";
import { FACET_LABELS, FACETS, type Facet, type FacetCounts } from "./facets.ts";
import { FilterButton } from "./filter-button.tsx";

interface FilterMenuProps {
  show: readonly Facet[];
  counts: FacetCounts;
  onShow(show: Facet[]): void;
}

export const FilterMenu = ({ show, counts, onShow }: FilterMenuProps) => (
  <Menu label="Show only" trigger={<FilterButton show={show} />}>
    {FACETS.map((facet) => (
      <MenuCheck
        key={facet}
        checked={show.includes(facet)}
        onChange={(isOn) => onShow(isOn ? [...show, facet] : show.filter((each) => each !== facet))}
      >
        {FACET_LABELS[facet]}
        <span className="ml-auto pl-6 text-muted text-xs tabular-nums">{counts[facet]}</span>
      </MenuCheck>
    ))}
  </Menu>
);
