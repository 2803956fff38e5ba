import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { experimental_readRawConfig } from 'wrangler';
import { ROOT } from '../../scripts/settings.ts';
import { recordStatement } from './statement-record.ts';

/** Writes a configuration into `directory`, with `changes`, with which `wrangler dev` runs the Worker of `recorded-worker.ts`, and returns its file. */
export function recordedConfig(directory: string, changes: object = {}): string {
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, 'wrangler.toml') });
  const config = {
    ...rawConfig,
    main: join(ROOT, 'test', 'support', 'recorded-worker.ts'),
    build: { command: rawConfig.build?.command, cwd: ROOT, watch_dir: join(ROOT, 'src', 'pages') },
    assets: { ...rawConfig.assets, directory: join(ROOT, rawConfig.assets?.directory ?? '') },
    ...changes,
  };
  const file = join(directory, 'wrangler.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** Takes what that Worker says of its statements from its log. */
export function recordLine(line: string): void {
  if (!line.startsWith('{"statement":')) return;
  recordStatement((JSON.parse(line) as { statement: string }).statement);
}
