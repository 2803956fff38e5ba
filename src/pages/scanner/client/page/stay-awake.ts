let lock: WakeLockSentinel | undefined;

/** Keeps the screen on while the page is in view; the browser lets go by itself when it is not. */
export async function stayAwake(): Promise<void> {
  if (lock && !lock.released) return;
  try {
    lock = await navigator.wakeLock?.request('screen');
  } catch {
    // The battery is low, or the browser does not allow it.
  }
}
