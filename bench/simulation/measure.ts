import { monthlyCost } from '../monthly-cost.ts';
import { type Results, result } from '../results.ts';
import type { BenchOptions } from '../run-options.ts';
import { type Assumed, type Measured, type Simulated, simulate } from './service.ts';

/** docs/performance.md#a-billion-passes names the source of each number. */
const MEASURED: Measured = {
  passBytes: 1_290,
  deviceBytes: 440,
  changeBytes: 300,
  changeMonths: 32 / 30,
  changeRowsWritten: 16,
  changeRowsRead: 40,
  changeMillis: 5,
  changeMessages: 1,
  changeRequests: 4,
  tickRowsRead: 100,
  movedPerSecond: 1_000,
};

const ASSUMED: Assumed = {
  databases: 1_000,
  passes: 1_000_000_000,
  accounts: 100_000,
  largestAccount: 1_000_000,
  changesAMonth: 10,
  growth: 0.03,
  months: 24,
  peak: 10,
};

/** Lets a service of a billion passes run for two years, on paper. */
export async function measureSimulation({ say }: BenchOptions): Promise<Results> {
  const simulated = simulate(MEASURED, ASSUMED);
  for (const [what, value] of linesOf(simulated)) say(`  ${what}: ${value}`);
  return { simulation_databases: result(simulated.databases, ASSUMED.databases, 'databases') };
}

function linesOf(simulated: Simulated): [string, string][] {
  const million = (value: number) => `${Math.round(value / 1e6).toLocaleString('en')} million`;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const { total } = monthlyCost({
    requests: simulated.requests,
    cpuMillis: simulated.requests * 4,
    rowsRead: simulated.rowsRead,
    rowsWritten: simulated.rowsWritten,
    // Each message is written, read and deleted.
    queueOperations: simulated.queueMessages * 3,
    filesWritten: 0,
    storedKilobytes: simulated.storedBytes / 1_000,
  });
  return [
    ['passes', million(simulated.passes)],
    ['accounts', simulated.accounts.toLocaleString('en')],
    ['databases', simulated.databases.toLocaleString('en')],
    ['taken of 10 GB, median / most', `${percent(simulated.fullness.median)} / ${percent(simulated.fullness.most)}`],
    ['busiest database in its busiest minute', percent(simulated.busiest)],
    ['moves of accounts a month', simulated.movesAMonth.toFixed(0)],
    ['largest move', `${million(simulated.largestMove)} passes, ${simulated.longestMoveMinutes.toFixed(0)} minutes`],
    ['changes a month', million(simulated.changes)],
    ['ticks of the cron a month', million(simulated.ticks)],
    ['queue messages a month', million(simulated.queueMessages)],
    ['rows written a month', million(simulated.rowsWritten)],
    ['dollars a month', Math.round(total).toLocaleString('en')],
    ['dollars a month for a million passes', Math.round((total / simulated.passes) * 1e6).toLocaleString('en')],
  ];
}
