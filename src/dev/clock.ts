import { setClockSteps } from '../platform/clock.ts';
import { isLocalService } from '../platform/local-request.ts';

type LocalEnv = { ADMIN_TOKEN?: string; FILES: R2Bucket };

/** Whether this isolate has loaded the offset of the dev clock. */
let isKnown = false;

/**
 * Restores the dev clock in an isolate that just started. All work waits for this first; in a deployment there is
 * nothing to wait for.
 */
export function useDevClock(env: LocalEnv): Promise<void> | undefined {
  return isKnown || !isLocalService(env) ? undefined : setClock(env);
}

async function setClock({ FILES }: LocalEnv): Promise<void> {
  const { readSteps, shiftDate } = await import('./clock/kept-clock.ts');
  const steps = await readSteps(FILES);
  // Several requests may have started this, and one may have advanced the clock since.
  if (isKnown) return;
  isKnown = true;
  if (steps.length === 0) return;
  setClockSteps(steps);
  shiftDate();
}
