import { type Results, result } from '../results.ts';
import type { BenchOptions } from '../run-options.ts';
import { QUIET, TOLD } from './costs.ts';
import { measureCosts } from './measure-costs.ts';
import { ASSUMED, linesOf } from './report.ts';
import { simulate } from './service.ts';

/** Simulates a service with a billion passes for two years, with costs measured on a small one on this machine. */
export async function measureSimulation(options: BenchOptions): Promise<Results> {
  const { say } = options;
  const { quietMillis, toldMillis, movedPerSecond, readOnlyMillis } = await measureCosts(options);
  say(
    `A change keeps its database busy for ${quietMillis.toFixed(1)} ms, with all that follows it ${toldMillis.toFixed(1)} ms.`,
  );
  say(`A move copies ${movedPerSecond.toFixed(0)} passes a second; writes wait for ${readOnlyMillis} ms.`);
  const quiet = simulate({ ...QUIET, changeMillis: quietMillis, movedPerSecond }, ASSUMED);
  const told = simulate({ ...TOLD, changeMillis: toldMillis, movedPerSecond }, ASSUMED);
  for (const [name, simulated] of Object.entries({
    'Without notifications': quiet,
    'With devices and webhooks': told,
  })) {
    say(`${name}:`);
    for (const [what, value] of linesOf(simulated)) say(`  ${what}: ${value}`);
  }
  return {
    simulation_quiet_databases: result(quiet.databases, ASSUMED.databases, 'databases'),
    simulation_told_databases: result(told.databases, ASSUMED.databases, 'databases'),
  };
}
