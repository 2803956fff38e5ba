/** Settings on this device, for one link. */
export interface Preferences {
  sound: boolean;
  vibration: boolean;
  device: string;
  /** Chosen configuration; null: the link's own. */
  configurationId: string | null;
  cameraId: string | null;
}

const DEFAULTS: Preferences = { sound: true, vibration: true, device: '', configurationId: null, cameraId: null };

/** Reads the settings. A browser without storage gets the defaults. */
export function readPreferences(base: string): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(base) ?? '{}') as Partial<Preferences>) };
  } catch {
    return { ...DEFAULTS };
  }
}

export function keepPreferences(base: string, preferences: Preferences): void {
  try {
    localStorage.setItem(base, JSON.stringify(preferences));
  } catch {
    // They last until the page is closed.
  }
}
