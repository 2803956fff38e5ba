import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Environment variable with the path for the durations. */
export const FILE_TIMES = 'FILE_TIMES';

/** Milliseconds by path of a test file. Includes its hooks, which the JSON report omits. */
export type FileTimes = Record<string, number>;

/** Writes how long each file took. */
export default class FileTimesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const times: FileTimes = Object.fromEntries(
      modules.map((module) => [module.moduleId, module.diagnostic().duration]),
    );
    writeFileSync(process.env[FILE_TIMES]!, JSON.stringify(times));
  }
}
