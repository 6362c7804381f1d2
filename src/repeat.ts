// Repeats some work for as long as a worker lives.
//  1  Two rounds of the work never overlap.
//  2  A failed round is retried. Several failures in a row are reported only once.
//  3  The timer does not keep the process alive. `stop` waits for the current round and starts no other round.

export interface RepeatOptions<T> {
  /** Does the work once and returns the delay in milliseconds until the next round. */
  work: () => Promise<{ result: T; nextIn: number }>;
  /** The delay in milliseconds before a retry, given the number of failures in a row. */
  retryIn: (failures: number) => number;
  /** This function must not throw. */
  onError: (error: unknown) => void;
}

export interface Repeating<T> {
  /** Does the work now, or right after the current round. Resolves to undefined if the work failed or `stop` was called. */
  now(): Promise<T | undefined>;
  stop(): Promise<void>;
}

/** Starts the first round immediately. */
export function repeat<T>({ work, retryIn, onError }: RepeatOptions<T>): Repeating<T> {
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<T | undefined> = Promise.resolve(undefined);
  let waiting: Promise<T | undefined> | undefined;
  let failures = 0;
  let stopped = false;

  function now(): Promise<T | undefined> {
    if (waiting) return waiting;
    waiting = last.then(runOnce);
    last = waiting;
    return waiting;
  }

  async function runOnce(): Promise<T | undefined> {
    waiting = undefined;
    clearTimeout(timer);
    if (stopped) return undefined;
    try {
      const { result, nextIn } = await work();
      failures = 0;
      schedule(nextIn);
      return result;
    } catch (error) {
      failures++;
      if (failures === 1) onError(error);
      schedule(retryIn(failures));
      return undefined;
    }
  }

  function schedule(delay: number): void {
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
