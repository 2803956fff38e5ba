import { isAlive } from './bootstrap.mjs';

const PARENT_CHECK_MS = 500;

/** Calls back when a signal asks this process to stop, or when the script that started it is gone. It may call more than once. */
export function onStopRequest(stop: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  const parent = process.env.RUN_PARENT_PID;
  if (parent) setInterval(() => isAlive(Number(parent)) || stop(), PARENT_CHECK_MS).unref();
}
