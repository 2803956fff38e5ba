import { COMMON, type Command, PLACES } from '../command.ts';

const REMOTE = { type: 'boolean', help: 'works on the deployed service in place of the one on this machine' } as const;
const VARIABLES = { BACKUP_KEY: 'required: 32 bytes in base64, as "openssl rand -base64 32" makes them' } as const;

const COPIED = {
  folder: 'folder of the backup',
  rows: 'number of rows',
  files: 'number of files',
  processes: 'number of processes',
} as const;

export const BACKUP = {
  summary: 'Copies database, files and processes, encrypted',
  about: 'The service may go on working. A backup that is interrupted leaves nothing behind.',
  options: {
    to: { type: 'string', value: 'FOLDER', path: 'folder', help: 'required: a new or empty folder' },
    remote: REMOTE,
    ...PLACES,
    ...COMMON,
  },
  variables: VARIABLES,
  examples: [
    ['--to backups/today', 'backs up the service on this machine'],
    ['--to backups/today --remote', 'backs up the deployed service'],
  ],
  output: { document: COPIED },
} as const satisfies Command;

export const RESTORE = {
  summary: 'Puts a backup into a service',
  about: 'The service must be empty, or --replace removes its data first. Everything is verified before.',
  options: {
    from: { type: 'string', value: 'FOLDER', path: 'folder', help: 'required: folder of the backup' },
    replace: { type: 'boolean', help: 'replaces what the service has' },
    remote: REMOTE,
    ...PLACES,
    ...COMMON,
  },
  variables: VARIABLES,
  examples: [
    ['--from backups/today', 'restores into an empty service on this machine'],
    ['--from backups/today --replace', 'replaces the data of the service'],
  ],
  output: { document: COPIED },
} as const satisfies Command;
