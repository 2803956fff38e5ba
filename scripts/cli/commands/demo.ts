import { DEMO_KEYS } from '../../demo/templates.ts';
import { COMMON, type Command, PLACES } from '../command.ts';

export const DEMO = {
  summary: 'Creates a pass of a demo template, and checks its file',
  about: 'It uses the API of the service that runs on this machine, downloads the pass file, and checks its signature.',
  argument: {
    shown: '[<template>]',
    help: `demo template (default: boardingPass): ${DEMO_KEYS.join(', ')}`,
    choices: DEMO_KEYS,
  },
  options: { ...PLACES, ...COMMON },
  examples: [
    ['', 'creates a boarding pass, and prints the link to its page with a QR code'],
    ['eventTicket', 'creates a ticket'],
    ['--json | jq -r .downloadPage', 'prints only the link'],
  ],
  output: {
    document: {
      template: 'name of the demo template',
      identifier: 'identifier of the pass',
      downloadPage: 'link to its page',
      passFileUri: 'link to its pass file',
      walletSaveUri: 'link to Google Wallet, or null',
      file: 'where the pass file was saved',
      checks: 'list of {promise, passed, detail}; passed is missing if the check could not run',
    },
  },
} as const satisfies Command;
