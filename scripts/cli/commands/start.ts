import { COMMON, type Command, PLACES } from '../command.ts';

export const START = {
  summary: 'Runs the service on this machine, with a demo account',
  about: 'Installs missing packages, applies migrations, seeds the demo account, and runs until Ctrl-C. Data stays.',
  options: {
    port: { type: 'string', value: 'N', variable: 'PORT', help: 'port of the service (default: 8787)' },
    host: { type: 'string', value: 'ADDRESS', variable: 'HOST', help: 'address to listen on (default: 127.0.0.1)' },
    'base-url': {
      type: 'string',
      value: 'URL',
      variable: 'BASE_URL',
      help: 'base URL of links (default: http://localhost:<port>)',
    },
    ...PLACES,
    log: { type: 'boolean', variable: 'LOG', help: 'shows the Worker’s log, which otherwise goes to a file' },
    ...COMMON,
  },
  examples: [
    ['', 'runs the service on http://localhost:8787'],
    ['--port 9000 --log', 'runs it on another port, and shows its log'],
  ],
  output: {
    lines: {
      running: 'baseUrl, accountId, apiKey, templates, docs, devInbox, devClock, scanner, signIn, demoFile, logFile',
      stopped: 'baseUrl',
    },
  },
} as const satisfies Command;
