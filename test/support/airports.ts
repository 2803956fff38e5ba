import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const TABLE = join(import.meta.dirname, '..', '..', 'src', 'wallets', 'apple', 'client', 'airports.txt');

/** The table of airports, as the Worker reads it from its assets. */
export const readAirports = () => readFile(TABLE, 'utf8');
