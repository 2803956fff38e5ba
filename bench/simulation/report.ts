import { monthlyCost } from '../monthly-cost.ts';
import type { Assumed, Simulated } from './service.ts';

/** Assumed volume of the simulation. */
export const ASSUMED: Assumed = {
  databases: 1_000,
  passes: 1_000_000_000,
  accounts: 100_000,
  largestAccount: 1_000_000,
  changesAMonth: 10,
  growth: 0.03,
  months: 24,
  peak: 10,
};

/** Lines that depend on the machine's speed. */
export const TIMED_LINES = ['busiest database in its busiest minute', 'largest move'];

/** Returns the rows of a simulation for docs/performance.md#a-billion-passes, by name. */
export function linesOf(simulated: Simulated): [name: string, value: string][] {
  const million = (value: number) => `${Math.round(value / 1e6).toLocaleString('en')} million`;
  const thousand = (value: number) => `${Math.round(value / 1_000).toLocaleString('en')},000`;
  const percent = (share: number) => `${Math.round(share * 100)}%`;
  const { total, parts } = monthlyCost({
    requests: simulated.requests,
    cpuMillis: simulated.cpuMillis,
    rowsRead: simulated.rowsRead,
    rowsWritten: simulated.rowsWritten,
    // Each message is written, read and deleted.
    queueOperations: simulated.queueMessages * 3,
    filesWritten: 0,
    storedKilobytes: simulated.storedBytes / 1_000,
  });
  const dollars = (amount: number) => `$${Math.round((amount / simulated.passes) * 1e6)}`;
  const { rowsWritten, queueOperations, requests, cpuMillis, rowsRead, storedKilobytes } = parts;
  return [
    ['passes', million(simulated.passes)],
    ['databases', simulated.databases.toLocaleString('en')],
    ['accounts that outgrow a database', simulated.outgrown.toLocaleString('en')],
    ['taken of 10 GB, median and most', `${percent(simulated.fullness.median)}, ${percent(simulated.fullness.most)}`],
    [TIMED_LINES[0]!, percent(simulated.busiest)],
    ['moves of accounts a month', simulated.movesAMonth.toFixed(0)],
    [TIMED_LINES[1]!, `${thousand(simulated.largestMove)} passes, ${simulated.longestMoveMinutes.toFixed(0)} minutes`],
    ['changes a month', million(simulated.changes)],
    ['ticks of the cron a month', million(simulated.ticks)],
    ['queue messages a month', million(simulated.queueMessages)],
    ['rows read, written a month', `${million(simulated.rowsRead)}, ${million(simulated.rowsWritten)}`],
    ['a million passes a month', dollars(total)],
    ['of it rows written', dollars(rowsWritten)],
    ['of it queues', dollars(queueOperations)],
    ['of it requests and CPU', dollars(requests + cpuMillis)],
    ['of it rows read', dollars(rowsRead)],
    ['of it storage', dollars(storedKilobytes)],
  ];
}
