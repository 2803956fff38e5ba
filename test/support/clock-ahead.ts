/** The Worker's variable for the milliseconds by which its clock is ahead, as if it had been down for that long. */
export const CLOCK_AHEAD_MS = 'CLOCK_AHEAD_MS';
