import { CLOUDFLARE_VARIABLES, COMMON, type Command, DEPLOYMENT } from '../command.ts';

export const DEPLOY = {
  summary: 'Deploys the service to Cloudflare, and tries it',
  about:
    'Creates what is missing, applies migrations, deploys the Worker, tries a pass, and says what is left to do. It stops at the first failure; what was done stays, and the next run goes on.',
  options: {
    env: DEPLOYMENT.env,
    location: {
      type: 'string',
      value: 'PLACE',
      choices: ['wnam', 'enam', 'weur', 'eeur', 'apac', 'oc'],
      help: 'where new databases and buckets are created: wnam, enam, weur, eeur, apac or oc',
    },
    url: DEPLOYMENT.url,
    'skip-smoke-test': { type: 'boolean', help: 'deploys without trying a pass' },
    ...COMMON,
  },
  variables: CLOUDFLARE_VARIABLES,
  examples: [
    ['', 'deploys production'],
    ['--env staging', 'deploys the second deployment of wrangler.toml'],
    ['--location weur', 'creates new databases in western Europe'],
  ],
  output: {
    document: {
      worker: 'name of the Worker',
      accountId: 'account at Cloudflare',
      address: 'address of the service, or null',
      smokeTest: 'passed or skipped',
      leftToDo: 'list of sentences; the first deployment’s name the setup token',
    },
  },
} as const satisfies Command;
