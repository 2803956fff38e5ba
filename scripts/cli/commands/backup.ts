import { COMMON, type Command, PLACES } from '../command.ts';

const REMOTE = { type: 'boolean', help: 'works on the deployed service instead of the one on this machine' } as const;
const VARIABLES = { BACKUP_KEY: 'required: 32 bytes in base64, as "openssl rand -base64 32" makes them' } as const;

const BUCKET = {
  type: 'string',
  value: 'NAME/PREFIX',
  help: 'R2 bucket of your Cloudflare account, and a prefix for this backup, in place of a folder',
} as const;

const COPIED = {
  folder: 'folder of the backup, or its bucket and prefix behind r2://',
  rows: 'number of rows',
  files: 'number of files',
  processes: 'number of processes',
} as const;

export const BACKUP = {
  summary: 'Copies database, files and processes, encrypted',
  about: 'The service may keep running. An interrupted backup leaves nothing behind.',
  options: {
    to: { type: 'string', value: 'FOLDER', path: 'folder', help: 'a new or empty folder' },
    bucket: BUCKET,
    remote: REMOTE,
    ...PLACES,
    ...COMMON,
  },
  variables: VARIABLES,
  examples: [
    ['--to backups/today', 'backs up the service on this machine'],
    ['--to backups/today --remote', 'backs up the deployed service'],
    ['--bucket my-backups/2026-12-24 --remote', 'backs up the deployed service into a bucket'],
  ],
  output: { document: COPIED },
} as const satisfies Command;

export const RESTORE = {
  summary: 'Restores a backup into a service',
  about:
    'The service must be empty, unless --replace deletes its data first. The whole backup is verified before anything changes.',
  options: {
    from: { type: 'string', value: 'FOLDER', path: 'folder', help: 'folder of the backup' },
    bucket: BUCKET,
    replace: { type: 'boolean', help: 'replaces the service’s data' },
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
