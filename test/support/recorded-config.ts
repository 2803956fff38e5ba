import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { experimental_readRawConfig } from 'wrangler';
import { ROOT } from '../../scripts/settings.ts';
import { recordStatement } from './statement-record.ts';

/**
 * Writes a configuration into `directory` with which `wrangler dev` runs the Worker of `recorded-worker.ts`, and
 * returns its file. Rate limiters that `limits` names admit so many in their periods.
 */
export function recordedConfig(directory: string, limits: Record<string, number> = {}): string {
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, 'wrangler.toml') });
  const limiters: { name: string; simple: { limit: number } }[] = rawConfig.ratelimits ?? [];
  const config = {
    ...rawConfig,
    ratelimits: limiters.map(({ simple, ...limiter }) => ({
      ...limiter,
      simple: { ...simple, limit: limits[limiter.name] ?? simple.limit },
    })),
    main: join(ROOT, 'test', 'support', 'recorded-worker.ts'),
    build: { command: rawConfig.build?.command, cwd: ROOT, watch_dir: join(ROOT, 'src', 'pages') },
    assets: { ...rawConfig.assets, directory: join(ROOT, rawConfig.assets?.directory ?? '') },
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
