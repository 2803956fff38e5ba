import { COMMON, type Command, PLACES } from '../command.ts';

export const STATUS = {
  summary: 'Shows whether the service runs on this machine, and its health',
  about: 'Exits with 1 if it does not run, or has an alert. "admin status --remote" asks the deployed service.',
  options: { ...PLACES, ...COMMON },
  examples: [['', 'prints the address of the service, and its state']],
  output: {
    document: {
      running: 'whether the service runs on this state directory',
      baseUrl: 'its address, or null',
      stateDir: 'the state directory',
      service: 'reply of "admin status", or null',
    },
  },
} as const satisfies Command;
