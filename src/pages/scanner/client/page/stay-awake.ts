let lock: WakeLockSentinel | undefined;

/** Keeps the screen on while the page is visible. The browser releases the lock when it is hidden. */
export async function stayAwake(): Promise<void> {
  if (lock && !lock.released) return;
  try {
    lock = await navigator.wakeLock?.request('screen');
  } catch {
    // The battery is low, or the browser doesn't allow it.
  }
}
