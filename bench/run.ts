import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Problem, runMain } from '../scripts/settings.ts';
import { measureBulk } from './bulk/measure.ts';
import { measureCapacity } from './capacity/measure.ts';
import { measureFanOut } from './fan-out.ts';
import { measurePassFiles } from './pass-files/measure.ts';
import { measurePassStyles } from './pass-files/measure-styles.ts';
import { STYLE_NAMES } from './pass-files/style-samples.ts';
import { chooseProcessors } from './processors.ts';
import { measureRequests } from './requests.ts';
import { formatTable, type Goal, type Results } from './results.ts';
import type { BenchOptions } from './run-options.ts';
import { makeCrowd, measureSearch } from './search/measure.ts';
import { measureSimulation } from './simulation/measure.ts';
import { measureSpread } from './spread/measure.ts';
import { measureWebhooks } from './webhooks/measure.ts';

/*
 * npm run bench: compares the service's speed with a Worker that does the least possible work for the same replies, and
 * with two libraries that build pass files. `--json` prints one object, name to {ours, floor, ratio, unit}.
 */

const GOALS: Record<string, Goal> = {
  read_v1: { least: 0.8 },
  read_v3: { least: 0.8 },
  create_async: { least: 0.8 },
  create_sync: { least: 0.8 },
  read_v1_vs_ideal: { least: 0.6 },
  read_v3_vs_ideal: { least: 0.6 },
  create_async_vs_ideal: { least: 0.5 },
  create_sync_vs_ideal: { least: 0.5 },
  list_page_10000_vs_page_1: { least: 0.9 },
  scan_void: { least: 0.8 },
  scan_attendance: { least: 0.8 },
  create_ruled_100000_vs_few: { least: 0.9 },
  pkpass_full_vs_passkit_generator: { least: 50 },
  pkpass_lite_vs_passkit_generator: { least: 50 },
  pkpass_full_vs_pass_js: { least: 1.3 },
  pkpass_lite_vs_pass_js: { least: 1 },
  pkpass_full_node_vs_pass_js: { least: 1.3 },
  pkpass_lite_node_vs_pass_js: { least: 1 },
  ...Object.fromEntries(STYLE_NAMES.map((name) => [`pkpass_rsa_${name}`, { least: 0.93 }])),
  ...Object.fromEntries(STYLE_NAMES.map((name) => [`pkpass_ec_${name}`, { least: 9.3 }])),
  bulk_patch: { least: 0.5 },
  push_fan_out: { least: 0.6 },
  webhooks_1: { least: 0.6 },
  webhooks_10: { least: 0.6 },
  webhooks_100: { least: 0.6 },
  webhooks_1_cpu: { most: 1.67 },
  webhooks_10_cpu: { most: 1.67 },
  webhooks_100_cpu: { most: 1.67 },
  capacity_pass: { most: 1 },
  capacity_event: { most: 1 },
  capacity_passes: { least: 1 },
  spread_2_roundTrips: { most: 1 },
  spread_2_rowsRead: { most: 1 },
  spread_2_rowsWritten: { most: 1 },
  spread_2_bytes: { most: 1 },
  spread_4_roundTrips: { most: 1 },
  spread_4_rowsRead: { most: 1 },
  spread_4_rowsWritten: { most: 1 },
  spread_4_bytes: { most: 1 },
  webhooks_1_lag_p99: { most: 1 },
  webhooks_10_lag_p99: { most: 1 },
  webhooks_100_lag_p99: { most: 1 },
};

/** The parts of the benchmark, in order. */
const PARTS: Record<string, (options: BenchOptions) => Promise<Results>> = {
  'pass-files': measurePassFiles,
  'pass-styles': measurePassStyles,
  requests: measureRequests,
  search: async (options) => measureSearch(await makeCrowd(options), options),
  bulk: async (options) => measureBulk(await makeCrowd({ ...options, rows: Math.min(options.rows, 200_000) }), options),
  'fan-out': measureFanOut,
  webhooks: measureWebhooks,
  capacity: measureCapacity,
  spread: measureSpread,
  simulation: measureSimulation,
};

const USAGE = `Usage: npm run bench -- [options]
  --only A,B     parts to run: ${Object.keys(PARTS).join(', ')}
  --json         print one JSON object
  --rows N       passes of the template (1,000,000)
  --active N     active passes of a push fan-out (100,000)
  --rounds N     rounds of each side of a comparison (15)
  --seconds S    length of a round (0.4)`;

await runMain(async () => {
  const { json, help, parts, rows, active, rounds, seconds } = readArguments();
  if (help) return console.log(USAGE);
  const say = (text: string) => console.error(text);
  const folder = mkdtempSync(join(tmpdir(), 'pass-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
  const processors = chooseProcessors();
  if (!processors) say('Server and clients share the processors here: rates are lower than they could be.');
  const results: Results = {};
  for (const part of parts) {
    const ownFolder = join(folder, part);
    mkdirSync(ownFolder);
    const options = { folder: ownFolder, processors, say, rounds, seconds, rows, active };
    Object.assign(results, await PARTS[part]!(options));
    rmSync(ownFolder, { recursive: true, force: true });
  }
  console.log(json ? JSON.stringify(results, null, 2) : formatTable(results, GOALS));
});

function readArguments() {
  const number = (text: string, name: string, least: number): number => {
    const value = Number(text);
    if (!(value >= least)) throw new Problem(`--${name} must be a number of at least ${least}.\n${USAGE}`);
    return value;
  };
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        only: { type: 'string', default: Object.keys(PARTS).join() },
        rows: { type: 'string', default: '1000000' },
        active: { type: 'string', default: '100000' },
        rounds: { type: 'string', default: '15' },
        seconds: { type: 'string', default: '0.4' },
      },
    });
    const { json, help } = values;
    const parts = values.only.split(',');
    const unknown = parts.find((part) => !Object.hasOwn(PARTS, part));
    if (unknown !== undefined) throw new Problem(`There is no part "${unknown}".\n${USAGE}`);
    return {
      json,
      help,
      parts,
      active: number(values.active, 'active', 100),
      rows: number(values.rows, 'rows', 1_000),
      rounds: number(values.rounds, 'rounds', 1),
      seconds: number(values.seconds, 'seconds', 0.1),
    };
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`${(error as Error).message}\n${USAGE}`);
  }
}
