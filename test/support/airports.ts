import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const TABLE = join(import.meta.dirname, '..', '..', 'src', 'wallets', 'apple', 'client', 'airports.txt');

/** Reads the table of airports, which the Worker reads from its assets. */
export const readAirports = () => readFile(TABLE, 'utf8');
