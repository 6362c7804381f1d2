// Jobs that must not overlap, one behind the other.

let last = Promise.resolve();

/** Begins a job when all that were handed in before it have ended. */
export function wait(job) {
  last = last.then(job, job);
  return last;
}
