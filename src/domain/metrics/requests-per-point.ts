/** Beginning of the routes that Apple Wallet calls. */
const PHONES = '/wallet/apple/';

/** Phones ask after each push, so data points of all their successful requests would cost more than they tell. */
export const PHONE_REQUESTS_PER_POINT = 20;

/** Returns for how many requests a data point of this one stands. */
export function requestsPerPoint(route: string, status: number): number {
  return route.startsWith(PHONES) && status < 400 ? PHONE_REQUESTS_PER_POINT : 1;
}
