import { networkInterfaces } from 'node:os';

/** An IPv4 address by which this machine is reached from its network; undefined where it has none. */
export const networkAddress = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

/** Stands behind the name of a test that needs one, and says why it is skipped. */
export const withoutNetwork = networkAddress ? '' : ' (skipped: this machine has no address but the loopback)';
