/*
 * What a month of the service costs at Cloudflare. Prices in US dollars, with what a month of Workers Paid includes:
 * developers.cloudflare.com/workers/platform/pricing, /d1/platform/pricing, /queues/platform/pricing and
 * /r2/pricing, November 2026.
 */

const PLAN = 5;
const PRICES = {
  requests: { included: 10_000_000, perMillion: 0.3 },
  cpuMillis: { included: 30_000_000, perMillion: 0.02 },
  rowsRead: { included: 25_000_000_000, perMillion: 0.001 },
  rowsWritten: { included: 50_000_000, perMillion: 1 },
  queueOperations: { included: 1_000_000, perMillion: 0.4 },
  filesWritten: { included: 1_000_000, perMillion: 4.5 },
  /** Database storage in kilobytes, so that every price is per million units. */
  storedKilobytes: { included: 5_000_000, perMillion: 0.75 },
} as const;

/** Usage per month, in the units of the price list. */
export type Usage = Record<keyof typeof PRICES, number>;

/** Returns dollars per month by item, and in total. */
export function monthlyCost(usage: Usage) {
  const parts = Object.fromEntries(
    Object.entries(PRICES).map(([name, { included, perMillion }]) => {
      const billed = Math.max(0, usage[name as keyof Usage] - included);
      return [name, (billed / 1_000_000) * perMillion];
    }),
  ) as Usage;
  const total = PLAN + Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { parts, total };
}
