import { CLOUDFLARE_VARIABLES, COMMON, type Command, DEPLOYMENT } from '../command.ts';

export const DEPLOY = {
  summary: 'Deploys the service to Cloudflare, and tests it',
  about:
    'Creates missing resources, applies migrations, deploys the Worker, tests it with a pass, and lists the next steps. It stops at the first failure. Completed steps stay, and the next run continues.',
  options: {
    env: DEPLOYMENT.env,
    location: {
      type: 'string',
      value: 'PLACE',
      choices: ['wnam', 'enam', 'weur', 'eeur', 'apac', 'oc'],
      help: 'where new databases and buckets are created: wnam, enam, weur, eeur, apac or oc',
    },
    url: DEPLOYMENT.url,
    'skip-smoke-test': { type: 'boolean', help: 'deploys without the smoke test' },
    ...COMMON,
  },
  variables: CLOUDFLARE_VARIABLES,
  examples: [
    ['', 'deploys production'],
    ['--env staging', 'deploys the environment staging of wrangler.toml'],
    ['--location weur', 'creates new databases in western Europe'],
  ],
  output: {
    document: {
      worker: 'name of the Worker',
      accountId: 'account at Cloudflare',
      address: 'address of the service, or null',
      smokeTest: 'passed or skipped',
      leftToDo: 'list of sentences; after the first deployment, one has the setup token',
    },
  },
} as const satisfies Command;
