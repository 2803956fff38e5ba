const PARENT_CHECK_MS = 250;

/**
 * Resolves when a signal asks this process to stop, or when the process that started it is gone, npm for example, which
 * closes a channel between them. From then on signals are only noted, so that what has begun to end does so in order.
 */
export function whenStopRequested(): Promise<undefined> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const stop = () => resolve(undefined);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    process.on('disconnect', stop);
    // What has nothing else to do ends, whoever still holds the channel.
    process.channel?.unref();
    setInterval(() => process.ppid !== parent && stop(), PARENT_CHECK_MS).unref();
  });
}
