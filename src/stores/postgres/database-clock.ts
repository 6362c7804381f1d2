// The database's time, as a process knows it between two answers: this machine's own clock may be wrong, and may jump (F36).
//  1  It goes on by what only goes forward here, so setting this machine's clock changes nothing.
//  2  An answer says when it is between being asked for and being heard. Within that the clock is left as it is: a slow
//     answer makes no good time worse.

import { type Clock, systemClock } from "../../clock.ts";

export class DatabaseClock implements Clock {
  private readonly own: Pick<Clock, "elapsed">;
  /** Of what is elapsed here. */
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

  /** `asked`: what was elapsed then. `now` is in whole milliseconds. */
  heard(now: number, asked: number): void {
    const [least, most] = [now - this.own.elapsed(), now + 1 - asked];
    this.ahead = Math.min(Math.max(this.ahead, least), most);
  }
}
