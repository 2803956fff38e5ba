import { isAlive } from './bootstrap.mjs';

const PARENT_CHECK_MS = 500;

/**
 * Resolves when a signal asks this process to stop, or when the script that started it is gone. From then on signals
 * are only noted, so that what has begun to end does so in order.
 */
export function whenStopRequested(): Promise<undefined> {
  return new Promise((resolve) => {
    const stop = () => resolve(undefined);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    const parent = process.env.RUN_PARENT_PID;
    if (parent) setInterval(() => isAlive(Number(parent)) || stop(), PARENT_CHECK_MS).unref();
  });
}
