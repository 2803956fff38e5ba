import { EVENT_TYPES } from '../../../src/domain/events/catalog.ts';
import { COMMON, type Command, PLACES } from '../command.ts';

export const LISTEN = {
  summary: 'Prints events as they happen, and forwards them to your server',
  about:
    'Subscribes to events in pull mode and, with --forward, posts them to your server with the headers of a webhook. An event is acknowledged when your server answers with 2xx. Until then it is posted again, and later events wait. Ctrl-C ends it and removes its subscriptions.',
  options: {
    events: {
      type: 'string',
      multiple: true,
      value: 'A,B',
      choices: EVENT_TYPES,
      help: `events to listen to (default: all): ${EVENT_TYPES.join(', ')}`,
    },
    template: { type: 'string', value: 'ID', help: 'only events of this template' },
    forward: { type: 'string', value: 'URL', help: 'URL of your server, for example http://localhost:3000/hook' },
    secret: {
      type: 'string',
      value: 'whsec_…',
      help: 'signs what is forwarded (default: a new one, which is printed)',
    },
    'base-url': { type: 'string', value: 'URL', help: 'address of the service (default: the one on this machine)' },
    'api-key': {
      type: 'string',
      value: 'KEY',
      help: 'API key, better given as API_KEY in the environment (default: the demo account’s)',
    },
    'local-dir': PLACES['local-dir'],
    ...COMMON,
  },
  variables: { API_KEY: 'API key of the account' },
  examples: [
    ['', 'prints all events of the demo account'],
    ['--events pass_created,pass_voided --forward http://localhost:3000/hook', 'posts these events to your server'],
    ['--json | jq .payload', 'prints the bodies of events'],
  ],
  output: { lines: { '': 'type, payload and the other members of a webhook; forwarded with --forward' } },
} as const satisfies Command;
