import { afterAll } from 'vitest';
import { closePages } from './browser.ts';

/* Vitest runs this for each file of browser tests. */

afterAll(closePages);
