import { networkInterfaces } from 'node:os';

/** This machine's IPv4 address in its network; undefined if it has none. */
export const networkAddress = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

/** Suffix for the title of a test that needs one, with the reason for skipping it. */
export const withoutNetwork = networkAddress ? '' : ' (skipped: this machine has no address but the loopback)';
