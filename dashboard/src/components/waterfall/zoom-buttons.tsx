import { ArrowLeft, ArrowRight, Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import type { Zoom } from "./use-zoom.ts";

export function ZoomButtons({ zoom }: { zoom: Zoom }) {
  const { isWhole, by, shift, to } = zoom;
  const buttons = [
    { label: "Earlier", icon: ArrowLeft, run: () => shift(-0.5), disabled: isWhole },
    { label: "Later", icon: ArrowRight, run: () => shift(0.5), disabled: isWhole },
    { label: "Zoom in", icon: ZoomIn, run: () => by(0.5), disabled: false },
    { label: "Zoom out", icon: ZoomOut, run: () => by(2), disabled: isWhole },
    { label: "Show the whole range", icon: Maximize, run: () => to(undefined), disabled: isWhole },
  ];
  return (
    <div className="flex px-2 py-1">
      {buttons.map(({ label, icon: Icon, run, disabled }) => (
        <Button
          key={label}
          look="quiet"
          size="small"
          aria-label={label}
          title={label}
          disabled={disabled}
          className="max-md:size-10"
          onClick={run}
        >
          <Icon size={14} aria-hidden />
        </Button>
      ))}
    </div>
  );
}
