const PARENT_CHECK_MS = 250;

/**
 * Resolves when a signal asks this process to stop, or when its parent, such as npm, is gone or closes the channel
 * between them. Later signals are ignored, so that the shutdown completes in order.
 */
export function whenStopRequested(): Promise<undefined> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const stop = () => resolve(undefined);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    process.on('disconnect', stop);
    // The channel must not keep an otherwise idle process alive.
    process.channel?.unref();
    setInterval(() => process.ppid !== parent && stop(), PARENT_CHECK_MS).unref();
  });
}
