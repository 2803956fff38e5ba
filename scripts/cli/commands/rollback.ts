import { CLOUDFLARE_VARIABLES, COMMON, type Command, DEPLOYMENT } from '../command.ts';

export const ROLLBACK = {
  summary: 'Goes back to the version that was deployed before',
  about: 'Waits until the service is healthy. The databases stay as they are.',
  argument: { shown: '[<version>]', help: 'identifier of the version (default: the one before)' },
  options: { ...DEPLOYMENT, ...COMMON },
  variables: CLOUDFLARE_VARIABLES,
  examples: [
    ['', 'goes back to the version before'],
    ['--env staging', 'does so in the second deployment of wrangler.toml'],
  ],
  output: {
    document: {
      worker: 'name of the Worker',
      address: 'address of the service, or null',
      healthy: 'true; null where the address is not known',
    },
  },
} as const satisfies Command;
