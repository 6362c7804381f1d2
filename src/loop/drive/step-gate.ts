// Decides which run may take a step now (E5). Steps of ordinary runs run side by side.
// A run that was lost twice without an outcome takes its steps alone.
// If it crashes the process again, it is clear which run did it.
// Such a run waits for at most one step of the others, and the others wait for at most one of its steps.

export interface StepGate {
  /** Resolves when the step may begin. Call the returned function when the step is over. */
  enter(how: "shared" | "alone", left: AbortSignal): Promise<() => void>;
}

export function createStepGate(): StepGate {
  let sharing = 0;
  let taken = false;
  const waiting: { how: "shared" | "alone"; go: () => void }[] = [];

  const mayGo = (how: "shared" | "alone"): boolean => (how === "alone" ? sharing === 0 && !taken : !taken);
  const begin = (how: "shared" | "alone"): (() => void) => {
    if (how === "alone") taken = true;
    else sharing++;
    return () => {
      if (how === "alone") taken = false;
      else sharing--;
      letGo();
    };
  };
  const letGo = (): void => {
    while (waiting[0] && mayGo(waiting[0].how)) waiting.shift()!.go();
  };

  return {
    async enter(how, left) {
      if (left.aborted) return () => {};
      if (waiting.length === 0 && mayGo(how)) return begin(how);
      return new Promise((resolve) => {
        const entry = { how, go: () => resolve(begin(how)) };
        waiting.push(entry);
        left.addEventListener("abort", () => {
          const at = waiting.indexOf(entry);
          if (at < 0) return;
          waiting.splice(at, 1);
          resolve(() => {});
          letGo();
        });
      });
    },
  };
}
