/** "20 requests per second per issuer" (Google Wallet, "Performance tips"). */
export const CALLS_PER_SECOND = 20;
