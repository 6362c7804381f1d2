// Estimates the database's time between two answers. This machine's own clock can be wrong and can jump (F36).
//  1  Between answers the time advances with the monotonic clock, so setting this machine's clock changes nothing.
//  2  The database reads the time at some moment between the request and its answer. If the estimate fits this interval, it is kept.
//     A slow answer means a long interval, so it does not make a good estimate worse.

import { type Clock, systemClock } from "../../clock.ts";

export class DatabaseClock implements Clock {
  private readonly own: Pick<Clock, "elapsed">;
  /** The database's time minus the monotonic clock. */
  private ahead = Number.NEGATIVE_INFINITY;

  constructor(own: Pick<Clock, "elapsed"> = systemClock) {
    this.own = own;
  }

  now(): number {
    return Math.floor(this.ahead + this.own.elapsed());
  }

  elapsed(): number {
    return this.own.elapsed();
  }

  /** `asked` is the monotonic time of the request. `now` is the time in the answer, in whole milliseconds. */
  adjust(now: number, asked: number): void {
    const [least, most] = [now - this.own.elapsed(), now + 1 - asked];
    this.ahead = Math.min(Math.max(this.ahead, least), most);
  }
}
