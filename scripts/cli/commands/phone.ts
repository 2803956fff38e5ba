import { DEMO_KEYS } from '../../demo/templates.ts';
import { COMMON, type Command, PLACES } from '../command.ts';

export const PHONE = {
  summary: 'Shows an iPhone in the terminal: a pass and its updates',
  about:
    'It downloads and checks a pass, registers, gets pushes from a stand-in for Apple, and shows what changed. Enter asks for updates; Ctrl-C ends it.',
  argument: {
    shown: '[<link> | <template>]',
    help: `download page, .pkpass or .pkpasses of the service on this machine, or a demo template: ${DEMO_KEYS.join(', ')}. By default, creates a boarding pass`,
    choices: DEMO_KEYS,
  },
  options: {
    pin: { type: 'string', value: 'PIN', help: 'PIN of the download page' },
    language: { type: 'string', value: 'TAG', help: 'language of the phone, such as de or pt-BR (default: en)' },
    once: { type: 'boolean', help: 'ends after the first update' },
    wait: { type: 'string', value: 'SECONDS', help: 'with --once: gives up after this time' },
    keep: { type: 'boolean', help: 'stays registered at the end' },
    ...PLACES,
    ...COMMON,
  },
  examples: [
    ['', 'creates a boarding pass and waits for its updates'],
    ['seasonTicket --language de', 'shows a season ticket on a German phone'],
    ['http://localhost:8787/p/… --once --wait 60', 'waits a minute for the first update of a pass'],
  ],
  output: {
    lines: {
      downloaded: 'passes: list of {serialNumber, passTypeIdentifier, fields, checks}',
      registered: 'statuses by serial number',
      waiting: 'relayOrigin, apnsOrigin',
      pushed: 'topic',
      updated: 'serialNumber, status, changes, messages',
      unregistered: 'statuses by serial number',
      warned: 'message',
    },
  },
} as const satisfies Command;
