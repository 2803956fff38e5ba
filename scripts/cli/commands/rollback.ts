import { CLOUDFLARE_VARIABLES, COMMON, type Command, DEPLOYMENT } from '../command.ts';

export const ROLLBACK = {
  summary: 'Rolls back to the previous version',
  about: 'Waits until the service is healthy. The databases stay as they are.',
  argument: { shown: '[<version>]', help: 'identifier of the version (default: the previous one)' },
  options: { ...DEPLOYMENT, ...COMMON },
  variables: CLOUDFLARE_VARIABLES,
  examples: [
    ['', 'rolls back to the previous version'],
    ['--env staging', 'rolls back the environment staging of wrangler.toml'],
  ],
  output: {
    document: {
      worker: 'name of the Worker',
      address: 'address of the service, or null',
      healthy: 'true; null if the address is unknown',
    },
  },
} as const satisfies Command;
