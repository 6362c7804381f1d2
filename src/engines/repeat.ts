// Work that is done again and again for as long as a worker lives.
//  1  It never overlaps itself.
//  2  A failure is never the end: it is tried again, and one outage is reported once, not every second.
//  3  Its timer keeps no process alive; `stop` waits for what is under way, and then nothing follows.

export interface RepeatOptions<T> {
  /** Does the work once and says in how many milliseconds it wants to be done again. */
  work: () => Promise<{ result: T; nextIn: number }>;
  /** In how many milliseconds to try again after so many failures in a row. */
  retryIn: (failures: number) => number;
  /** Must not throw. */
  onError: (error: unknown) => void;
}

export interface Repeating<T> {
  /** Does the work now; if it is being done, once more right after. Undefined: it failed, or all is stopped. */
  now(): Promise<T | undefined>;
  stop(): Promise<void>;
}

/** Begins at once. */
export function repeat<T>({ work, retryIn, onError }: RepeatOptions<T>): Repeating<T> {
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<T | undefined> = Promise.resolve(undefined);
  let waiting: Promise<T | undefined> | undefined;
  let failures = 0;
  let stopped = false;

  function now(): Promise<T | undefined> {
    if (waiting) return waiting;
    waiting = last.then(once);
    last = waiting;
    return waiting;
  }

  async function once(): Promise<T | undefined> {
    waiting = undefined;
    clearTimeout(timer);
    if (stopped) return undefined;
    try {
      const { result, nextIn } = await work();
      failures = 0;
      again(nextIn);
      return result;
    } catch (error) {
      failures++;
      if (failures === 1) onError(error);
      again(retryIn(failures));
      return undefined;
    }
  }

  function again(delay: number): void {
    if (!stopped) timer = setTimeout(() => void now(), delay).unref();
  }

  async function stop(): Promise<void> {
    stopped = true;
    clearTimeout(timer);
    await last;
  }

  void now();
  return { now, stop };
}
