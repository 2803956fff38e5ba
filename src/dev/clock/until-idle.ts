import { machineNow } from '../../platform/clock.ts';
import { activity, forgetSent } from '../activity.ts';

const LOOK_MS = 5;
/** A queue of this machine delivers within a second or two. */
const LOST_MS = 5_000;
/** Longer than any request of the service may take. */
const STUCK_MS = 40_000;

/** Waits until nothing is under way. Returns false where something neither ends nor goes on. */
export async function untilIdle(goesOn: () => void): Promise<boolean> {
  let { moves } = activity();
  let since = machineNow();
  for (;;) {
    const seen = activity();
    if (seen.sent === 0 && seen.running === 0) return true;
    if (seen.moves !== moves) {
      moves = seen.moves;
      since = machineNow();
    }
    const silentMs = machineNow() - since;
    if (seen.running === 0 && silentMs > LOST_MS) forgetSent();
    if (silentMs > STUCK_MS) return false;
    goesOn();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
