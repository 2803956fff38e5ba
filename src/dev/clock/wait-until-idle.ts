import { machineNow } from '../../platform/clock.ts';
import { activity, forgetSent } from '../activity.ts';

const POLL_MS = 5;
/** A local queue delivers within a second or two. */
const LOST_MS = 5_000;
/** Longer than any request of the service takes. */
const STUCK_MS = 40_000;

/** Waits until no work is running. Returns false if work neither ends nor makes progress. */
export async function waitUntilIdle(noteProgress: () => void): Promise<boolean> {
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
    noteProgress();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
