// A queue for jobs that must not overlap.

let last = Promise.resolve();

/** Starts a job when all earlier jobs have ended. */
export function wait(job) {
  last = last.then(job, job);
  return last;
}
