import { COMMON, type Command, PLACES } from '../command.ts';

export const OPENED_PAGES = ['console', 'docs', 'inbox', 'clock', 'scanner'] as const;

export const OPEN = {
  summary: 'Opens a page of the running service in the browser',
  about: 'The console opens signed in, by a link that works once.',
  argument: {
    shown: '[<page>]',
    help: `page (default: console): ${OPENED_PAGES.join(', ')}`,
    choices: OPENED_PAGES,
  },
  options: {
    print: { type: 'boolean', help: 'prints the address and opens nothing' },
    ...PLACES,
    ...COMMON,
  },
  examples: [
    ['', 'opens the console, signed in as demo@example.com'],
    ['docs', 'opens the API reference'],
    ['scanner --print', 'prints the link to the scanner app'],
  ],
  output: {
    document: {
      page: 'name of the page',
      url: 'its address',
      opened: 'whether a browser was started',
    },
  },
} as const satisfies Command;
