// A transaction is written once, as generators, and run in two ways. SQLite answers a query immediately, so its commit loop
// runs a transaction to its end without a pause. Postgres answers later, so its commit loop waits for every promise.

/** Part of a transaction. It yields each answer that is still a promise, and is resumed with the value. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** The answer of a store to a query: a value, or a promise of it. */
export type Answer<T> = T | Promise<T>;

/** `const rows = yield* ask(queries.rows())` */
export function* ask<T>(answer: Answer<T>): Steps<T> {
  return answer instanceof Promise ? ((yield answer) as T) : answer;
}

/** Applies a function to an answer, immediately or once the promise is fulfilled. */
export function mapAnswer<T, U>(answer: Answer<T>, apply: (value: T) => Answer<U>): Answer<U> {
  return answer instanceof Promise ? answer.then(apply) : apply(answer);
}

/** Runs a transaction of a store that answers every query immediately. */
export function runNow<T>(steps: Steps<T>): T {
  const { done, value } = steps.next();
  if (!done) throw new Error("A query of a synchronous store has answered with a promise.");
  return value;
}

/** Runs a transaction of a store that answers with promises. */
export async function runLater<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    let answer: unknown;
    try {
      answer = await step.value;
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer);
  }
  return step.value;
}
